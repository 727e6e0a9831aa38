#include "quill/gpu/device.h"

namespace quill {

Device* first() {
  return device(0);
}

Device* device(int index) {
  return all()[index];
}

} // namespace quill
