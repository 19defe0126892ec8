// How far long work has come: told by those who do it, shown as a bar on stderr.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pcgs::io {

// Told how many more steps are done; from one thread at a time. May throw, which ends the work.
using Advance = std::function<void(std::size_t steps)>;
// Called when a piece of work begins, with its name and its number of steps.
using Monitor = std::function<Advance(const std::string& label, std::size_t steps)>;

// "training [###.......]  30 %  12 s left  a note", cut to so many columns. No time where nobody can
// tell yet.
std::string bar_line(std::string_view label, double share, std::optional<double> seconds_left,
                     std::string_view note, std::size_t columns);

// A bar: only on a terminal, and of itself only for work that takes a while.
class ProgressBar {
 public:
  ProgressBar(std::string label, std::size_t steps, bool quiet);
  ~ProgressBar();  // wipes the bar
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void advance(std::size_t steps = 1);
  // So much was done before this began: part of the bar, and none of the time that it took.
  void skip(std::size_t steps);
  // What stands behind the bar from now on.
  void note(std::string text) { note_ = std::move(text); }
  // Draws the bar at once, for work whose steps take long.
  void show();
  // Before something else is printed. The bar comes back when there is more to show.
  void wipe();
  bool possible() const { return possible_; }

 private:
  void draw();
  std::string label_, note_;
  std::size_t total_;
  std::size_t done_ = 0, skipped_ = 0;
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
