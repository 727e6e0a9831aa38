# MLX's build options that every library of ours has, as an initial cache (`cmake -C`).
set(BUILD_SHARED_LIBS OFF CACHE BOOL "")
set(MLX_BUILD_TESTS OFF CACHE BOOL "")
set(MLX_BUILD_EXAMPLES OFF CACHE BOOL "")
set(MLX_BUILD_BENCHMARKS OFF CACHE BOOL "")
set(MLX_BUILD_PYTHON_BINDINGS OFF CACHE BOOL "")
set(MLX_BUILD_PYTHON_STUBS OFF CACHE BOOL "")
# Its library would have to be fetched and linked as well.
set(MLX_BUILD_GGUF OFF CACHE BOOL "")
