#include "report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace pcgs::report {

namespace {

// Ours are vivid, the classical ones calmer.
constexpr std::pair<std::string_view, const char*> kMethodColors[] = {
    {"guard", "#e8590c"},        {"pcgs-tf", "#1c7ed6"},         {"pcgs-tf:oracle", "#74a9dc"},
    {"fixed-share*", "#2f9e44"}, {"fixed-share", "#82b366"},     {"hedge*", "#8d7b6c"},
    {"hedge", "#a89f94"},        {"variable-share", "#b565c7"},  {"genshare", "#d4a017"},
    {"learn-alpha", "#0ca6a6"},  {"past-posteriors", "#7a6ae0"}, {"adahedge", "#b5846a"},
    {"squint", "#d0587e"},       {"ml-poly", "#7d8f2b"},         {"boa", "#4f8fa3"},
    {"bayes", "#868e96"},
};
constexpr const char* kOtherMethods[] = {"#c2255c", "#5f7fbf", "#9c8b3e", "#4b9e87", "#a66fb0"};

constexpr std::array<const char*, kColoredExperts> kExperts = {"#4c78a8", "#f58518", "#54a24b",
                                                               "#e45756", "#72b7b2", "#b279a2",
                                                               "#d4a72c", "#9d755d", "#7f95d1"};
constexpr const char* kRest = "#a0a6ad";

}  // namespace

ordered_json drawn(const std::vector<double>& values) {
  double low = INFINITY, high = -INFINITY;
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  // Of a curve far from zero the digits that matter are the last ones.
  const double offset = std::max(std::abs(low), std::abs(high)) / (high - low);
  const int digits =
      5 + (offset > 1 && offset < 1e10 ? static_cast<int>(std::ceil(std::log10(offset))) : 0);
  ordered_json out = ordered_json::array();
  for (const double x : values) {
    if (!std::isfinite(x)) {
      out.push_back(nullptr);
    } else if (x == std::floor(x) && std::abs(x) < 1e15) {
      out.push_back(static_cast<std::int64_t>(x));
    } else {
      out.push_back(std::strtod(fmt::format("{:.{}g}", x, digits).c_str(), nullptr));
    }
  }
  return out;
}

ordered_json quantitative(const char* field, const char* title) {
  return {{"field", field}, {"type", "quantitative"}, {"title", title}};
}

ordered_json nominal(const char* field, const char* title, const std::vector<std::string>& order) {
  return {{"field", field}, {"type", "nominal"}, {"title", title}, {"sort", order}};
}

ordered_json method_colors(const std::vector<std::string>& methods) {
  ordered_json range = ordered_json::array();
  std::size_t others = 0;
  for (const auto& method : methods) {
    const auto known = std::find_if(std::begin(kMethodColors), std::end(kMethodColors),
                                    [&](const auto& one) { return one.first == method; });
    range.push_back(known != std::end(kMethodColors)
                        ? known->second
                        : kOtherMethods[others++ % std::size(kOtherMethods)]);
  }
  return {{"field", "method"},
          {"type", "nominal"},
          {"title", nullptr},
          {"sort", nullptr},
          {"scale", {{"domain", methods}, {"range", range}}}};
}

ordered_json expert_colors(const std::vector<std::string>& shown, const std::string& rest) {
  ordered_json domain = ordered_json::array(), range = ordered_json::array();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    domain.push_back(shown[i]);
    range.push_back(kExperts[i % kExperts.size()]);
  }
  if (!rest.empty()) {
    domain.push_back(rest);
    range.push_back(kRest);
  }
  return {{"field", "expert"},
          {"type", "nominal"},
          {"title", nullptr},
          {"sort", nullptr},
          {"scale", {{"domain", domain}, {"range", range}}}};
}

ordered_json time_axis() {
  return {{"field", "round"},
          {"type", "quantitative"},
          {"title", "round"},
          {"scale",
           {{"domainMin", {{"expr", "from"}}},
            {"domainMax", {{"expr", "to"}}},
            {"nice", false},
            {"zero", false}}},
          {"axis", {{"format", ",d"}, {"tickMinStep", 1}, {"grid", false}}}};
}

ordered_json window_params(double first, double last) {
  return {{{"name", "from"}, {"value", first}}, {{"name", "to"}, {"value", last}}};
}

ordered_json themed(const char* name) { return {{"expr", name}}; }

ordered_json curve(const Points& points, const char* field, ordered_json same) {
  ordered_json group = {{"round", drawn(points.x)}, {field, drawn(points.y)}};
  group.update(same);
  return group;
}

}  // namespace pcgs::report
