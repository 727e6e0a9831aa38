// What only host-metal can tell and be told. On Metal nothing is seen, and nothing is held back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#if __has_include("host_metal.h")
#include "host_metal.h"
#define DRIVER_BACKEND "host-metal"
#else
#define DRIVER_BACKEND "metal"
#endif

namespace driver {

struct Range {
  uint64_t first = 0, last = 0;
  std::string text() const { return "[" + std::to_string(first) + "," + std::to_string(last) + "]"; }
};

// The runtime's view of the commits of this thread, oldest first.
inline thread_local std::vector<Range> seen;

#if __has_include("host_metal.h")

inline void watch_commits() {
  host_metal::observe_commits([](const host_metal::Commit& commit) {
    if (!commit.dispatches.empty()) seen.push_back({commit.dispatches.front(), commit.dispatches.back()});
  });
}

inline void complete_after(size_t commits) { host_metal::complete_after(commits); }
inline void settle() { host_metal::settle(); }
inline void count_in_flight(void* buffer, bool counts) { host_metal::count_in_flight(buffer, counts); }

// The most bytes in flight since the last time.
inline std::optional<uint64_t> take_peak() {
  const uint64_t peak = host_metal::peak_bytes_in_flight();
  host_metal::reset_peak_bytes_in_flight();
  return peak;
}

#else

inline void watch_commits() {}
inline void complete_after(size_t) {}
inline void settle() {}
inline void count_in_flight(void*, bool) {}
inline std::optional<uint64_t> take_peak() { return std::nullopt; }

#endif

}  // namespace driver
