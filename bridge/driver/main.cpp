// Drives MLX's real encoder through scenarios and says what it saw. One JSON object a line in, one a line out.
//
// In: {"scenario": NAME, "through": "encoder" or "eval"} starts anew; then steps, each with "step" and optionally
// "on" (a thread's name; "main" if absent) and "meanwhile" (true: start it there and go on; a later step on the
// same thread, or "join", waits):
//   array        name, elements, dtype, broadcast (false)     an array to use by name
//   op           use (names), elements, dtype, out (elements of a new output), dispatches (1), times (1)
//                without `use` or `out`, each time a new input of `elements` (1) of `dtype` (int8)
//   override mb | guard mb | unguard                          set it; set it and remember; put back what was found
//   phase name                                                the name under which commits are reported from here on
//   event | flush | synchronize | join                        end the encoder; commit; commit and wait; wait for a thread
//
// Out: {"device": {"backend", "architecture", "override": whether the tree has one, "check": its function}} once; {"scenario": NAME}; {"override": what the getter says} after each step that sets it;
//   {"commit": {"phase", "on", "ops": [first, last], "why", "seen": [first, last]}}
// for each non-empty command buffer: `ops` as this program counts them, `seen` as the runtime counted the dispatches
// (host-metal only), `why`: "asked" (needs_commit said so), "eval" (MLX's eval did it), "flush", or "elsewhere" (a
// commit that nobody here asked for); {"end": NAME} last. Ops are numbered from 1 in each scenario and thread.
//
// A scenario that sets the override of a tree that has none is cut short there, and the next one taken.
//
// Exit status: 0; 2 for a line that is not understood; 1 when MLX throws. The limits are read by MLX once a process, so
// one process serves one environment.
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "json.h"
#include "mlx.h"
#if __has_include("host_metal.h")
#include "host_metal.h"
#define DRIVER_BACKEND "host-metal"
#else
#define DRIVER_BACKEND "metal"
#endif

namespace driver {

std::mutex output;

void say(const std::string& line) {
  std::lock_guard lock(output);
  puts(line.c_str());
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

struct Range {
  uint64_t first = 0, last = 0;
  std::string text() const { return "[" + std::to_string(first) + "," + std::to_string(last) + "]"; }
};

// The runtime's view of the commits of this thread, oldest first.
thread_local std::vector<Range> seen;

#if __has_include("host_metal.h")
void watch_commits() {
  host_metal::observe_commits([](const host_metal::Commit& commit) {
    if (!commit.dispatches.empty()) seen.push_back({commit.dispatches.front(), commit.dispatches.back()});
  });
}
#else
void watch_commits() {}
#endif

// The fields of a step, each of which has to be read.
class Step {
 public:
  explicit Step(const Json& json) : members_(json.members()) {}
  const Json* find(const char* key) {
    auto entry = members_.find(key);
    if (entry == members_.end()) return nullptr;
    ++read_;
    return &entry->second;
  }
  std::string text(const char* key, const char* otherwise = nullptr) {
    if (const Json* json = find(key)) return json->text();
    if (!otherwise) throw std::invalid_argument(std::string("a step without \"") + key + "\"");
    return otherwise;
  }
  int64_t number(const char* key, int64_t otherwise) {
    const Json* json = find(key);
    return json ? json->number() : otherwise;
  }
  bool truth(const char* key) {
    const Json* json = find(key);
    return json && json->truth();
  }
  void all_read() const {
    if (read_ != members_.size()) throw std::invalid_argument("a step with a field that it does not know");
  }

 private:
  const Json::Members& members_;
  size_t read_ = 0;
};

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
struct Scenario {
  std::string name;
  bool through_eval = false;
  std::map<std::string, array> arrays;
};

// A thread with a stream of its own. "main" is the program's own thread.
class Lane {
 public:
  Lane(std::string name, int index) : name_(std::move(name)), stream_(index, kGpu) {
    if (name_ != "main") thread_ = std::thread([this] { work(); });
    run([this, index] { stream_ = open_stream(index); }, false);
  }
  ~Lane() {
    if (!thread_.joinable()) return;
    join();
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

  // Runs it on this lane's thread, after what is running there. `meanwhile`: does not wait for it.
  void run(std::function<void()> task, bool meanwhile) {
    if (!thread_.joinable()) return task();
    join();
    {
      std::lock_guard lock(mutex_);
      task_ = std::move(task);
      changed_.notify_all();
    }
    if (!meanwhile) join();
  }

  void join() {
    if (!thread_.joinable()) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !task_; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  void restart() {
    synchronize_stream(stream_);
    number_ = first_ = 1;
    phase_ = "default";
    guards_.clear();
    seen.clear();
  }

  // One step, on this lane's thread.
  void take(const std::string& kind, Step& step, Scenario& scenario) {
    auto pool = new_scoped_memory_pool();
    if (kind == "array") {
      const int64_t elements = step.number("elements", 1);
      const Dtype dtype = dtype_named(step.text("dtype", "int8"));
      const bool broadcast = step.truth("broadcast");
      scenario.arrays.insert_or_assign(
          step.text("name"), broadcast ? new_broadcast(elements, dtype) : new_array(elements, dtype));
    } else if (kind == "op") {
      ops(step, scenario);
    } else if (kind == "override") {
      Override::set(static_cast<int>(step.number("mb", 0)));
    } else if (kind == "guard") {
      guards_.push_back(Override::there() ? override_getter() : 0);
      Override::set(static_cast<int>(step.number("mb", 0)));
    } else if (kind == "unguard") {
      if (guards_.empty()) throw std::invalid_argument("an unguard without a guard");
      Override::set(guards_.back());
      guards_.pop_back();
    } else if (kind == "phase") {
      phase_ = step.text("name");
    } else if (kind == "event") {
      signal_and_wait(stream_);
    } else if (kind == "flush" || kind == "synchronize") {
      if (kind == "flush") {
        commit(stream_);
      } else {
        synchronize_stream(stream_);
      }
      report_commit("flush");
    } else {
      throw std::invalid_argument("a step '" + kind + "'");
    }
  }

 private:
  void ops(Step& step, Scenario& scenario) {
    std::vector<array> named;
    const Json* use = step.find("use");
    if (use) {
      for (const Json& name : use->list()) {
        auto known = scenario.arrays.find(name.text());
        if (known == scenario.arrays.end()) throw std::invalid_argument("no array '" + name.text() + "'");
        named.push_back(known->second);
      }
    }
    const int64_t out = step.number("out", 0);
    const int64_t fresh = step.number("elements", use || out > 0 ? 0 : 1);
    const Dtype dtype = dtype_named(step.text("dtype", "int8"));
    const int64_t dispatches = step.number("dispatches", 1);
    const int64_t times = step.number("times", 1);
    for (int64_t i = 0; i < times; ++i) {
      auto pool = new_scoped_memory_pool();
      Op op{named, {}, dispatches, number_++};
      if (fresh > 0) op.inputs.push_back(new_array(fresh, dtype));
      if (out > 0) op.outputs.push_back(new_array(out, dtype));
      if (scenario.through_eval) {
        evaluate(std::move(op));
      } else {
        encode(std::move(op));
      }
    }
  }

  // As gpu::eval does it, from the outside.
  void encode(Op op) {
    keep_until_completed(op);
    op.encode(stream_);
    const bool full = needs_commit(stream_);
    report_elsewhere();
    if (!full) return;
    commit(stream_);
    report_commit("asked");
  }

  // MLX's command buffers retain nothing: whoever encodes keeps the arrays.
  void keep_until_completed(const Op& op) {
    command_buffer_of(stream_)->addCompletedHandler([op](MTL::CommandBuffer*) {});
  }

  // By gpu::eval itself. It has committed when the stream's command buffer is another one than before.
  void evaluate(Op op) {
    MTL::CommandBuffer* before = command_buffer_of(stream_);
    before->retain();
    keep_until_completed(op);
    std::vector<array> inputs = op.inputs;
    array result(Shape{1}, int8, std::make_shared<OpPrimitive>(stream_, std::move(op)), std::move(inputs));
    gpu::eval(result);
    const bool committed = command_buffer_of(stream_) != before;
    before->release();
    if (committed) report_commit("eval");
  }

  // Says that the ops since the last commit went into a command buffer. Without ops, says nothing.
  void report_commit(const char* why) {
    std::string really;
    if (!seen.empty()) {
      really = ",\"seen\":" + seen.back().text();
      seen.pop_back();
    }
    report_elsewhere();
    const Range ops{first_, number_ - 1};
    first_ = number_;
    if (ops.last < ops.first && really.empty()) return;
    say("{\"commit\":{\"phase\":" + quoted(phase_) + ",\"on\":" + quoted(name_) + ",\"ops\":" + ops.text() +
        ",\"why\":" + quoted(why) + really + "}}");
  }

  // What the runtime saw committed before anybody here asked for it.
  void report_elsewhere() {
    for (const Range& range : seen) {
      say("{\"commit\":{\"phase\":" + quoted(phase_) + ",\"on\":" + quoted(name_) + ",\"ops\":" + range.text() +
          ",\"why\":\"elsewhere\",\"seen\":" + range.text() + "}}");
      first_ = range.last + 1;
    }
    seen.clear();
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || task_; });
      if (!task_) return;
      lock.unlock();
      try {
        task_();
      } catch (...) {
        error_ = std::current_exception();
      }
      lock.lock();
      task_ = nullptr;
      changed_.notify_all();
    }
  }

  const std::string name_;
  Stream stream_;
  std::string phase_ = "default";
  uint64_t number_ = 1;  // of the next op
  uint64_t first_ = 1;   // of the first op that is not committed
  std::vector<int> guards_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;
  std::exception_ptr error_;
  bool stop_ = false;
  std::thread thread_;
};

class Driver {
 public:
  Driver() {
    std::string line = "{\"device\":{\"backend\":\"" DRIVER_BACKEND "\",\"architecture\":" + quoted(architecture());
    line += std::string(",\"override\":") + (Override::there() ? "true" : "false");
    say(line + ",\"check\":" + quoted(check_name()) + "}}");
    watch_commits();
    lane("main");
  }

  void line(const std::string& text) {
    const Json json = JsonReader(text).whole();
    Step step(json);
    if (const Json* name = step.find("scenario")) {
      end();
      begin(name->text(), step);
    } else if (!skip_) {
      try {
        take(json, step);
      } catch (const NotPatched&) {
        skip_ = true;
      }
    }
  }

  // Every thread is done, every stream empty, no override left. Before the first scenario nothing is touched: what
  // the override is before anybody has set it is seen there.
  void end() {
    if (scenario_.name.empty()) return;
    for (auto& [name, lane] : lanes_) {
      lane->run([&lane = *lane] { lane.restart(); }, false);
    }
    if (Override::there()) override_setter(0);
    say("{\"end\":" + quoted(scenario_.name) + "}");
    scenario_ = {};
  }

 private:
  void begin(const std::string& name, Step& step) {
    const std::string through = step.text("through", "encoder");
    if (through != "encoder" && through != "eval") throw std::invalid_argument("through '" + through + "'");
    step.all_read();
    scenario_ = {name, through == "eval", {}};
    skip_ = false;
    say("{\"scenario\":" + quoted(name) + "}");
  }

  void take(const Json& json, Step& step) {
    const std::string kind = step.text("step");
    Lane& on = lane(step.text("on", "main"));
    const bool meanwhile = step.truth("meanwhile");
    if (kind == "join") return on.join();
    // The lane has its own copy: this line is gone while it still works.
    auto task = [this, &on, kind, kept = std::make_shared<Json>(json)] {
      Step own(*kept);
      for (const char* read_before : {"step", "on", "meanwhile"}) own.find(read_before);
      on.take(kind, own, scenario_);
      own.all_read();
    };
    on.run(std::move(task), meanwhile);
  }

  Lane& lane(const std::string& name) {
    auto& lane = lanes_[name];
    if (!lane) lane = std::make_unique<Lane>(name, static_cast<int>(lanes_.size()) - 1);
    return *lane;
  }

  Scenario scenario_;
  bool skip_ = false;  // to the next scenario: this one sets an override that the tree does not have
  std::map<std::string, std::unique_ptr<Lane>> lanes_;
};

}  // namespace driver

int main() {
  size_t number = 0;
  try {
    driver::Driver driver;
    std::string line;
    while (std::getline(std::cin, line)) {
      ++number;
      driver.line(line);
    }
    driver.end();
    return 0;
  } catch (const std::invalid_argument& error) {
    fprintf(stderr, "line %zu: %s\n", number, error.what());
    return 2;
  } catch (const std::exception& error) {
    fprintf(stderr, "line %zu: MLX: %s\n", number, error.what());
    return 1;
  }
}
