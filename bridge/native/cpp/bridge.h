// What the Rust side calls; stub.cc or metal.cc stands behind it.
#pragma once

#include <cstdint>

namespace mlx_bridge {

// Which of the files was compiled: the truth about what was linked. src/ffi.rs has the same numbers,
// and cxx checks that they agree.
enum class CompiledBackend : std::uint8_t {
  Stub = 0,
  Metal = 1,
  HostMetal = 2,
};

CompiledBackend compiled_backend() noexcept;

// The process-wide override of MLX's input budget, in mebi-elements a command buffer; 0 or less: none.
void set_mb_per_buffer_override(std::int32_t mb) noexcept;

// The override as MLX's encoder reads it; 0: none.
std::int32_t mb_per_buffer_override() noexcept;

// The version that the linked MLX reports, for the whole run; null where none is linked, or where the
// bridge was built without that MLX's headers.
const char* mlx_version() noexcept;

}  // namespace mlx_bridge
