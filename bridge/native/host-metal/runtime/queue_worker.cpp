#include "queue_worker.h"

#include <algorithm>
#include <set>

namespace host_metal {

static std::atomic<size_t> held_back{0};  // complete_after's number
static std::atomic<int> event_waits{0};

// All workers that exist. Locked before a worker's own mutex, never after.
static std::mutex all_mutex;
static auto* all = new std::set<CommandQueue::QueueWorker*>;

std::shared_ptr<CommandQueue::QueueWorker> CommandQueue::QueueWorker::make() {
  auto worker = std::make_shared<QueueWorker>();
  std::lock_guard lock(all_mutex);
  all->insert(worker.get());
  return worker;
}

CommandQueue::QueueWorker::~QueueWorker() {
  std::lock_guard lock(all_mutex);
  all->erase(this);
}

bool CommandQueue::QueueWorker::is_due() const {
  return !buffers.empty() && (stop || hurried > 0 || event_waits > 0 || buffers.size() > held_back);
}

void CommandQueue::QueueWorker::run() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return is_due() || (stop && buffers.empty()); });
    if (buffers.empty()) return;
    Ref<CommandBuffer> next = std::move(buffers.front());
    buffers.pop_front();
    if (hurried > 0) --hurried;
    running = true;
    lock.unlock();
    {
      auto* pool = new AutoreleasePool;
      next->execute();
      next = Ref<CommandBuffer>();
      pool->drain();
    }
    lock.lock();
    running = false;
    changed.notify_all();  // for settle
  }
}

void CommandQueue::QueueWorker::hurry(CommandBuffer* buffer) {
  auto place = std::find_if(buffers.begin(), buffers.end(), [&](auto& held) { return held.get() == buffer; });
  if (place == buffers.end()) return;  // it has completed or is running
  hurried = std::max(hurried, static_cast<size_t>(place - buffers.begin()) + 1);
  changed.notify_all();
}

static void ask_again() {
  std::lock_guard lock(all_mutex);
  for (auto* worker : *all) {
    std::lock_guard inner(worker->mutex);
    worker->changed.notify_all();
  }
}

ReleaseHeld::ReleaseHeld() {
  ++event_waits;
  ask_again();
}

ReleaseHeld::~ReleaseHeld() { --event_waits; }

void complete_after(size_t commits) {
  held_back = commits;
  ask_again();
}

void settle() {
  if (held_back == 0) return;
  std::vector<std::shared_ptr<CommandQueue::QueueWorker>> workers;
  {
    std::lock_guard lock(all_mutex);
    for (auto* worker : *all) {
      if (auto alive = worker->weak_from_this().lock()) workers.push_back(std::move(alive));
    }
  }
  for (auto& worker : workers) {
    std::unique_lock lock(worker->mutex);
    worker->changed.wait(lock, [&] { return (!worker->running && !worker->is_due()) || event_waits > 0; });
  }
}

}  // namespace host_metal
