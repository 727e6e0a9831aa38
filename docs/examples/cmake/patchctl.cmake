# Brings a tree of MLX to the bytes that patchctl's lock says, while CMake configures.
#
#   patchctl_apply(TREE [ROOT folder with patchctl.yaml] [LOCK file] [MLX release])
#
# Safe to run on every configure: a file that is right already is not touched, so that nothing is compiled
# again; what an older lock or a retired overlay left is taken off first. A tree that cannot be patched ends
# the configure step with patchctl's own message. A changed lock configures again before the next build.

find_program(PATCHCTL_EXECUTABLE patchctl REQUIRED
             DOC "patchctl, which applies the lock; `cargo install patchctl` brings it")

function(patchctl_apply tree)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ROOT;LOCK;MLX" "")
  if(NOT arg_ROOT)
    set(arg_ROOT "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  if(NOT arg_LOCK)
    set(arg_LOCK "${arg_ROOT}/overlays/mlx/lock.yaml")
  endif()
  set(command "${PATCHCTL_EXECUTABLE}" --root "${arg_ROOT}" --offline apply "${tree}")
  if(arg_MLX)
    list(APPEND command --mlx "${arg_MLX}")
  endif()
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${arg_LOCK}")
endfunction()
