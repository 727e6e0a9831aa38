// The version that the linked MLX reports.

#include "cpp/bridge.h"

#ifdef MLX_BRIDGE_HAS_MLX_HEADERS
#include <string>  // the header uses it up to 0.29 and does not include it

#include "mlx/version.h"
#endif

namespace mlx_bridge {

const char* mlx_version() noexcept {
#ifdef MLX_BRIDGE_HAS_MLX_HEADERS
  // By its own header, since it gave a std::string once and gives a pointer now.
  static const std::string version = mlx::core::version();
  return version.c_str();
#else
  return nullptr;
#endif
}

}  // namespace mlx_bridge
