#include "quill/log.h"

namespace quill {

void Log::close() {
  lock();
  flush();
  unlock();
}

void Log::open() {
  lock();
  first_ = true;
  lines_.clear();
  unlock();
}

void Log::shut() {
  lock();
  flush();
  lines_.clear();
  unlock();
}

void Log::rotate() {
  lock();
  name_ = next(name_);
  unlock();
}

} // namespace quill
