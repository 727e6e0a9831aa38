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

bool Recorder::wants_flush() const {
  auto [max_ops, max_mb] = device_.limits();
  return ops_ > max_ops || (size_ >> 20) > max_mb;
}

void Recorder::name(const char* name) {
  if (__builtin_available(macOS 15, iOS 18, tvOS 18, visionOS 2, *)) {
    queue_.name(name);
    queue_.later(^{ forget(name); });
  }
}

void Recorder::end() {
  queue_.push(std::move(batch_));
  size_ = 0;
  ops_ = 0;
  inputs_.clear();
}

} // namespace quill::gpu
