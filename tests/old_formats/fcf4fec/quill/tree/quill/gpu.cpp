// patchctl:begin budget/include.1 84b1134ad93d
#include <atomic>
// patchctl:end budget/include.1
#include <cstdlib>

namespace quill {
int other();
// patchctl:begin budget/read.slot 4e377b70b871
std::atomic<int> slot{0};
// patchctl:end budget/read.slot
int limit() {
  int wanted = 50;
// patchctl:begin budget/read.read a0a8623b5997
  wanted += slot;
// patchctl:end budget/read.read
// patchctl:begin quiet/log.1 9b74e56b27eb
#if 0 // patchctl:was
  log(wanted);
#else // patchctl:now
  trace(wanted);
#endif // patchctl:was
// patchctl:end quiet/log.1
  return wanted;
}
// patchctl:begin budget/entry.1 031c1aadefb7
void set(int to) {
  slot = to;
}
// patchctl:end budget/entry.1
} // namespace quill
