// A completion handler as metal-cpp passes it, kept alive on the heap.
#pragma once

extern "C" {
void* _Block_copy(const void* block);
void _Block_release(const void* block);
}

namespace host_metal {

template <class Argument>
class Handler {
 public:
  using Block = void (^)(Argument);
  explicit Handler(Block block) : block_(reinterpret_cast<Block>(_Block_copy(reinterpret_cast<void*>(block)))) {}
  Handler(Handler&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
  Handler(const Handler&) = delete;
  ~Handler() {
    if (block_) _Block_release(reinterpret_cast<void*>(block_));
  }
  void operator()(Argument argument) const { block_(argument); }

 private:
  Block block_;
};

}  // namespace host_metal
