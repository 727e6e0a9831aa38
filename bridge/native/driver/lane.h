// A thread of a scenario: its stream, and what it did since its last commit.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "mlx.h"
#include "runtime.h"
#include "scenario.h"
#include "step.h"

namespace driver {

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
      array made = step.truth("broadcast") ? new_broadcast(elements, dtype) : new_array(elements, dtype);
      if (step.truth("weight")) scenario.stays(made);
      scenario.keep(step.text("name"), std::move(made));
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
    } else if (kind == "lag") {
      const int64_t commits = step.number("commits", 0);
      if (commits < 0) throw std::invalid_argument("a lag of less than 0");
      scenario.lag(commits);
    } else if (kind == "peak") {
      if (auto bytes = take_peak()) {
        say("{\"peak\":{\"phase\":" + quoted(phase_) + ",\"bytes\":" + std::to_string(*bytes) + "}}");
      }
    } else if (kind == "event") {
      const bool by_host = step.truth("host");
      signal_and_wait(stream_, by_host);
      if (by_host) report_commit("flush");
    } else if (kind == "flush" || kind == "synchronize") {
      if (kind == "flush") {
        commit(stream_);
      } else {
        synchronize_stream(stream_);
      }
      report_commit("flush");
      settle();
    } else {
      throw std::invalid_argument("a step '" + kind + "'");
    }
  }

 private:
  void ops(Step& step, Scenario& scenario) {
    std::vector<std::string> uses;
    const Json* use = step.find("use");
    if (use) {
      for (const Json& name : use->list()) uses.push_back(name.text());
    }
    const int64_t out = step.number("out", 0);
    const int64_t fresh = step.number("elements", use || out > 0 ? 0 : 1);
    const Dtype dtype = dtype_named(step.text("dtype", "int8"));
    const int64_t dispatches = step.number("dispatches", 1);
    const int64_t times = step.number("times", 1);
    const std::string keep = step.text("keep", "");
    if (!keep.empty() && out == 0) throw std::invalid_argument("a \"keep\" without an output");
    for (int64_t i = 0; i < times; ++i) {
      auto pool = new_scoped_memory_pool();
      Op op{{}, {}, dispatches, number_++};
      for (const std::string& name : uses) op.inputs.push_back(scenario.named(name));
      if (fresh > 0) op.inputs.push_back(new_array(fresh, dtype));
      if (out > 0) op.outputs.push_back(new_array(out, dtype));
      if (!keep.empty()) scenario.keep(keep, op.outputs.front());
      if (scenario.through_eval) {
        evaluate(std::move(op));
      } else {
        encode(std::move(op));
      }
      settle();
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

}  // namespace driver
