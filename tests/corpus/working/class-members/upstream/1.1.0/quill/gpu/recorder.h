#pragma once

#include "quill/tensor.h"

namespace quill::gpu {

class Device;

class RecorderPool {
 public:
  bool wants_flush() const;

 private:
  size_t size_{0};
};

class Recorder {
 public:
  explicit Recorder(Device& device);

  void set_input(const Tensor& in);
  bool wants_flush() const;
  void end();

 private:
  Device& device_;
  int ops_{0};
  size_t size_{0}; // elements, not bytes
  std::vector<int> order_;
};

} // namespace quill::gpu
