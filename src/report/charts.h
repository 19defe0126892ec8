// What the charts of a report have in common: colours, the axis of time, and short names for parts
// of Vega-Lite specifications.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/thin.h"

namespace pcgs::report {

using nlohmann::ordered_json;

// Numbers for drawing: five digits of what differs between them, null where not finite.
ordered_json drawn(const std::vector<double>& values);

ordered_json quantitative(const char* field, const char* title);
ordered_json nominal(const char* field, const char* title, const std::vector<std::string>& order);

// The colours of methods are the same on every page; those of experts in every chart of one page.
// They can be told apart on light and dark paper.
ordered_json method_colors(const std::vector<std::string>& methods);
inline constexpr std::size_t kColoredExperts = 9;
ordered_json expert_colors(const std::vector<std::string>& shown, const std::string& rest);

// For heat maps: worse, the same, better; and the colour of text on them, in either theme.
inline const std::vector<std::string> kWorseToBetter = {"#cfae83", "#f3efe6", "#4aa596"};
inline constexpr const char* kOnHeat = "#222222";

// The round, over the window that the reader has chosen: charts with this axis need
// window_params().
ordered_json time_axis();
ordered_json window_params(double first, double last);

// A neutral colour of the reader's theme: "ink", "faint" or "paper".
ordered_json themed(const char* name);

// One group for a curve: {"round": [...], field: [...], then what is the same in all its rows}.
ordered_json curve(const Points& points, const char* field,
                   ordered_json same = ordered_json::object());

}  // namespace pcgs::report
