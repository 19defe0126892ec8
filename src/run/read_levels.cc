#include "run/read_levels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>

#include "data/csv.h"
#include "data/input_bytes.h"
#include "data/number_table.h"
#include "data/times.h"
#include "pcgs/error.h"
#include "run/numbering.h"

namespace pcgs::compare {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// ---- Which columns are quantiles ----------------------------------------------------------------

struct LevelColumn {
  double level = 0;
  std::string name;
};

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
    throw Error(fmt::format(
        "{}: column {} is taken for the quantile of level {}; levels are between 0 and 1, as in "
        "{}0.5{}",
        origin, name, middle, before, behind));
  }
  return LevelColumn{level, name};
}

std::vector<LevelColumn> level_columns(std::span<const std::string> header,
                                       const std::string& pattern, const std::string& origin) {
  const auto star = pattern.find('*');
  if (star == std::string::npos || pattern.find('*', star + 1) != std::string::npos) {
    throw Error(fmt::format(
        "--quantiles is '{}'; give the names of their columns with one * for the level, such as "
        "'q*' for q0.1, q0.5, q0.9",
        pattern));
  }
  const std::string_view view = pattern;
  std::vector<LevelColumn> found;
  for (const auto& name : header) {
    auto one = level_in(name, view.substr(0, star), view.substr(star + 1), origin);
    if (one) found.push_back(std::move(*one));
  }
  if (found.empty()) {
    throw Error(fmt::format("{}: no column is called as '{}' with a level for *; it has {}", origin,
                            pattern, fmt::join(header, ", ")));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.level < b.level; });
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (found[i].level == found[i - 1].level) {
      throw Error(fmt::format("{}: columns {} and {} are the same level; leave one out", origin,
                              found[i - 1].name, found[i].name));
    }
  }
  return found;
}

// ---- Outcomes in a file of their own ------------------------------------------------------------

std::string key_of(std::span<const io::TextColumn* const> columns, std::size_t row) {
  std::string key;
  for (const auto* column : columns) key.append((*column)[row]) += '\0';
  return key;
}

struct Outcomes {
  std::vector<std::string> columns;                // that both files have
  std::unordered_map<std::string, double> by_key;  // of their texts
};

Outcomes read_outcomes(const LevelColumns& columns, std::span<const std::string> header,
                       const std::string& origin) {
  const io::InputBytes bytes(columns.outcome_file);
  const io::CsvReader csv(bytes.text(), bytes.name());
  Outcomes out;
  for (const auto& name : csv.header()) {
    if (name != columns.outcome && !name.empty() && contains(header, name)) {
      out.columns.push_back(name);
    }
  }
  if (out.columns.empty()) {
    throw Error(fmt::format(
        "{}: has no column that {} has as well, by which outcomes could be found; it has {}",
        bytes.name(), origin, fmt::join(csv.header(), ", ")));
  }
  io::TableRequest request;
  request.keep = {columns.outcome};
  request.text = out.columns;
  request.format = columns.format;
  request.may_be_missing = [](std::string_view) { return true; };
  const io::NumberTable table = io::parse_table(bytes.text(), bytes.name(), request);
  std::vector<const io::TextColumn*> keys;
  for (const auto& text : table.texts) keys.push_back(&text);
  for (std::size_t i = 0; i < table.values.rows; ++i) {
    const double y = table.values.row(i)[0];
    const auto [at, is_new] = out.by_key.emplace(key_of(keys, i), y);
    if (is_new || at->second == y || std::isnan(y)) continue;
    if (!std::isnan(at->second)) {
      throw Error(fmt::format(
          "{}: row {}: the outcome is {} here and {} in another row with the same {}; give one",
          bytes.name(), i + 1, y, at->second, fmt::join(out.columns, ", ")));
    }
    at->second = y;
  }
  return out;
}

// ---- From rows to rounds ------------------------------------------------------------------------

// The columns of the file that are kept as text, each once, and where they are.
class TextRoles {
 public:
  std::size_t add(const std::string& name) {
    const auto at = std::find(names_.begin(), names_.end(), name);
    if (at != names_.end()) return static_cast<std::size_t>(at - names_.begin());
    names_.push_back(name);
    return names_.size() - 1;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

struct Rows {
  std::vector<std::size_t> series, expert;  // [rows]
  io::TimeColumn times, known;              // `known` without rows if there is no such column
  std::vector<double> outcomes;             // [rows]
};

// In the order of time, then of series, then of rows.
std::vector<std::size_t> in_order(const Rows& rows) {
  std::vector<std::size_t> order(rows.series.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(rows.times.at[a], rows.series[a]) <
           std::pair(rows.times.at[b], rows.series[b]);
  });
  return order;
}

void add_rounds(LevelProblem& problem, const Rows& rows, const std::vector<std::string>& names) {
  constexpr std::size_t kUnseen = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> number(names.size(), kUnseen);  // of experts, by their first rounds
  const auto refuse = [&](std::size_t i, std::string_view why) {
    throw Error(fmt::format("{}: row {}: {}", problem.origin, i + 1, why));
  };
  for (const std::size_t i : in_order(rows)) {
    const double time = rows.times.at[i];
    const double known = rows.known.at.empty() ? time : rows.known.at[i];
    if (problem.rounds.empty() || problem.rounds.back().series != rows.series[i] ||
        problem.rounds.back().time != time) {
      problem.rounds.push_back({rows.series[i],
                                time,
                                known,
                                std::string(rows.times.text[i]),
                                rows.known.at.empty() ? "" : std::string(rows.known.text[i]),
                                kNaN,
                                {}});
    }
    LevelProblem::Round& round = problem.rounds.back();
    if (known != round.known) {
      refuse(i, fmt::format("{} is {} here and {} in another row of {}; name the columns that tell "
                            "series apart with --by",
                            problem.known, rows.known.text[i], round.known_text, round.time_text));
    }
    std::size_t& expert = number[rows.expert[i]];
    if (expert == kUnseen) {
      expert = problem.experts.size();
      problem.experts.push_back(names[rows.expert[i]]);
    }
    const bool twice = std::any_of(round.forecasts.begin(), round.forecasts.end(),
                                   [&](const auto& other) { return other.expert == expert; });
    if (twice) {
      refuse(i, fmt::format("{} forecasts {} a second time; give one row for each expert and time, "
                            "or name the columns that tell series apart with --by",
                            problem.experts[expert], round.time_text));
    }
    round.forecasts.push_back({expert, i});
    const double y = rows.outcomes[i];
    if (!std::isnan(round.outcome) && !std::isnan(y) && y != round.outcome) {
      refuse(i, fmt::format("the outcome of {} is {} here and {} in another row; give one outcome",
                            round.time_text, y, round.outcome));
    }
    if (!std::isnan(y)) round.outcome = y;
  }
}

void check_roles(const LevelColumns& columns, std::span<const std::string> header,
                 const std::string& origin) {
  if (columns.expert.empty()) {
    throw Error(
        "--quantiles takes a row for each expert and time; name the column that holds the name of "
        "the expert with --expert-column");
  }
  if (columns.time.empty()) {
    throw Error("--quantiles takes a row for each expert and time; name the time with --time");
  }
  std::vector<std::pair<std::string, const char*>> named = {{columns.time, "--time"},
                                                            {columns.expert, "--expert-column"}};
  if (!columns.known.empty()) named.emplace_back(columns.known, "--known");
  for (const auto& name : columns.by) named.emplace_back(name, "--by");
  if (columns.outcome_file.empty()) named.emplace_back(columns.outcome, "--y");
  for (const auto& [name, option] : named) {
    if (!contains(header, name)) {
      throw Error(fmt::format("{}: has no column {}, which {} names; it has {}", origin, name,
                              option, fmt::join(header, ", ")));
    }
  }
}

// What is read of the file, and where it is among the texts.
struct Wanted {
  io::TableRequest request;
  std::size_t time = 0, expert = 0;
  std::optional<std::size_t> known;
  std::vector<std::size_t> by, joined;
};

Wanted wanted_columns(const LevelColumns& columns, const LevelProblem& problem,
                      const Outcomes& outcomes) {
  Wanted out;
  TextRoles roles;
  out.time = roles.add(columns.time);
  out.expert = roles.add(columns.expert);
  if (!columns.known.empty()) out.known = roles.add(columns.known);
  for (const auto& name : columns.by) out.by.push_back(roles.add(name));
  for (const auto& name : outcomes.columns) out.joined.push_back(roles.add(name));
  out.request.keep = problem.columns;
  if (columns.outcome_file.empty()) out.request.keep.push_back(columns.outcome);
  out.request.text = roles.names();
  out.request.format = columns.format;
  out.request.note = columns.note;
  out.request.may_be_missing = [](std::string_view) { return true; };
  return out;
}

// Which series, expert and outcome each row has; new series are added to the problem.
Rows rows_of(const io::NumberTable& table, const Wanted& wanted, const Outcomes& outcomes,
             Numbering& experts, LevelProblem& problem) {
  const auto texts_of = [&](const std::vector<std::size_t>& which) {
    std::vector<const io::TextColumn*> out;
    for (const std::size_t i : which) out.push_back(&table.texts[i]);
    return out;
  };
  const auto by = texts_of(wanted.by), joined = texts_of(wanted.joined);
  const io::TextColumn& expert = table.texts[wanted.expert];
  Rows rows;
  Numbering series;
  for (std::size_t i = 0; i < table.values.rows; ++i) {
    rows.series.push_back(series.of(key_of(by, i)));
    if (series.size() > problem.series.size()) {
      auto& key = problem.series.emplace_back();
      for (const auto* text : by) key.emplace_back((*text)[i]);
    }
    if (expert[i].empty()) {
      throw Error(fmt::format("{}: row {}, column {}: is empty; give the name of the expert",
                              problem.origin, i + 1, expert.name));
    }
    rows.expert.push_back(experts.of(expert[i]));
    if (joined.empty()) {
      rows.outcomes.push_back(table.values.row(i)[problem.levels.size()]);
    } else {
      const auto at = outcomes.by_key.find(key_of(joined, i));
      rows.outcomes.push_back(at == outcomes.by_key.end() ? kNaN : at->second);
    }
  }
  rows.times = io::read_times(table.texts[wanted.time], problem.origin);
  if (wanted.known) rows.known = io::read_times(table.texts[*wanted.known], problem.origin);
  return rows;
}

void check_rows(const Rows& rows, const LevelColumns& columns, const Outcomes& outcomes,
                const std::string& origin) {
  if (!columns.known.empty() && rows.known.calendar != rows.times.calendar) {
    throw Error(fmt::format("{}: {} and {} must both be dates, or both numbers", origin,
                            columns.time, columns.known));
  }
  if (!std::ranges::all_of(rows.outcomes, [](double y) { return std::isnan(y); })) return;
  throw Error(
      columns.outcome_file.empty()
          ? fmt::format("{}: column {} is empty, so nothing can be learned; give outcomes", origin,
                        columns.outcome)
          : fmt::format(
                "{}: no row of {} has its outcome there; both are matched by the texts of {}",
                columns.outcome_file, origin, fmt::join(outcomes.columns, ", ")));
}

}  // namespace

LevelProblem read_levels(const std::string& path, const LevelColumns& columns) {
  const io::InputBytes bytes(path);
  const io::CsvReader csv(bytes.text(), bytes.name());
  LevelProblem problem;
  problem.origin = bytes.name();
  check_roles(columns, csv.header(), problem.origin);
  problem.time = columns.time;
  problem.known = columns.known;
  problem.outcome = columns.outcome;
  problem.by = columns.by;
  for (auto& [level, name] : level_columns(csv.header(), columns.pattern, problem.origin)) {
    problem.levels.push_back(level);
    problem.columns.push_back(name);
  }
  Outcomes outcomes;
  if (!columns.outcome_file.empty()) {
    outcomes = read_outcomes(columns, csv.header(), problem.origin);
  }
  const Wanted wanted = wanted_columns(columns, problem, outcomes);
  const io::NumberTable table = io::parse_table(bytes.text(), bytes.name(), wanted.request);
  Numbering experts;
  const Rows rows = rows_of(table, wanted, outcomes, experts, problem);
  check_rows(rows, columns, outcomes, problem.origin);
  problem.calendar = rows.times.calendar;
  problem.quantiles = Matrix(table.values.rows, problem.levels.size());
  for (std::size_t i = 0; i < table.values.rows; ++i) {
    std::ranges::copy(table.values.row(i).first(problem.levels.size()),
                      problem.quantiles.row(i).begin());
  }
  add_rounds(problem, rows, experts.take());
  return problem;
}

void check_log1p(const LevelProblem& problem) {
  const auto check = [&](std::size_t row, const std::string& column, double x) {
    if (!(x <= -1)) return;
    throw Error(
        fmt::format("{}: row {}, column {}: is {}; --transform log1p takes numbers above -1",
                    problem.origin, row + 1, column, x));
  };
  for (std::size_t i = 0; i < problem.quantiles.rows; ++i) {
    for (std::size_t p = 0; p < problem.columns.size(); ++p) {
      check(i, problem.columns[p], problem.quantiles.row(i)[p]);
    }
  }
  for (const auto& round : problem.rounds) {
    check(round.forecasts.front().row, problem.outcome, round.outcome);
  }
}

}  // namespace pcgs::compare
