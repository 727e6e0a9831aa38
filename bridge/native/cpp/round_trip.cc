// Sets the override to each of its arguments in turn and prints what is read back, here and on another thread.
// `patchctl test` runs it, a process for each environment, and compares.

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "cpp/bridge.h"

namespace {

const char* name(mlx_bridge::CompiledBackend backend) {
  switch (backend) {
    case mlx_bridge::CompiledBackend::Stub:
      return "stub";
    case mlx_bridge::CompiledBackend::Metal:
      return "metal";
    case mlx_bridge::CompiledBackend::HostMetal:
      return "host-metal";
  }
  return "unknown";
}

std::int32_t read_elsewhere() {
  std::int32_t read = -1;
  std::thread([&read] { read = mlx_bridge::mb_per_buffer_override(); }).join();
  return read;
}

}  // namespace

int main(int argc, char** argv) {
  const char* version = mlx_bridge::mlx_version();
  std::cout << "backend " << name(mlx_bridge::compiled_backend()) << '\n';
  std::cout << "mlx " << (version == nullptr ? "none" : version) << '\n';
  std::cout << "start " << mlx_bridge::mb_per_buffer_override() << '\n';
  for (int at = 1; at < argc; ++at) {
    mlx_bridge::set_mb_per_buffer_override(static_cast<std::int32_t>(std::strtol(argv[at], nullptr, 10)));
    std::cout << argv[at] << ' ' << mlx_bridge::mb_per_buffer_override() << ' ' << read_elsewhere() << '\n';
  }
}
