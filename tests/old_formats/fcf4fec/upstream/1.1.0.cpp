#include <cstdlib>

namespace quill {
int other();
int limit() {
  int wanted = 50;
  log(wanted);
  return wanted;
}
} // namespace quill
