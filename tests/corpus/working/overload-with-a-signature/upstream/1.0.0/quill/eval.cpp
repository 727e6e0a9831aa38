#include "quill/eval.h"

namespace quill {

void eval(std::vector<array> xs) {
  auto s = default_stream();
  run(xs, s);
}

} // namespace quill
