#include "quill/gpu/device.h"
#include "quill/gpu/list.h"

namespace quill {

// The one that is used.
Device* first() {
  return device(0);
}

// Devices are never freed.
Device* device(int index) {
  return all()[index];
}

} // namespace quill
