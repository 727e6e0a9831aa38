// Records work for the device and hands it over in batches.
#include <cstdlib>
#include <string>

#include "quill/gpu/recorder.h"

namespace quill::gpu {

namespace {

int env_limit(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : fallback;
}

} // namespace

void Recorder::set_input(const Tensor& in) {
  if (inputs_.insert(in.data()).second) {
    size_ += in.size();
  }
}

#ifdef QUILL_GPU
bool Recorder::wants_flush() const {
  auto [max_ops, max_mb] = device_.limits();
  return ops_ > max_ops || (size_ >> 20) > max_mb;
}
#endif

void Recorder::end() {
  queue_.push(std::move(batch_));
  size_ = 0;
  ops_ = 0;
}

} // namespace quill::gpu
