// Drives MLX's real encoder through scenarios and reports what it observed. It reads one JSON object a line and writes
// one a line.
//
// Input. {"scenario": NAME, "through": "encoder" or "eval"} begins a scenario. The other lines are its steps. Each has
// "step", and optionally "on" (the name of a thread; "main" if absent) and "meanwhile" (true: start it there and go on;
// a later step on the same thread, or "join", waits):
//   array        name, elements, dtype, broadcast (false)     an array to use by name
//                weight (false): it stays, and is not counted in flight
//   op           use (names), elements, dtype, out (elements of a new output), dispatches (1), times (1)
//                without `use` or `out`, each time a new input of `elements` (1) of `dtype` (int8)
//                keep (a name): the new output gets the name, and the array that had it loses it
//   override mb | guard mb | unguard                          set it; set it and remember; restore the remembered value
//   phase name                                                the name under which later commits are reported
//   lag commits                                               a command buffer completes this many commits later, or
//                                                             when a thread waits; MLX's cache of buffers is off
//   peak                                                      report the most bytes in flight since the last time
//   event | flush | synchronize | join                        end the encoder; commit; commit and wait; wait for it
//   event host (false)                                        with `host`: commit, and this thread waits for it
//
// Output:
//   {"device": {"backend", "architecture", "override", "check"}}  once: whether the tree has the override, and the
//                                                                 function that decides about a commit
//   {"scenario": NAME}            first
//   {"override": NUMBER}          after each step that sets it: the value that the getter returns
//   {"peak": {"phase", "bytes"}}  after `peak`, on host-metal: bytes of distinct buffers that command buffers refer to
//                                 which have not completed. Only under a `lag` is the number the same in each run.
//   {"commit": {"phase", "on", "ops": [first, last], "why", "seen": [first, last]}}
//                                 for each command buffer that is not empty. `ops` is this program's count, `seen` the
//                                 runtime's count of dispatches (host-metal only). `why` is "asked" (needs_commit
//                                 returned true), "eval" (MLX's eval committed), "flush", or "elsewhere" (a commit that
//                                 no step asked for). Ops are numbered from 1 in each scenario and thread.
//   {"end": NAME}                 last
//
// A scenario that sets the override of a tree that has none ends there, and the next one begins.
//
// Exit status: 0; 2 for a line that is not understood; 1 when MLX throws. MLX reads its limits once a process, so one
// process serves one environment.
//
// The driver is one translation unit: MLX's headers take most of its compile time, once for each tree.
#include <cstdio>
#include <iostream>
#include <memory>

#include "json.h"
#include "lane.h"
#include "runtime.h"
#include "scenario.h"
#include "step.h"

namespace driver {

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
    scenario_.end();
  }

 private:
  void begin(const std::string& name, Step& step) {
    const std::string through = step.text("through", "encoder");
    if (through != "encoder" && through != "eval") throw std::invalid_argument("through '" + through + "'");
    step.all_read();
    scenario_.name = name;
    scenario_.through_eval = through == "eval";
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
  driver::keep_answers_apart();
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
