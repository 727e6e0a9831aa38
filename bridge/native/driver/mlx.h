// MLX's encoder behind one interface, whatever the release calls it. MLX 0.31.2 moved the commit check from
// Device::command_buffer_needs_commit(index) to CommandEncoder::needs_commit(); which one a tree has is asked of
// the compiler, never of a version number.
#pragma once

#include "mlx/array.h"
#include "mlx/backend/gpu/eval.h"
#include "mlx/backend/metal/allocator.h"
#include "mlx/backend/metal/device.h"
#include "mlx/event.h"
#include "mlx/primitives.h"
#include "mlx/stream.h"

#include <string>
#include <vector>

// What the overlay provides. Weak, so that one driver serves patched and unpatched trees; by the name that the
// linker sees, so that another overlay's setter and getter can be given.
#define DRIVER_STRING_(text) #text
#define DRIVER_STRING(text) DRIVER_STRING_(text)
#define DRIVER_SYMBOL(name) DRIVER_STRING(__USER_LABEL_PREFIX__) name
#ifndef DRIVER_SETTER
#define DRIVER_SETTER "_ZN3mlx4core5metal26set_mb_per_buffer_overrideEi"
#define DRIVER_GETTER "_ZN3mlx4core5metal22mb_per_buffer_overrideEv"
#endif
[[gnu::weak]] extern void override_setter(int mb) asm(DRIVER_SYMBOL(DRIVER_SETTER));
[[gnu::weak]] extern int override_getter() asm(DRIVER_SYMBOL(DRIVER_GETTER));

namespace driver {

using namespace mlx::core;
using namespace mlx::core::metal;

inline constexpr auto kGpu = mlx::core::Device::gpu;

// True for the interface from 0.31.2 on. Templates, because only there may a name be missing.
template <class Encoder>
constexpr bool kEncoderCommits = requires(Encoder& encoder) { encoder.needs_commit(); };

template <class S>
CommandEncoder& encoder_of(const S& stream) {
  if constexpr (kEncoderCommits<CommandEncoder>) {
    return get_command_encoder(stream);
  } else {
    return device(stream.device).get_command_encoder(stream.index);
  }
}

template <class S, class Encoder = CommandEncoder, class D = metal::Device>
MTL::CommandBuffer* command_buffer_of(const S& stream) {
  if constexpr (kEncoderCommits<Encoder>) {
    return static_cast<Encoder&>(encoder_of(stream)).get_command_buffer();
  } else {
    return static_cast<D&>(device(stream.device)).get_command_buffer(stream.index);
  }
}

template <class S, class Encoder = CommandEncoder, class D = metal::Device>
bool needs_commit(const S& stream) {
  if constexpr (kEncoderCommits<Encoder>) {
    return static_cast<Encoder&>(encoder_of(stream)).needs_commit();
  } else {
    return static_cast<D&>(device(stream.device)).command_buffer_needs_commit(stream.index);
  }
}

// What gpu::eval does when the check says yes, and gpu::finalize always.
template <class S, class Encoder = CommandEncoder, class D = metal::Device>
void commit(const S& stream) {
  if constexpr (kEncoderCommits<Encoder>) {
    auto& encoder = static_cast<Encoder&>(encoder_of(stream));
    encoder.end_encoding();
    encoder.commit();
  } else {
    auto& d = static_cast<D&>(device(stream.device));
    d.end_encoding(stream.index);
    d.commit_command_buffer(stream.index);
    d.get_command_buffer(stream.index);
  }
}

// A new stream on the GPU for the calling thread. Releases before 0.31.2 number streams in their scheduler, and make
// the first of them for themselves; later ones keep a thread's encoders under whatever number they are given.
template <class Encoder = CommandEncoder>
Stream open_stream(int number) {
  if constexpr (kEncoderCommits<Encoder>) {
    const Stream stream(number, kGpu);
    gpu::new_stream(stream);
    return stream;
  } else {
    return new_stream(kGpu);
  }
}

// Commits what there is and waits for it, as gpu::synchronize does.
inline void synchronize_stream(const Stream& stream) {
  auto pool = new_scoped_memory_pool();
  MTL::CommandBuffer* last = command_buffer_of(stream);
  last->retain();
  commit(stream);
  last->waitUntilCompleted();
  last->release();
}

// Ends the encoder in mid-buffer, as a wait of another stream on this one does. With `by_host` it is this thread that
// waits, once the command buffer with the signal is committed.
template <class S, class E = Event>
void signal_and_wait(const S& stream, bool by_host) {
  E event(stream);
  event.set_value(1);
  if constexpr (requires { event.signal(stream); }) {
    event.signal(stream);
    if (by_host) {
      commit(stream);
      event.wait();
    } else {
      event.wait(stream);
    }
  } else {
    throw std::invalid_argument("this MLX has no events on streams");
  }
}

// A kernel to dispatch: on Metal it is compiled from this text, host-metal takes anything.
template <class D = metal::Device>
MTL::ComputePipelineState* kernel() {
  auto& d = static_cast<D&>(device(kGpu));
  auto* library = d.get_library("patchctl_driver",
                                [] { return std::string("kernel void nothing(device char* a [[buffer(0)]]) {}"); });
  return d.get_kernel("nothing", library);
}

template <class D = metal::Device>
std::string architecture() {
  return static_cast<D&>(device(kGpu)).get_architecture();
}

// What decides about a commit, as this release calls it.
inline const char* check_name() {
  return kEncoderCommits<CommandEncoder> ? "CommandEncoder::needs_commit" : "Device::command_buffer_needs_commit";
}

inline array new_array(int64_t elements, Dtype dtype) {
  return array(allocator::malloc(static_cast<size_t>(elements) * size_of(dtype)), Shape{static_cast<int>(elements)},
               dtype);
}

// One element, seen `elements` times: data_size() is 1 whatever size() says.
inline array new_broadcast(int64_t elements, Dtype dtype) {
  array one = new_array(1, dtype);
  array view(Shape{static_cast<int>(elements)}, dtype, nullptr, {});
  view.copy_shared_buffer(one, Strides{0}, one.flags(), 1);
  return view;
}

inline Dtype dtype_named(const std::string& name) {
  if (name == "int8") return int8;
  if (name == "int64") return int64;
  if (name == "float16") return float16;
  if (name == "float32") return float32;
  if (name == "uint32") return uint32;
  throw std::invalid_argument("dtype '" + name + "': int8, int64, uint32, float16 or float32");
}

// What one op does to the encoder. `number` is the width of each grid, so that the op can be told apart in the log.
struct Op {
  std::vector<array> inputs;
  std::vector<array> outputs;
  int64_t dispatches;
  uint64_t number;

  void encode(const Stream& stream) {
    auto& encoder = encoder_of(stream);
    encoder.set_compute_pipeline_state(kernel());
    int index = 0;
    for (auto& input : inputs) encoder.set_input_array(input, index++);
    for (auto& output : outputs) encoder.set_output_array(output, index++);
    for (int64_t i = 0; i < dispatches; ++i) encoder.dispatch_threads(MTL::Size(number, 1, 1), MTL::Size(1, 1, 1));
  }
};

// The op as a primitive, for MLX's own gpu::eval to encode and to ask after.
class OpPrimitive : public Primitive {
 public:
  OpPrimitive(Stream stream, Op op) : Primitive(stream), op_(std::move(op)) {}
  void eval_cpu(const std::vector<array>&, std::vector<array>&) override {
    throw std::logic_error("the driver's ops run on the GPU");
  }
  void eval_gpu(const std::vector<array>&, std::vector<array>& outputs) override {
    outputs[0].set_data(allocator::malloc(1));
    op_.encode(stream());
  }

  // One of them overrides, depending on the release.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winconsistent-missing-override"
  const char* name() const { return "DriverOp"; }
  void print(std::ostream& out) { out << "DriverOp"; }
#pragma clang diagnostic pop

 private:
  Op op_;
};

}  // namespace driver
