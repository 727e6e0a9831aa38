// A queue's committed buffers, the thread that completes them, and the rule for when: see host_metal::complete_after.
#pragma once

#include "metal.h"

namespace host_metal {

struct CommandQueue::QueueWorker : std::enable_shared_from_this<CommandQueue::QueueWorker> {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Ref<CommandBuffer>> buffers;
  size_t hurried = 0;    // this many of them, from the front, are waited for
  bool running = false;  // a buffer was taken from the queue and has not completed
  bool stop = false;

  static std::shared_ptr<QueueWorker> make();  // registers it for complete_after and settle
  ~QueueWorker();

  void run();
  bool is_due() const;
  void hurry(CommandBuffer* buffer);
};

// While one exists, no queue holds a command buffer back. A thread that waits for an event has one.
class ReleaseHeld {
 public:
  ReleaseHeld();
  ~ReleaseHeld();
};

}  // namespace host_metal
