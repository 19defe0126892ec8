#include "run/table_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>

#include "data/times.h"
#include "pcgs/error.h"

namespace pcgs::compare {

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// ---- Roles --------------------------------------------------------------------------------------

void check_roles(const Request& request) {
  std::vector<std::pair<std::string, const char*>> taken;
  const auto take = [&](const std::string& name, const char* field) {
    if (name.empty()) return;
    for (const auto& [other, earlier] : taken) {
      if (other != name) continue;
      throw Error(ErrorKind::kRequest, {.column = name, .field = field},
                  fmt::format("is given to {} and to {}; give it to one of them", option(earlier),
                              option(field)));
    }
    taken.emplace_back(name, field);
  };
  if (!request.outcome.empty() && contains(request.side, request.outcome)) {
    throw Error(ErrorKind::kRequest, {.column = request.outcome, .field = "side"},
                fmt::format("is the outcome, which is not known when it is forecast; leave it out "
                            "of {}",
                            option("side")));
  }
  take(request.outcome, "outcome");
  take(request.time, "time");
  take(request.model_column, "model_column");
  for (const auto& name : request.series) take(name, "series");
}

namespace {

[[noreturn]] void refuse_name(const Table& table, const std::string& name, std::string_view field) {
  std::vector<std::string> names = table.names;
  for (const auto& text : table.texts) names.push_back(text.name);
  for (const auto& time : table.times) names.push_back(time.text.name);
  throw Error(ErrorKind::kUnknown,
              {.file = table.origin, .column = name, .field = std::string(field)},
              fmt::format("there is no such column, which {} names; there are {}", option(field),
                          fmt::join(names, ", ")));
}

}  // namespace

Matrix number_columns(const Table& table, const std::vector<std::string>& names,
                      std::string_view field) {
  std::vector<std::size_t> at;
  for (const auto& name : names) {
    const auto found = std::find(table.names.begin(), table.names.end(), name);
    if (found == table.names.end()) refuse_name(table, name, field);
    at.push_back(static_cast<std::size_t>(found - table.names.begin()));
  }
  Matrix out(table.values.rows, at.size());
  for (std::size_t t = 0; t < out.rows; ++t) {
    const auto from = table.values.row(t);
    const auto to = out.row(t);
    for (std::size_t i = 0; i < at.size(); ++i) to[i] = from[at[i]];
  }
  return out;
}

const TextColumn& text_column(const Table& table, const std::string& name, std::string_view field) {
  const auto found = std::ranges::find(table.texts, name, &TextColumn::name);
  if (found == table.texts.end()) refuse_name(table, name, field);
  return *found;
}

TimeColumn time_column(const Table& table, const std::string& name, std::string_view field) {
  for (const TimeColumn& times : table.times) {
    if (times.text.name == name) return times;
  }
  if (!contains(table.names, name)) {
    return io::read_times(text_column(table, name, field), table.origin);
  }
  TimeColumn times;
  times.text.name = name;
  times.at = number_columns(table, {name}, field).values;
  for (const double at : times.at) times.text.add(fmt::format("{}", at));
  return times;
}

// ---- Quantiles ----------------------------------------------------------------------------------

namespace {

// The level that a column's name has in the place of the star; nothing if it does not fit.
std::optional<LevelColumn> level_in(const std::string& name, std::string_view before,
                                    std::string_view behind, const std::string& origin) {
  const std::string_view view = name;
  if (view.size() <= before.size() + behind.size() || !view.starts_with(before) ||
      !view.ends_with(behind)) {
    return std::nullopt;
  }
  const auto middle = view.substr(before.size(), view.size() - before.size() - behind.size());
  double level = 0;
  const auto [end, problem] = std::from_chars(middle.data(), middle.data() + middle.size(), level);
  if (problem != std::errc() || end != middle.data() + middle.size()) return std::nullopt;
  if (!(level > 0 && level < 1)) {
    throw Error(
        ErrorKind::kValue, {.file = origin, .column = name},
        fmt::format("the level {} must be between 0 and 1, as in {}0.5{}", middle, before, behind));
  }
  return LevelColumn{level, name};
}

}  // namespace

std::vector<LevelColumn> level_columns(std::span<const std::string> names,
                                       const std::string& pattern, const std::string& origin) {
  const auto star = pattern.find('*');
  if (star == std::string::npos || pattern.find('*', star + 1) != std::string::npos) {
    throw Error(ErrorKind::kRequest, {.field = "quantiles"},
                fmt::format("{} is '{}'; give the names of their columns with one * for the level, "
                            "such as 'q*' for q0.1, q0.5, q0.9",
                            option("quantiles"), pattern));
  }
  const std::string_view view = pattern;
  std::vector<LevelColumn> found;
  for (const auto& name : names) {
    auto one = level_in(name, view.substr(0, star), view.substr(star + 1), origin);
    if (one) found.push_back(std::move(*one));
  }
  if (found.empty()) {
    throw Error(ErrorKind::kMissing, {.file = origin, .field = "quantiles"},
                fmt::format("no column is called as '{}' with a level for *; it has {}", pattern,
                            fmt::join(names, ", ")));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.level < b.level; });
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (found[i].level == found[i - 1].level) {
      throw Error(ErrorKind::kDuplicate, {.file = origin, .column = found[i].name},
                  fmt::format("is the same level as {}; leave one out", found[i - 1].name));
    }
  }
  return found;
}

// ---- Columns that are hardly forecasts ----------------------------------------------------------

namespace {

constexpr std::size_t kEvidence = 20;  // rounds

struct Doubt {
  const char* why = nullptr;  // null if there is none
  bool is_outcome = false;
};

Doubt doubt(const Problem& problem, std::size_t k, bool same_name) {
  std::size_t forecasts = 0, same = 0, counting = 0, right = 0, judged = 0;
  double first = 0, before = 0;
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const double f = problem.values.row(t)[k];
    if (std::isnan(f)) continue;
    if (forecasts == 0) first = f;
    if (f == first) ++same;
    if (forecasts > 0 && f == before + 1) ++counting;
    before = f;
    ++forecasts;
    if (std::isnan(problem.outcomes[t])) continue;
    ++judged;
    if (f == problem.outcomes[t]) ++right;
  }
  if (judged >= (same_name ? 1 : kEvidence) && right == judged) {
    return {"equals the outcome in every row", true};
  }
  if (forecasts < kEvidence) return {};
  if (same == forecasts) return {"holds the same number in every row"};
  if (counting + 1 == forecasts) return {"counts the rows"};
  return {};
}

}  // namespace

void check_columns(const Problem& problem, const std::string& outcome, bool named) {
  for (std::size_t k = 0; k < problem.experts.size(); ++k) {
    const std::string& name = problem.experts[k];
    const Doubt found = doubt(problem, k, name == outcome);
    if (found.why == nullptr || (named && !found.is_outcome)) continue;
    throw Error(
        ErrorKind::kValue, {.file = problem.origin, .column = name},
        named ? fmt::format("{}, which no forecast of {} does; take it out", found.why, outcome)
        : found.is_outcome
            ? fmt::format("{}, which no forecast of {} does; leave it out with {}", found.why,
                          outcome, option("ignore"))
            : fmt::format("{}, which no forecast of {} does; leave it out with {}, or name the "
                          "columns to combine with {} if it is one of them",
                          found.why, outcome, option("ignore"), option("models")));
  }
}

void note_zeros(const Problem& problem, const TellNote& tell) {
  constexpr double kFar = 10;  // usual distances
  const std::size_t experts = problem.experts.size();
  if (!tell || experts < 3) return;
  // The sum of each expert's distances from the median, and its zeros with the size of the median.
  std::vector<double> distances(experts), awake;
  std::vector<std::size_t> others(experts);
  std::vector<std::vector<double>> zeros(experts);
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const auto row = problem.values.row(t);
    awake.clear();
    std::copy_if(row.begin(), row.end(), std::back_inserter(awake),
                 [](double f) { return !std::isnan(f); });
    if (awake.size() < 3) continue;
    const auto middle = awake.begin() + static_cast<std::ptrdiff_t>(awake.size() / 2);
    std::nth_element(awake.begin(), middle, awake.end());
    for (std::size_t k = 0; k < experts; ++k) {
      if (std::isnan(row[k])) continue;
      if (row[k] == 0) {
        zeros[k].push_back(std::abs(*middle));
      } else {
        distances[k] += std::abs(row[k] - *middle);
        ++others[k];
      }
    }
  }
  for (std::size_t k = 0; k < experts; ++k) {
    const double usual = distances[k] / static_cast<double>(others[k]);
    const auto far = std::count_if(zeros[k].begin(), zeros[k].end(),
                                   [&](double size) { return size > kFar * usual; });
    if (far == 0) continue;
    tell({NoteKind::kZeros,
          fmt::format("{}: {} is 0 in {} row{} where the other columns are far from it; if that "
                      "means that there is no forecast, leave the field empty",
                      problem.origin, problem.experts[k], far, far == 1 ? "" : "s")});
  }
}

}  // namespace pcgs::compare
