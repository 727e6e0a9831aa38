// What host-metal lets a test see, beyond what Metal itself shows. The driver includes this where it is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace host_metal {

// A command buffer at the moment of its commit.
struct Commit {
  uint64_t queue;                    // queues are numbered from 1, in the order in which they were made
  std::vector<uint64_t> dispatches;  // the grid's width of each dispatch, in order: a test numbers its ops with it
  unsigned encoders;                 // how many encoders it had
};

// Calls `observer` inside every commit, on the thread that commits. Null takes it away.
void observe_commits(void (*observer)(const Commit&));

// Bytes of the distinct MTLBuffers that command buffers refer to which are not completed yet: now, and the most since
// the last reset.
size_t bytes_in_flight();
size_t peak_bytes_in_flight();
void reset_peak_bytes_in_flight();

// Takes an MTLBuffer out of that count, or back into it: a model's weights stay, whoever refers to them.
void count_in_flight(void* buffer, bool counts);

// From now on a committed buffer completes only when so many later ones of its queue are committed, or somebody waits:
// for it or a later one of its queue, or anywhere for an event. 0, as it begins: at once. Where MLX's own scheduler
// runs, 10 is the most: it waits, beside the runtime, when more than that are not completed (MAX_ACTIVE_TASKS).
void complete_after(size_t commits);

// Waits until all that is due has completed, so that what is in flight does not depend on the queues' threads. Nothing
// to wait for where nothing is held back, or where a queue waits for an event.
void settle();

}  // namespace host_metal
