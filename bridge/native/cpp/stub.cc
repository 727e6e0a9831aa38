// The backend where there is no Metal: it has nothing to override.

#include "cpp/bridge.h"

namespace mlx_bridge {

CompiledBackend compiled_backend() noexcept { return CompiledBackend::Stub; }

void set_mb_per_buffer_override(std::int32_t) noexcept {}

std::int32_t mb_per_buffer_override() noexcept { return 0; }

}  // namespace mlx_bridge
