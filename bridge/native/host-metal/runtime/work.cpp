#include "work.h"

#include <algorithm>
#include <set>

namespace host_metal {

static std::atomic<size_t> held_back{0};    // complete_after's number
static std::atomic<int> event_waits{0};

// All that live. Locked before a Work's own mutex, never after.
static std::mutex all_mutex;
static auto* all = new std::set<CommandQueue::Work*>;

std::shared_ptr<CommandQueue::Work> CommandQueue::Work::make() {
  auto work = std::make_shared<Work>();
  std::lock_guard lock(all_mutex);
  all->insert(work.get());
  return work;
}

CommandQueue::Work::~Work() {
  std::lock_guard lock(all_mutex);
  all->erase(this);
}

bool CommandQueue::Work::is_due() const {
  return !buffers.empty() && (stop || hurried > 0 || event_waits > 0 || buffers.size() > held_back);
}

void CommandQueue::Work::run() {
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

void CommandQueue::Work::hurry(CommandBuffer* buffer) {
  auto place = std::find_if(buffers.begin(), buffers.end(), [&](auto& held) { return held.get() == buffer; });
  if (place == buffers.end()) return;  // completed, or on its way
  hurried = std::max(hurried, static_cast<size_t>(place - buffers.begin()) + 1);
  changed.notify_all();
}

static void ask_again() {
  std::lock_guard lock(all_mutex);
  for (auto* work : *all) {
    std::lock_guard inner(work->mutex);
    work->changed.notify_all();
  }
}

HoldingNothing::HoldingNothing() {
  ++event_waits;
  ask_again();
}

HoldingNothing::~HoldingNothing() { --event_waits; }

void complete_after(size_t commits) {
  held_back = commits;
  ask_again();
}

void settle() {
  if (held_back == 0) return;
  std::vector<std::shared_ptr<CommandQueue::Work>> works;
  {
    std::lock_guard lock(all_mutex);
    for (auto* work : *all) {
      if (auto alive = work->weak_from_this().lock()) works.push_back(std::move(alive));
    }
  }
  for (auto& work : works) {
    std::unique_lock lock(work->mutex);
    work->changed.wait(lock, [&] { return (!work->running && !work->is_due()) || event_waits > 0; });
  }
}

}  // namespace host_metal
