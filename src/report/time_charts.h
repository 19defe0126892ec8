// Charts over the rounds of a run, all of which follow the window that the reader has chosen.
#pragma once

#include <string>
#include <vector>

#include "report/blocks.h"
#include "report/charts.h"
#include "report/depth.h"

namespace pcgs::report {

// Ids: of the window of the i-th run on a page, and of what belongs to one of its methods.
std::string window_of(std::size_t run);
std::string option_id(const char* what, std::size_t run, std::size_t method);

// "the best path of experts with at most 12 switches"
std::string path_name(const RunDepth& run);
// "WHAT of METHOD over time, between ... and ...."
std::string range_sentence(const char* what, const std::string& method, const Points& points);

ordered_json line(double width = 1.6);  // a mark
// An axis for these values, logarithmic where they span orders of magnitude.
ordered_json spanning(const char* field, const char* axis, const std::vector<double>& values);

// A line over time with the oracle's switches marked; `y` is its encoding.
Chart control_chart(const RunDepth& run, std::size_t index, const std::string& id,
                    const Points& points, const ordered_json& y);
// The chart, or where the curve never moves a sentence that says so.
Block unless_constant(Chart chart, const Points& points);
bool is_constant(const Points& points);

Chart rho_chart(const RunDepth& run, const MethodDepth& method, std::size_t index,
                const std::string& id);

}  // namespace pcgs::report
