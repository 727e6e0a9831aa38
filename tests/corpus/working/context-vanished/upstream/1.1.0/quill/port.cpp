#include "quill/port.h"

namespace quill {

void reset_port(Port& port) {
  port.lock();
  port.count = 0;
  port.unlock();
}

} // namespace quill
