#include <metal_stdlib>

using namespace metal;

#define instantiate_fold(name, type) \
  template [[host_name("fold_" #name)]] [[kernel]] decltype(fold_all<type>) fold_all<type>;

METAL_FUNC uint rounded(uint size) {
  return (size + 3) / 4;
}

constant bool has_size [[function_constant(0)]];

template <typename T, int N = 4>
[[kernel, max_total_threads_per_threadgroup(N * 32)]] void
fold_all(
    const device T* in [[buffer(0)]],
    device T* out [[buffer(1)]],
    const constant uint& size [[buffer(2), function_constant(has_size)]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup T partial[N];
  partial[lane] = in[lane];
  out[0] = partial[0];
}

instantiate_fold(f32, float)
instantiate_fold(i32, int)

METAL_FUNC
float fold_late(thread float* values) {
  return values[0];
}

struct Sum {
  void add(float value) thread {
    total += value;
  }
  float total;
};

inline uint lanes() {
  return 32;
}
