# MLX with Metal, for Apple silicon.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
set(MLX_BUILD_METAL ON CACHE BOOL "")
set(MLX_BUILD_CPU ON CACHE BOOL "")
set(CMAKE_OSX_ARCHITECTURES arm64 CACHE STRING "")
