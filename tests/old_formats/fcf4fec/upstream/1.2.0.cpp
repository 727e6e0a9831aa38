#include <cstdlib>

namespace quill {
int other();
int limit() {
  int wanted = other();
  log(wanted);
  return wanted;
}
} // namespace quill
