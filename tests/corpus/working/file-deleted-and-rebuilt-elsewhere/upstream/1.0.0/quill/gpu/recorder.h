#pragma once

#include "quill/tensor.h"

namespace quill::gpu {

class Recorder {
 public:
  explicit Recorder(Device& device);

  void set_input(const Tensor& in);
  bool wants_flush() const;
  void end();

 private:
  Device& device_;
  int ops_{0};
  size_t size_{0};
};

} // namespace quill::gpu
