// The backend with a patched MLX behind it, on Metal or on the Metal runtime for Linux.

#include "cpp/bridge.h"
#include "mlx_bridge_provides.h"  // made by the build script from the overlay's `provides`

namespace mlx_bridge {

CompiledBackend compiled_backend() noexcept {
#ifdef MLX_BRIDGE_HOST_METAL
  return CompiledBackend::HostMetal;
#else
  return CompiledBackend::Metal;
#endif
}

void set_mb_per_buffer_override(std::int32_t mb) noexcept { provided::set(mb); }

std::int32_t mb_per_buffer_override() noexcept { return provided::get(); }

}  // namespace mlx_bridge
