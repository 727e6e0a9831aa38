#include "quill/log.h"

namespace quill {

void Log::open() {
  lock();
  first_ = true;
  unlock();
}

void Log::close() {
  lock();
  flush();
  unlock();
}

} // namespace quill
