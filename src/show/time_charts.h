// Charts over the rounds of a run, and the window of time that they follow.
#pragma once

#include <string>
#include <vector>

#include "show/blocks.h"
#include "show/curves.h"
#include "show/depth.h"

namespace pcgs::report {

// The names of the window of the i-th run on a page, and of what belongs to one of its methods.
std::string window_of(std::size_t run);
std::string option_id(const char* what, std::size_t run, std::size_t method);

// "the best path of experts with at most 12 switches"
std::string path_name(const RunDepth& run);

// A chart of these rounds that follows the window.
Chart over_time(const char* uses, std::string id, std::string window, const AxisRange& range);
// Where the reader chooses a part of them, over these curves.
Window time_window(std::string id, const AxisRange& range, const char* of_what, ordered_json groups,
                   const std::vector<std::string>& series, const char* palette);

// One of the controls of a method of the share form.
struct Control {
  Points MethodDepth::*points;
  const char* id;
  const char* title;  // with a {} for the method
  const char* axis;
  std::string note;
  bool spans = true;  // logarithmic where it spans orders of magnitude
};
Control eta_control();
Control rho_control();
// It over time, with the oracle's switches marked; a sentence where it never moves.
Block control_block(const RunDepth& run, const MethodDepth& method, std::size_t index,
                    const std::string& id, const Control& control);

// Whether an axis for these values is "linear" or "log".
const char* axis_for(const std::vector<double>& values);
bool is_constant(const Points& points);

}  // namespace pcgs::report
