// A queue's committed buffers, the thread that completes them, and the rule for when: see host_metal::complete_after.
#pragma once

#include "metal.h"

namespace host_metal {

struct CommandQueue::Work : std::enable_shared_from_this<CommandQueue::Work> {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Ref<CommandBuffer>> buffers;
  size_t hurried = 0;    // so many of them, from the front, somebody waits for
  bool running = false;  // one is out of the queue and not completed
  bool stop = false;

  static std::shared_ptr<Work> make();  // known to complete_after and settle
  ~Work();

  void run();
  bool is_due() const;
  void hurry(CommandBuffer* buffer);
};

// Somebody waits for an event: nothing is held back, in any queue, until that is over.
class HoldingNothing {
 public:
  HoldingNothing();
  ~HoldingNothing();
};

}  // namespace host_metal
