#include <cstdlib>

namespace quill {
int limit() {
  int wanted = 50;
  log(wanted);
  return wanted;
}
} // namespace quill
