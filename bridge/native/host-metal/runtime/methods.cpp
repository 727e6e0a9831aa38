// Every selector and class that MLX's encoder reaches. A new MLX release that needs another ends with its name;
// it is added here, with what it does in metal.h. No selector is here without an MLX release that calls it.
#include <string>
#include <string_view>

#include "metal.h"

namespace host_metal {
namespace {

template <auto... Members>
constexpr auto method = &Method<Members...>::call;

// ---- class methods: the receiver is the class itself ------------------------------------------------------

Object* string_from(Class*, const Selector*, const char* text, Integer) { return autoreleased<String>(text); }

Object* array_from(Class*, const Selector*, Object** objects, Integer count) {
  std::vector<Ref<Object>> held;
  for (Integer i = 0; i < count; ++i) held.emplace_back(objects[i]);
  return autoreleased<Array>(std::move(held));
}

Object* settings_from(Class* wanted, const Selector*) { return autoreleased<Settings>(wanted->name); }

struct Entry {
  std::string_view selector;
  void (*implementation)();

  template <class Function>
  Entry(std::string_view selector, Function function)
      : selector(selector), implementation(reinterpret_cast<void (*)()>(function)) {}
};

const Entry* table(size_t& count) {
  static const Entry entries[] = {
      // NSObject and Foundation
      {"alloc", method<&Class::alloc>},
      {"init", method<&Object::init>},
      {"retain", method<&Object::retain>},
      {"release", method<&Object::release>},
      {"autorelease", method<&Object::autorelease>},
      {"retainCount", method<&Object::retain_count>},
      {"respondsToSelector:", method<&Object::responds_to>},
      {"drain", method<&AutoreleasePool::drain>},
      {"stringWithCString:encoding:", string_from},
      {"UTF8String", method<&String::utf8>},
      {"arrayWithObjects:count:", array_from},
      {"count", method<&Array::count>},
      {"objectAtIndex:", method<&Array::object_at>},
      {"length", method<&Buffer::length, &String::length>},
      {"name", method<&Device::name, &OpaqueObject::name>},

      // MTLDevice
      {"architecture", method<&Device::architecture>},
      {"supportsFamily:", method<&Device::supports_family>},
      {"maxBufferLength", method<&Device::max_buffer_length>},
      {"recommendedMaxWorkingSetSize", method<&Device::working_set>},
      {"newCommandQueue", method<&Device::queue>},
      {"newFence", method<&Device::fence>},
      {"newSharedEvent", method<&Device::shared_event>},
      {"newBufferWithLength:options:", method<&Device::buffer, &Heap::buffer>},
      {"newBufferWithBytesNoCopy:length:options:deallocator:", method<&Device::buffer_around>},
      {"newHeapWithDescriptor:", method<&Device::heap>},
      {"newResidencySetWithDescriptor:error:", method<&Device::residency_set>},
      {"newLibraryWithFile:error:", method<&Device::library_from_file>},
      {"newLibraryWithSource:options:error:", method<&Device::library_from_source>},
      {"newComputePipelineStateWithFunction:error:", method<&Device::pipeline>},
      {"newComputePipelineStateWithDescriptor:options:reflection:error:", method<&Device::pipeline_from>},

      // Buffers, heaps, residency
      {"contents", method<&Buffer::contents>},
      {"heap", method<&Buffer::heap>},
      {"storageMode", method<&Buffer::storage_mode>},
      {"allocatedSize", method<&Allocation::allocated_size, &ResidencySet::allocated_size>},
      {"addAllocation:", method<&ResidencySet::add>},
      {"removeAllocation:", method<&ResidencySet::remove>},
      {"allocationCount", method<&ResidencySet::count>},
      {"allAllocations", method<&ResidencySet::all>},
      {"requestResidency", method<&ResidencySet::request>},

      // Events
      {"signaledValue", method<&SharedEvent::value>},
      {"setSignaledValue:", method<&SharedEvent::set_value>},
      {"waitUntilSignaledValue:timeoutMS:", method<&SharedEvent::wait>},

      // Queues and command buffers
      {"commandBufferWithUnretainedReferences", method<&CommandQueue::command_buffer>},
      {"addResidencySet:", method<&CommandQueue::ignore>},
      {"addResidencySets:count:", method<&CommandQueue::ignore_many>},
      {"commit", method<&CommandBuffer::commit, &ResidencySet::commit>},
      {"computeCommandEncoderWithDispatchType:", method<&CommandBuffer::encoder>},
      {"encodeSignalEvent:value:", method<&CommandBuffer::encode_signal>},
      {"encodeWaitForEvent:value:", method<&CommandBuffer::encode_wait>},
      {"addCompletedHandler:", method<&CommandBuffer::add_completed_handler>},
      {"waitUntilCompleted", method<&CommandBuffer::wait_until_completed>},
      {"status", method<&CommandBuffer::status>},
      {"error", method<&CommandBuffer::error>},
      {"label", method<&CommandBuffer::label>},
      {"setLabel:", method<&CommandBuffer::set_label>},

      // Encoders
      {"setComputePipelineState:", method<&ComputeEncoder::set_pipeline_state>},
      {"setBuffer:offset:atIndex:", method<&ComputeEncoder::set_buffer>},
      {"setBytes:length:atIndex:", method<&ComputeEncoder::ignore<const void*, Integer, Integer>>},
      {"dispatchThreads:threadsPerThreadgroup:", method<&ComputeEncoder::dispatch>},
      {"dispatchThreadgroups:threadsPerThreadgroup:", method<&ComputeEncoder::dispatch>},
      {"memoryBarrierWithScope:", method<&ComputeEncoder::ignore<Integer>>},
      {"waitForFence:", method<&ComputeEncoder::ignore<Object*>>},
      {"updateFence:", method<&ComputeEncoder::ignore<Object*>>},
      {"endEncoding", method<&ComputeEncoder::end>},

      // Libraries, functions, pipelines
      {"newFunctionWithName:", method<&Library::function>},
      {"newFunctionWithDescriptor:error:", method<&Library::function_from>},
      {"functionDescriptor", settings_from},
      {"linkedFunctions", settings_from},
      {"maxTotalThreadsPerThreadgroup", method<&PipelineState::max_threads>},

      // Descriptors
      {"setSize:", method<&Settings::set_size>},
      {"setResourceOptions:", method<&Settings::ignore<Integer>>},
      {"setLanguageVersion:", method<&Settings::set_language_version>},
      {"languageVersion", method<&Settings::language_version>},
      {"setMathMode:", method<&Settings::ignore<Integer>>},
      {"setFastMathEnabled:", method<&Settings::ignore<bool>>},
      {"setEnableLogging:", method<&Settings::ignore<bool>>},
      {"setComputeFunction:", method<&Settings::ignore<Object*>>},
      {"setLinkedFunctions:", method<&Settings::ignore<Object*>>},
      {"setPrivateFunctions:", method<&Settings::ignore<Object*>>},
      {"setName:", method<&Settings::ignore<Object*>>},
      {"setSpecializedName:", method<&Settings::ignore<Object*>>},
      {"setConstantValues:", method<&Settings::ignore<Object*>>},
      {"setConstantValue:type:atIndex:", method<&Settings::ignore<const void*, Integer, Integer>>},
  };
  count = std::size(entries);
  return entries;
}

}  // namespace

void (*implementation(const char* selector))() {
  size_t count = 0;
  const Entry* entries = table(count);
  for (size_t i = 0; i < count; ++i) {
    if (entries[i].selector == selector) return entries[i].implementation;
  }
  return nullptr;
}

Object* (*constructor(const char* class_name))() {
  const std::string_view name = class_name;
  if (name == "NSAutoreleasePool") return []() -> Object* { return new AutoreleasePool; };
  for (auto known : {"MTLCompileOptions", "MTLHeapDescriptor", "MTLResidencySetDescriptor",
                     "MTLComputePipelineDescriptor", "MTLFunctionConstantValues"}) {
    if (name == known) return []() -> Object* { return new Settings("a Metal descriptor"); };
  }
  return nullptr;
}

}  // namespace host_metal
