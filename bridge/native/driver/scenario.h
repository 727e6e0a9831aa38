// What a scenario has set up: its arrays, and what has to be put back when it ends.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <optional>
#include <utility>

#include "json.h"
#include "mlx.h"
#include "runtime.h"

namespace driver {

inline std::mutex output;

// Where answers go. What the tree itself prints, such as an overlay that logs, is kept out of them: on standard error.
inline FILE* answers = stdout;

inline void keep_answers_apart() {
  int own = dup(STDOUT_FILENO);
  if (own < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return;
  if (FILE* file = fdopen(own, "w")) answers = file;
}

inline void say(const std::string& line) {
  std::lock_guard lock(output);
  fprintf(answers, "%s\n", line.c_str());
}

inline std::string quoted(const std::string& text) { return "\"" + text + "\""; }

// Thrown by a step that sets the override of a tree that has none. The rest of the scenario is skipped.
struct NotPatched {};

struct Override {
  static bool there() { return override_setter != nullptr && override_getter != nullptr; }
  static void set(int mb) {
    if (!there()) throw NotPatched();
    override_setter(mb);
    say("{\"override\":" + std::to_string(override_getter()) + "}");
  }
};

// What all threads of a scenario share.
class Scenario {
 public:
  std::string name;
  bool through_eval = false;

  array named(const std::string& name) {
    std::lock_guard lock(mutex_);
    auto known = arrays_.find(name);
    if (known == arrays_.end()) throw std::invalid_argument("no array '" + name + "'");
    return known->second;
  }

  // In the place of what had the name.
  void keep(const std::string& name, array kept) {
    std::lock_guard lock(mutex_);
    arrays_.insert_or_assign(name, std::move(kept));
  }

  // A weight is there whoever refers to it: it is not counted in flight.
  void stays(array& weight) {
    std::lock_guard lock(mutex_);
    count_in_flight(weight.buffer().ptr(), false);
    weights_.push_back(weight);
  }

  // What is in flight is then what was asked for: MLX's cache of freed buffers, which hands out larger ones, is off.
  void lag(int64_t commits) {
    std::lock_guard lock(mutex_);
    complete_after(static_cast<size_t>(commits));
    const size_t before = metal::allocator().set_cache_limit(0);
    if (!cache_limit_) cache_limit_ = before;
  }

  // Forgets all of it. No thread works on it any more.
  void end() {
    complete_after(0);
    for (array& weight : weights_) count_in_flight(weight.buffer().ptr(), true);
    if (cache_limit_) metal::allocator().set_cache_limit(*cache_limit_);
    cache_limit_.reset();
    weights_.clear();
    arrays_.clear();
    name.clear();
    through_eval = false;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, array> arrays_;
  std::vector<array> weights_;
  std::optional<size_t> cache_limit_;  // MLX's own, while it is off
};

}  // namespace driver
