#pragma once

#include "quill/stream.h"
#include "quill/tensor.h"

namespace quill {

// Not the default.
#define QUILL_CHECK(x) /* all of it */ \
  if (!(x)) /* and } */ { \
    fail();\
  }

inline Tensor take(Tensor a, const Shape& shape = {1, {2, 3}}, StreamOrDevice s = {}) {
  return a.taken(shape, s);
}

class Sum : public Op {
 public:
  explicit Sum(Stream stream = {}) : Op(stream) {}

  DEFINE_NAME(Sum)
  DEFINE_SHAPES()
  int limit() const {
    return 4;
  }

  DEFINE_END()
};

// Runs now, in the order of the list.
inline int fold() {
  return 2;
}

inline void run_all(Queue& queue, Options options = {.depth = 2}) {
  run(quill::fold(), [&]() { queue.push(options); });
}

} // namespace quill
