// Metal as MLX uses it: command queues that order work, and buffers that are memory. No kernel runs.
//
// Where this departs from Apple's Metal:
// - a dispatch is written down and does nothing; command buffers complete in order, each queue on a thread of its own,
//   as soon as it comes to them or as late as a test wants (complete_after);
// - events are real and make queues wait; fences, barriers and residency are accepted and mean nothing;
// - what Apple's validation layer reports (a commit while encoding, a buffer that dies in flight, …) ends the process.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "../host_metal.h"
#include "block.h"
#include "foundation.h"

namespace host_metal {

struct Size {
  Integer width, height, depth;
};

// A descriptor. Most of its properties can be set and are never read.
class Settings : public Object {
 public:
  explicit Settings(const char* name) : name_(name) {}
  const char* class_name() const override { return name_; }
  template <class... A>
  void ignore(A...) {}
  void set_size(Integer size) { size_ = size; }
  Integer size() { return size_; }
  void set_language_version(Integer version) { language_version_ = version; }
  Integer language_version() { return language_version_; }

 private:
  const char* name_;
  Integer size_ = 0;
  Integer language_version_ = 0;
};

// An object that MLX creates and passes on, and that does nothing: MTLFence, MTLFunction, MTLLibrary, pipeline states.
class OpaqueObject : public Object {
 public:
  OpaqueObject(const char* kind, std::string name) : kind_(kind), name_(new String(std::move(name))) {}
  ~OpaqueObject() override { name_->release(); }
  const char* class_name() const override { return kind_; }
  String* name() { return name_; }

 private:
  const char* kind_;
  String* name_;
};

class Library : public OpaqueObject {
 public:
  explicit Library(std::string path) : OpaqueObject("MTLLibrary", std::move(path)) {}
  Object* function(String* name);
  Object* function_from(Settings* constants, Object** error);
};

class PipelineState : public OpaqueObject {
 public:
  PipelineState() : OpaqueObject("MTLComputePipelineState", "") {}
  Integer max_threads() { return 1024; }
  Integer execution_width() { return 32; }
};

// A member of a residency set.
class Allocation : public Object {
 public:
  virtual Integer allocated_size() = 0;
};

class Heap;

class Buffer : public Allocation {
 public:
  Buffer(size_t length, Heap* heap);
  Buffer(void* memory, size_t length);  // the caller keeps the memory
  ~Buffer() override;
  const char* class_name() const override { return "MTLBuffer"; }
  Integer length() { return length_; }
  Integer allocated_size() override { return length_; }
  void* contents() { return memory_; }
  Heap* heap() { return heap_.get(); }
  Integer storage_mode() { return 0; }  // shared

  // A command buffer calls the first when it binds the buffer and the second when it has completed.
  void enter_flight();
  void leave_flight();
  void count_in_flight(bool counts);

 private:
  void* memory_;
  size_t length_;
  Ref<Heap> heap_;
  enum { kMapped, kAllocated, kBorrowed } origin_;
  std::atomic<int> flights_{0};
  bool counts_ = true;
};

class Heap : public Allocation {
 public:
  explicit Heap(size_t size) : size_(size) {}
  const char* class_name() const override { return "MTLHeap"; }
  Integer allocated_size() override { return size_; }
  Buffer* buffer(Integer length, Integer options);  // nil when it is full
  void give_back(size_t length) { used_ -= room(length); }

 private:
  static size_t room(size_t length) { return (length + 255) / 256 * 256; }
  size_t size_;
  std::atomic<size_t> used_{0};
};

class ResidencySet : public Object {
 public:
  const char* class_name() const override { return "MTLResidencySet"; }
  void add(Allocation* allocation);
  void remove(Allocation* allocation);
  Integer allocated_size();
  Integer count();
  Array* all();
  void commit() {}
  void request() {}

 private:
  std::mutex mutex_;
  std::unordered_map<Allocation*, Ref<Allocation>> allocations_;
};

class SharedEvent : public Object {
 public:
  const char* class_name() const override { return "MTLSharedEvent"; }
  uint64_t value();
  void set_value(uint64_t value);
  bool wait(uint64_t value, uint64_t milliseconds);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t value_ = 0;
};

class CommandQueue;
class ComputeEncoder;

class CommandBuffer : public Object {
 public:
  explicit CommandBuffer(CommandQueue* queue);
  ~CommandBuffer() override;
  const char* class_name() const override { return "MTLCommandBuffer"; }

  ComputeEncoder* encoder(Integer dispatch_type);
  void encode_signal(SharedEvent* event, uint64_t value);
  void encode_wait(SharedEvent* event, uint64_t value);
  void add_completed_handler(Handler<CommandBuffer*>::Block block);
  void commit();
  void wait_until_completed();
  Integer status() { return status_.load(); }
  Object* error() { return nullptr; }
  String* label() { return label_.get(); }
  void set_label(String* label) { label_ = Ref(label); }

  void dispatched(Size grid);
  void bind(Buffer* buffer);
  void encoder_ended() { open_encoder_ = false; }
  void execute();  // on the queue's thread

 private:
  enum : Integer { kNotEnqueued = 0, kCommitted = 2, kCompleted = 4 };  // of MTLCommandBufferStatus
  struct EventStep {
    Ref<SharedEvent> event;
    uint64_t value;
    bool waits;
  };
  void expect_open(const char* what);

  Ref<CommandQueue> queue_;
  Ref<String> label_;
  std::atomic<Integer> status_{kNotEnqueued};
  bool open_encoder_ = false;
  Commit record_;
  std::vector<EventStep> events_;
  std::unordered_set<Buffer*> bound_;
  std::vector<Handler<CommandBuffer*>> handlers_;
  std::mutex mutex_;
  std::condition_variable completed_;
  bool done_ = false;  // its handlers have run, too
};

class ComputeEncoder : public Object {
 public:
  explicit ComputeEncoder(CommandBuffer* buffer) : buffer_(buffer) {}
  ~ComputeEncoder() override;
  const char* class_name() const override { return "MTLComputeCommandEncoder"; }
  void set_pipeline_state(PipelineState* state) { state_ = Ref(state); }
  void set_buffer(Buffer* buffer, Integer offset, Integer index);
  void dispatch(Size grid, Size group);
  void end();
  template <class... A>
  void ignore(A...) {
    expect_open();
  }

 private:
  void expect_open();
  Ref<CommandBuffer> buffer_;
  Ref<PipelineState> state_;
  bool ended_ = false;
};

// Runs committed buffers in order on its own thread.
class CommandQueue : public Object {
 public:
  CommandQueue();
  ~CommandQueue() override;
  const char* class_name() const override { return "MTLCommandQueue"; }
  CommandBuffer* command_buffer() { return autoreleased<CommandBuffer>(this); }
  void submit(CommandBuffer* buffer);
  void hurry(CommandBuffer* buffer);  // somebody waits for it
  void ignore(Object*) {}
  void ignore_many(Object**, Integer) {}

  const uint64_t number;

  struct QueueWorker;  // shared with the thread, which can outlive the queue

 private:
  std::shared_ptr<QueueWorker> worker_;
  std::thread thread_;
};

class Device : public Object {
 public:
  // The one device. It lives as long as the process.
  static Device* only();
  const char* class_name() const override { return "MTLDevice"; }
  String* name();
  Object* architecture();
  bool supports_family(Integer) { return true; }
  Integer max_buffer_length() { return Integer{1} << 40; }
  Integer working_set() { return Integer{3} << 38; }

  // The caller owns what these return.
  Object* queue();
  Object* fence();
  Object* shared_event();
  Object* buffer(Integer length, Integer options);
  Object* buffer_around(void* memory, Integer length, Integer options, void* deallocator);
  Object* heap(Settings* descriptor);
  Object* residency_set(Settings* descriptor, Object** error);
  Object* library_from_file(String* path, Object** error);
  Object* library_from_source(String* source, Settings* options, Object** error);
  Object* pipeline(OpaqueObject* function, Object** error);
  Object* pipeline_from(Settings* descriptor, Integer options, void* reflection, Object** error);
};

}  // namespace host_metal
