# MLX without a backend that computes: everything that a non-Metal build compiles of what the overlays could
# reach, in about 90 s on two cores. No BLAS is needed.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
set(MLX_BUILD_METAL OFF CACHE BOOL "")
set(MLX_BUILD_CPU OFF CACHE BOOL "")
