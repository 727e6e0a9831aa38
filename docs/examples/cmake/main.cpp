// Raises MLX's input budget as a decode loop does, and takes it off again. A program in C++ wants a guard for
// that, as the crate mlx-bridge has one in Rust.

#include <iostream>

// The overlay's entry points, as its `provides` has them: no header of MLX declares them.
namespace mlx::core::metal {
void set_mb_per_buffer_override(int mebi_elements);
int mb_per_buffer_override();
} // namespace mlx::core::metal

int main() {
  using namespace mlx::core::metal;
  set_mb_per_buffer_override(1000);
  std::cout << "decode: " << mb_per_buffer_override() << '\n';
  set_mb_per_buffer_override(0);
  std::cout << "prefill: " << mb_per_buffer_override() << '\n';
}
