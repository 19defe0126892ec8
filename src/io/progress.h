// How far long work has come: told by those who do it, shown as a bar on stderr.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace pcgs::io {

// Told how many more steps are done; from one thread at a time. May throw, which ends the work.
using Advance = std::function<void(std::size_t steps)>;
// Called when a piece of work begins, with its name and its number of steps.
using Monitor = std::function<Advance(const std::string& label, std::size_t steps)>;

// A bar: only on a terminal, only for work that takes a while.
class ProgressBar {
 public:
  ProgressBar(std::string label, std::size_t steps, bool quiet);
  ~ProgressBar();  // wipes the bar
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void advance(std::size_t steps = 1);

 private:
  void draw();
  std::string label_;
  std::size_t total_;
  std::size_t done_ = 0;
  std::size_t next_look_ = 0;  // the clock is read only every so many steps
  bool shown_ = false;
  bool possible_;
  std::chrono::steady_clock::time_point start_, drawn_;
};

// A bar for each piece of work; none if `quiet`.
inline Monitor progress_bars(bool quiet) {
  return [quiet](const std::string& label, std::size_t steps) -> Advance {
    return [bar = std::make_shared<ProgressBar>(label, steps, quiet)](std::size_t more) {
      bar->advance(more);
    };
  };
}

}  // namespace pcgs::io
