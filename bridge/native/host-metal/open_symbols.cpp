// What the linker still wants after MLX's encoder and the files under it: everything here, and nothing else.
//
// The rest of MLX (primitives.cpp, transforms.cpp) would bring its whole graph of operations. Of it the encoder needs
// that nothing is being traced, and Primitive's virtual functions, which nobody calls. Do not add a symbol because a
// link fails: first see which of MLX's files defines it, and add that file to the list of sources. A stub put
// in place of a file that was forgotten once made a program that linked, ran and crashed.
#include <cstdio>
#include <cstdlib>

#include "mlx/primitives.h"
#include "mlx/transforms_impl.h"

namespace {

[[noreturn]] void reached(const char* symbol) {
  fprintf(stderr, "host-metal: %s was called: it is an open symbol, its source is not linked\n", symbol);
  abort();
}

}  // namespace

// Nothing is traced. A function from 0.26 on, a variable before; a tree refers to one of them.
namespace tracing {
std::vector<std::pair<char, char>>& stack() asm("_ZN3mlx4core6detail9InTracing11trace_stackEv");
std::vector<std::pair<char, char>>& stack() {
  static thread_local std::vector<std::pair<char, char>> empty;
  return empty;
}
std::vector<char> stack_variable asm("_ZN3mlx4core6detail9InTracing11trace_stackE");
}  // namespace tracing

namespace mlx::core {

// Thread-local from 0.32 on; whoever compiles this reads it off MLX's header.
#ifdef HOST_METAL_THREAD_LOCAL_TRACING
thread_local int detail::RetainGraph::tracing_counter = 0;
#else
int detail::RetainGraph::tracing_counter = 0;
#endif

std::vector<array> Primitive::jvp(const std::vector<array>&, const std::vector<array>&, const std::vector<int>&) {
  reached("Primitive::jvp");
}

std::vector<array> Primitive::vjp(const std::vector<array>&, const std::vector<array>&, const std::vector<int>&,
                                  const std::vector<array>&) {
  reached("Primitive::vjp");
}

std::pair<std::vector<array>, std::vector<int>> Primitive::vmap(const std::vector<array>&, const std::vector<int>&) {
  reached("Primitive::vmap");
}

std::vector<Shape> Primitive::output_shapes(const std::vector<array>&) { reached("Primitive::output_shapes"); }

}  // namespace mlx::core
