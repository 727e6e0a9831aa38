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

// Bytes of the distinct MTLBuffers that command buffers refer to which are not completed yet: now, and the most since the last reset.
size_t bytes_in_flight();
size_t peak_bytes_in_flight();
void reset_peak_bytes_in_flight();

}  // namespace host_metal
