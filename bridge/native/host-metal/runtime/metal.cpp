#include "queue_worker.h"

#include <sys/mman.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace host_metal {

// ---- observation by tests -------------------------------------------------------------------------------------

static std::atomic<void (*)(const Commit&)> observer{nullptr};
static std::mutex flight_mutex;
static size_t flight_bytes = 0, flight_peak = 0;

void observe_commits(void (*new_observer)(const Commit&)) { observer = new_observer; }

size_t bytes_in_flight() {
  std::lock_guard lock(flight_mutex);
  return flight_bytes;
}

size_t peak_bytes_in_flight() {
  std::lock_guard lock(flight_mutex);
  return flight_peak;
}

void reset_peak_bytes_in_flight() {
  std::lock_guard lock(flight_mutex);
  flight_peak = flight_bytes;
}

void count_in_flight(void* buffer, bool counts) { static_cast<Buffer*>(buffer)->count_in_flight(counts); }

// ---- memory -----------------------------------------------------------------------------------------------

// Buffers of this size and larger are mapped without reserving memory: a weight of 160 MiB costs nothing until it is
// written.
constexpr size_t kMapFrom = 1 << 20;

Buffer::Buffer(size_t length, Heap* heap)
    : length_(length), heap_(heap), origin_(length < kMapFrom ? kAllocated : kMapped) {
  if (origin_ == kAllocated) {
    memory_ = calloc(1, length);
  } else {
    memory_ = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  if (memory_ == nullptr || memory_ == MAP_FAILED) fail("no memory for an MTLBuffer of %zu bytes", length);
}

Buffer::Buffer(void* memory, size_t length) : memory_(memory), length_(length), origin_(kBorrowed) {}

Buffer::~Buffer() {
  // Metal's own answer is a GPU fault at some later time: MLX uses command buffers with unretained references.
  if (flights_ > 0) fail("an MTLBuffer of %zu bytes was released while a command buffer uses it", length_);
  if (origin_ == kAllocated) free(memory_);
  if (origin_ == kMapped) munmap(memory_, length_);
  if (heap_) heap_->give_back(length_);
}

void Buffer::enter_flight() {
  std::lock_guard lock(flight_mutex);
  if (flights_++ == 0 && counts_) flight_bytes += length_;
  if (flight_bytes > flight_peak) flight_peak = flight_bytes;
}

void Buffer::leave_flight() {
  std::lock_guard lock(flight_mutex);
  if (--flights_ == 0 && counts_) flight_bytes -= length_;
}

void Buffer::count_in_flight(bool counts) {
  std::lock_guard lock(flight_mutex);
  if (counts_ == counts) return;
  counts_ = counts;
  if (flights_ > 0) flight_bytes += counts ? length_ : -length_;
}

Buffer* Heap::buffer(Integer length, Integer) {
  if (used_.fetch_add(room(length)) + room(length) > size_) {
    give_back(length);
    return nullptr;
  }
  return new Buffer(length, this);
}

void ResidencySet::add(Allocation* allocation) {
  std::lock_guard lock(mutex_);
  allocations_.try_emplace(allocation, allocation);
}

void ResidencySet::remove(Allocation* allocation) {
  std::lock_guard lock(mutex_);
  allocations_.erase(allocation);
}

Integer ResidencySet::allocated_size() {
  std::lock_guard lock(mutex_);
  Integer total = 0;
  for (const auto& [allocation, held] : allocations_) total += allocation->allocated_size();
  return total;
}

Integer ResidencySet::count() {
  std::lock_guard lock(mutex_);
  return allocations_.size();
}

Array* ResidencySet::all() {
  std::lock_guard lock(mutex_);
  std::vector<Ref<Object>> objects;
  for (const auto& [allocation, held] : allocations_) objects.emplace_back(allocation);
  return autoreleased<Array>(std::move(objects));
}

// ---- events -----------------------------------------------------------------------------------------------

uint64_t SharedEvent::value() {
  std::lock_guard lock(mutex_);
  return value_;
}

void SharedEvent::set_value(uint64_t value) {
  std::lock_guard lock(mutex_);
  value_ = value;
  changed_.notify_all();
}

bool SharedEvent::wait(uint64_t value, uint64_t milliseconds) {
  if (this->value() >= value) return true;
  const ReleaseHeld until_signalled;  // the command buffer that signals it may be held back, in any queue
  std::unique_lock lock(mutex_);
  auto reached = [&] { return value_ >= value; };
  if (milliseconds < UINT32_MAX) return changed_.wait_for(lock, std::chrono::milliseconds(milliseconds), reached);
  changed_.wait(lock, reached);  // MLX says -1, and no wait of 49 days was ever meant otherwise
  return true;
}

// ---- command buffers --------------------------------------------------------------------------------------

CommandBuffer::CommandBuffer(CommandQueue* queue) : queue_(queue), record_{queue->number, {}, 0} {}

CommandBuffer::~CommandBuffer() {
  for (Buffer* buffer : bound_) buffer->leave_flight();  // one that was never committed
}

void CommandBuffer::expect_open(const char* what) {
  if (status_ != kNotEnqueued) fail("%s on a command buffer that was committed before", what);
  if (open_encoder_) fail("%s on a command buffer while an encoder is open", what);
}

ComputeEncoder* CommandBuffer::encoder(Integer) {
  expect_open("computeCommandEncoder");
  open_encoder_ = true;
  ++record_.encoders;
  return autoreleased<ComputeEncoder>(this);
}

void CommandBuffer::encode_signal(SharedEvent* event, uint64_t value) {
  expect_open("encodeSignalEvent");
  events_.push_back({Ref(event), value, false});
}

void CommandBuffer::encode_wait(SharedEvent* event, uint64_t value) {
  expect_open("encodeWaitForEvent");
  events_.push_back({Ref(event), value, true});
}

void CommandBuffer::add_completed_handler(Handler<CommandBuffer*>::Block block) {
  if (status_ != kNotEnqueued) fail("addCompletedHandler on a command buffer that was committed before");
  handlers_.emplace_back(block);
}

void CommandBuffer::dispatched(Size grid) { record_.dispatches.push_back(grid.width); }

void CommandBuffer::bind(Buffer* buffer) {
  if (bound_.insert(buffer).second) buffer->enter_flight();
}

void CommandBuffer::commit() {
  expect_open("commit");
  status_ = kCommitted;
  if (auto* see = observer.load()) see(record_);
  queue_->submit(this);
}

void CommandBuffer::execute() {
  for (auto& step : events_) {
    if (step.waits) {
      step.event->wait(step.value, UINT64_MAX);
    } else {
      step.event->set_value(step.value);
    }
  }
  for (Buffer* buffer : bound_) buffer->leave_flight();
  bound_.clear();
  status_ = kCompleted;  // handlers see it
  for (auto& handler : handlers_) handler(this);
  handlers_.clear();
  std::lock_guard lock(mutex_);
  done_ = true;
  completed_.notify_all();
}

void CommandBuffer::wait_until_completed() {
  if (status_ == kNotEnqueued) fail("waitUntilCompleted on a command buffer that was not committed");
  queue_->hurry(this);
  std::unique_lock lock(mutex_);
  completed_.wait(lock, [&] { return done_; });
}

ComputeEncoder::~ComputeEncoder() {
  if (!ended_) fail("a compute encoder was released without endEncoding");
}

void ComputeEncoder::expect_open() {
  if (ended_) fail("a compute encoder was used after endEncoding");
}

void ComputeEncoder::set_buffer(Buffer* buffer, Integer offset, Integer) {
  expect_open();
  if (!buffer) return;
  if (offset > buffer->length()) fail("setBuffer: offset %lu in an MTLBuffer of %lu bytes", offset, buffer->length());
  buffer_->bind(buffer);
}

void ComputeEncoder::dispatch(Size grid, Size) {
  expect_open();
  if (!state_) fail("a dispatch without a pipeline state");
  buffer_->dispatched(grid);
}

void ComputeEncoder::end() {
  expect_open();
  ended_ = true;
  buffer_->encoder_ended();
}

// ---- queues -----------------------------------------------------------------------------------------------

static std::atomic<uint64_t> queues{0};

CommandQueue::CommandQueue() : number(++queues), worker_(QueueWorker::make()) {
  thread_ = std::thread([worker = worker_] { worker->run(); });
}

CommandQueue::~CommandQueue() {
  {
    std::lock_guard lock(worker_->mutex);
    worker_->stop = true;
    worker_->changed.notify_all();
  }
  // The last reference can go with the last command buffer, on the queue's own thread.
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void CommandQueue::submit(CommandBuffer* buffer) {
  std::lock_guard lock(worker_->mutex);
  worker_->buffers.emplace_back(buffer);
  worker_->changed.notify_all();
}

void CommandQueue::hurry(CommandBuffer* buffer) {
  std::lock_guard lock(worker_->mutex);
  worker_->hurry(buffer);
}

// ---- the device -------------------------------------------------------------------------------------------

Device* Device::only() {
  static auto* device = new Device;
  return device;
}

String* Device::name() { return autoreleased<String>("host-metal"); }

// MLX takes its default limits from the last letter. HOST_METAL_ARCHITECTURE chooses, for releases without
// MLX_METAL_GPU_ARCH too.
Object* Device::architecture() {
  const char* chosen = getenv("HOST_METAL_ARCHITECTURE");
  auto* architecture = new OpaqueObject("MTLArchitecture", chosen ? chosen : "applegpu_g13s");
  architecture->autorelease();
  return architecture;
}

Object* Device::queue() { return new CommandQueue; }

Object* Device::fence() { return new OpaqueObject("MTLFence", ""); }

Object* Device::shared_event() { return new SharedEvent; }

Object* Device::buffer(Integer length, Integer) { return new Buffer(length, nullptr); }

Object* Device::buffer_around(void* memory, Integer length, Integer, void*) { return new Buffer(memory, length); }

Object* Device::heap(Settings* descriptor) { return new Heap(descriptor->size()); }

Object* Device::residency_set(Settings*, Object**) { return new ResidencySet; }

Object* Device::library_from_file(String* path, Object**) { return new Library(path->text); }

Object* Device::library_from_source(String*, Settings*, Object**) { return new Library("source"); }

Object* Device::pipeline(OpaqueObject*, Object**) { return new PipelineState; }

Object* Device::pipeline_from(Settings*, Integer, void*, Object**) { return new PipelineState; }

Object* Library::function(String* name) { return new OpaqueObject("MTLFunction", name->text); }

Object* Library::function_from(Settings*, Object**) { return new OpaqueObject("MTLFunction", "specialised"); }

extern "C" {

Object* MTLCreateSystemDefaultDevice() { return Device::only()->retain(); }

Object* MTLCopyAllDevices() { return new Array({Ref<Object>(Device::only())}); }

// MLX asks for the size of the memory and for the number of resources that a process may have. A large resource is a
// mapping, and Linux allows 65530 of them.
int sysctlbyname(const char* name, void* value, size_t* length, void*, size_t) {
  const uint64_t answer = strcmp(name, "hw.memsize") == 0 ? uint64_t{1} << 40 : 20000;
  if (*length != sizeof answer) return -1;
  memcpy(value, &answer, sizeof answer);
  return 0;
}

}  // extern "C"

}  // namespace host_metal
