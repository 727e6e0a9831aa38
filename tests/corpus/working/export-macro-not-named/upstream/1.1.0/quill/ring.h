#pragma once

#include <cstddef>

namespace quill {

class QUILL_API Ring {
 public:
  explicit Ring(size_t n) : n_(n) {}

  void push(int value) {
    data_[next_++ % n_] = value;
  }

 private:
  size_t n_;
  size_t next_{0};
  int data_[64];
};

} // namespace quill
