#include "run/rounds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "pcgs/error.h"
#include "run/checks.h"

namespace pcgs::compare {

// ---- Groups of rows -----------------------------------------------------------------------------

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Numbers for texts, in the order of their first appearance.
class Numbering {
 public:
  // The number of a text, and whether it is new.
  std::pair<std::size_t, bool> of(std::string_view text) {
    const auto [at, is_new] = numbers_.emplace(std::string(text), numbers_.size());
    return {at->second, is_new};
  }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
};

// Which series each row belongs to, in the order of their first rows.
struct Groups {
  std::vector<std::vector<std::string>> keys;  // [S][columns]
  std::vector<std::size_t> series;             // [rows]
};

Groups groups_of(const Table& table, const std::vector<std::string>& columns) {
  std::vector<const TextColumn*> by;
  for (const auto& name : columns) by.push_back(&text_column(table, name, "series"));
  Groups out;
  Numbering found;
  std::string key;
  for (std::size_t i = 0; i < table.values.rows; ++i) {
    key.clear();
    for (const auto* column : by) key.append((*column)[i]) += '\0';
    const auto [number, is_new] = found.of(key);
    if (is_new) {
      auto& name = out.keys.emplace_back();
      for (const auto* column : by) name.emplace_back((*column)[i]);
    }
    out.series.push_back(number);
  }
  return out;
}

std::size_t file_row(const Table& table, std::size_t i) {
  return table.rows.empty() ? i + 1 : table.rows[i];
}

// Outcomes of the rows, from their column or beside it.
std::vector<double> outcomes_of(const Table& table, const Request& request) {
  if (!table.outcomes.empty()) return table.outcomes;
  if (request.outcome.empty()) return {};
  return number_columns(table, {request.outcome}, "outcome").values;
}

void check_lengths(const Table& table) {
  const std::size_t rounds = table.values.rows;
  const auto check = [&](std::size_t size, const char* what) {
    if (size == 0 || size == rounds) return;
    throw Error(ErrorKind::kMismatch, {.file = table.origin, .field = what},
                fmt::format("{} {} for {} rounds; give one for each", size, what, rounds));
  };
  check(table.outcomes.size(), "outcomes");
  check(table.rows.size(), "rows");
  check(table.known_at.size(), "known_at");
  for (const auto& times : table.times) {
    check(times.at.size(), "times");
    check(times.text.size(), "times");
  }
  for (const auto& text : table.texts) check(text.size(), "texts");
}

// ---- Long format --------------------------------------------------------------------------------

// Adds row i to the round of its time, which others forecast.
void add_to_round(const Table& table, std::size_t i, std::size_t expert, const TimeColumn* known,
                  double y, const QuantileProblem& problem, QuantileProblem::Round& round) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::kMismatch, {.file = table.origin, .row = file_row(table, i)}, why);
  };
  if (known != nullptr && known->at[i] != round.known) {
    refuse(fmt::format(
        "{} is {} here and {} in another row of {}; name the columns that tell "
        "series apart with {}",
        problem.known, known->text[i], round.known_text, round.time_text, option("series")));
  }
  if (std::ranges::find(round.forecasts, expert, &QuantileProblem::Forecast::expert) !=
      round.forecasts.end()) {
    refuse(fmt::format("{} forecasts {} a second time; give one row for each model and time{}",
                       problem.experts[expert], round.time_text,
                       problem.by.empty() ? fmt::format(", or name the columns that tell series "
                                                        "apart with {}",
                                                        option("series"))
                                          : ""));
  }
  round.forecasts.push_back({expert, i});
  if (!std::isnan(round.outcome) && !std::isnan(y) && y != round.outcome) {
    refuse(fmt::format("the outcome of {} is {} here and {} in another row; give one outcome",
                       round.time_text, y, round.outcome));
  }
  if (!std::isnan(y)) round.outcome = y;
}

enum class RoundOrder { kSeriesFirst, kTimeFirst };

// All but the numbers that are forecast.
QuantileProblem long_rounds(const Table& table, const Request& request, const std::string& time,
                            RoundOrder in) {
  QuantileProblem out;
  out.origin = table.origin;
  out.time = time;
  out.known = request.known;
  out.outcome = request.outcome;
  out.by = request.series;
  const TimeColumn times = time_column(table, time, "time");
  out.calendar = times.calendar;
  std::optional<TimeColumn> known;
  if (!request.known.empty()) {
    known = time_column(table, request.known, "known");
    if (known->calendar != times.calendar) {
      throw Error(
          ErrorKind::kMismatch, {.file = table.origin, .column = request.known},
          fmt::format("{} and {} must both be dates, or both numbers", time, request.known));
    }
  }
  const std::vector<double> outcomes = outcomes_of(table, request);
  Groups groups = groups_of(table, request.series);
  out.series = std::move(groups.keys);
  const TextColumn& names = text_column(table, request.model_column, "model_column");
  Numbering models;
  std::vector<std::size_t> model, order(table.values.rows);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (names[i].empty()) {
      throw Error(ErrorKind::kMissing,
                  {.file = table.origin, .row = file_row(table, i), .column = names.name},
                  "is empty; give the name of the model");
    }
    const auto [number, is_new] = models.of(names[i]);
    if (is_new) out.experts.emplace_back(names[i]);
    model.push_back(number);
  }
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const std::pair first(groups.series[a], times.at[a]), second(groups.series[b], times.at[b]);
    return in == RoundOrder::kSeriesFirst
               ? first < second
               : std::pair(first.second, first.first) < std::pair(second.second, second.first);
  });
  for (const std::size_t i : order) {
    const double at = times.at[i];
    if (out.rounds.empty() || out.rounds.back().series != groups.series[i] ||
        out.rounds.back().time != at) {
      out.rounds.push_back({groups.series[i],
                            at,
                            known ? known->at[i] : at,
                            std::string(times.text[i]),
                            known ? std::string(known->text[i]) : "",
                            kNaN,
                            {}});
    }
    add_to_round(table, i, model[i], known ? &*known : nullptr, outcomes[i], out,
                 out.rounds.back());
  }
  return out;
}

// ---- Points -------------------------------------------------------------------------------------

// Columns that are combined: those that are named, or all that are nothing else.
std::vector<std::string> model_columns(const Table& table, const Request& request) {
  if (!request.models.empty()) return request.models;
  std::vector<std::string> out;
  for (const auto& name : table.names) {
    const bool other = (name == request.outcome && table.outcomes.empty()) ||
                       name == request.time || contains(request.side, name) ||
                       contains(request.ignore, name) || contains(request.series, name);
    if (!other) out.push_back(name);
  }
  if (out.empty()) {
    throw Error(ErrorKind::kMissing, {.file = table.origin},
                "no column is left for the models; give one column for each");
  }
  return out;
}

// Empty where there are none.
std::string time_name(const Table& table, const Request& request) {
  if (!request.time.empty() || table.times.empty()) return request.time;
  return table.times.front().text.name;
}

void check_long(const Table& table, const Request& request,
                const std::vector<std::string>& columns) {
  const auto refuse = [&](ErrorKind kind, const char* field, const std::string& why) {
    throw Error(kind, {.file = table.origin, .field = field}, why);
  };
  if (time_name(table, request).empty() && table.times.empty()) {
    refuse(
        ErrorKind::kMissing, "time",
        fmt::format("in long format the rows of one round have one time; name its column with {}",
                    option("time")));
  }
  if (columns.size() != 1) {
    refuse(ErrorKind::kRequest, "models",
           fmt::format("in long format one column holds the forecasts, and here are {}; leave the "
                       "others out with {}, or name it with {}",
                       fmt::join(columns, ", "), option("ignore"), option("models")));
  }
  if (request.outcome.empty()) {
    refuse(
        ErrorKind::kMissing, "outcome",
        fmt::format("long format is for forecasts; name the outcome with {}", option("outcome")));
  }
  if (!request.side.empty()) {
    refuse(ErrorKind::kRequest, "side",
           fmt::format("long format takes no {}; give side information in a table of its own, with "
                       "a row for each round",
                       option("side")));
  }
}

// All series in one problem, one below the other.
struct Whole {
  Problem problem;
  std::vector<std::vector<std::string>> keys;  // [S]
  std::vector<std::size_t> series;             // [T]
};

Whole long_problem(const Table& table, const Request& request, const std::string& column) {
  QuantileProblem rows =
      long_rounds(table, request, time_name(table, request), RoundOrder::kSeriesFirst);
  const std::vector<double> forecasts = number_columns(table, {column}, "models").values;
  Whole out;
  Problem& problem = out.problem;
  problem.origin = table.origin;
  problem.values = Matrix(rows.rounds.size(), rows.experts.size());
  std::ranges::fill(problem.values.values, kNaN);
  problem.times.emplace();
  problem.times->text.name = rows.time;
  problem.times->calendar = rows.calendar;
  for (std::size_t t = 0; t < rows.rounds.size(); ++t) {
    const QuantileProblem::Round& round = rows.rounds[t];
    for (const auto& [model, i] : round.forecasts) problem.values.row(t)[model] = forecasts[i];
    problem.outcomes.push_back(round.outcome);
    problem.rows.push_back(file_row(table, round.forecasts.front().row));
    problem.times->at.push_back(round.time);
    problem.times->text.add(round.time_text);
    out.series.push_back(round.series);
  }
  problem.experts = std::move(rows.experts);
  out.keys = std::move(rows.series);
  return out;
}

Whole wide_problem(Table& table, const Request& request, std::vector<std::string> columns) {
  Whole out;
  Problem& problem = out.problem;
  problem.origin = table.origin;
  problem.outcomes = outcomes_of(table, request);
  problem.side = number_columns(table, request.side, "side");
  Groups groups = groups_of(table, request.series);
  problem.values =
      columns == table.names ? std::move(table.values) : number_columns(table, columns, "models");
  problem.experts = std::move(columns);
  if (!request.time.empty()) {
    problem.times = time_column(table, request.time, "time");
  } else if (!table.times.empty()) {
    problem.times = std::move(table.times.front());
  }
  problem.rows = std::move(table.rows);
  problem.known_at = std::move(table.known_at);
  out.keys = std::move(groups.keys);
  out.series = std::move(groups.series);
  return out;
}

Matrix rows_of(const Matrix& from, const std::vector<std::size_t>& rounds) {
  Matrix out(from.rows == 0 ? 0 : rounds.size(), from.columns);
  for (std::size_t t = 0; t < out.rows; ++t) {
    std::ranges::copy(from.row(rounds[t]), out.row(t).begin());
  }
  return out;
}

// These rounds of a problem in which no round is missing.
Problem part_of(const Problem& whole, const std::vector<std::size_t>& rounds) {
  Problem part;
  part.origin = whole.origin;
  part.experts = whole.experts;
  part.values = rows_of(whole.values, rounds);
  part.side = rows_of(whole.side, rounds);
  part.block = whole.block;
  part.delay = whole.delay;
  part.task = whole.task;
  part.scale = whole.scale;
  if (whole.times) {
    part.times.emplace();
    part.times->text.name = whole.times->text.name;
    part.times->calendar = whole.times->calendar;
  }
  for (const std::size_t t : rounds) {
    part.rows.push_back(whole.file_row(t));
    if (whole.has_forecasts()) part.outcomes.push_back(whole.outcomes[t]);
    if (!whole.known_at.empty()) part.known_at.push_back(whole.known_at[t]);
    if (!whole.times) continue;
    part.times->text.add(whole.times->text[t]);
    part.times->at.push_back(whole.times->at[t]);
  }
  return part;
}

void check_known_at(const Problem& problem) {
  const auto& known = problem.known_at;
  for (std::size_t t = 0; t < known.size(); ++t) {
    if (known[t] <= t && (t == 0 || known[t] >= known[t - 1])) continue;
    throw Error(ErrorKind::kValue,
                {.file = problem.origin, .row = problem.file_row(t), .field = "known_at"},
                fmt::format("knows {} outcomes; give no more than there were before, and no fewer "
                            "than the row before knows",
                            known[t]));
  }
}

}  // namespace

void drop_first(Problem& problem, std::size_t rounds) {
  if (rounds == 0) return;
  std::vector<std::size_t> kept(problem.rounds() - rounds);
  std::iota(kept.begin(), kept.end(), rounds);
  problem = part_of(problem, kept);
  for (std::size_t& known : problem.known_at) known -= std::min(known, rounds);
}

std::vector<Series> problems_of(Table table, const Request& request, const TellNote& tell) {
  std::vector<std::string> columns = model_columns(table, request);
  check_lengths(table);
  Matrix side = std::move(table.side);
  const bool is_long = !request.model_column.empty();
  if (is_long) check_long(table, request, columns);
  Whole whole = is_long ? long_problem(table, request, columns.front())
                        : wide_problem(table, request, std::move(columns));
  table = {};
  if (whole.problem.has_forecasts()) {
    check_columns(whole.problem, request.outcome, is_long || !request.models.empty());
    note_zeros(whole.problem, tell);
  }
  whole.problem.block = request.block;
  whole.problem.delay = request.delay;
  std::vector<Series> series;
  if (request.series.empty()) {
    series.push_back({{}, std::move(whole.problem)});
  } else {
    std::vector<std::vector<std::size_t>> rounds(whole.keys.size());
    for (std::size_t t = 0; t < whole.series.size(); ++t) rounds[whole.series[t]].push_back(t);
    for (std::size_t s = 0; s < rounds.size(); ++s) {
      series.push_back({std::move(whole.keys[s]), part_of(whole.problem, rounds[s])});
    }
  }
  Problem& first = series.front().problem;
  if (side.rows > 0) {
    if (side.rows != first.rounds() || series.size() > 1) {
      throw Error(ErrorKind::kMismatch, {.file = first.origin, .field = "side"},
                  fmt::format("{} rows of side information for {} rounds; give one for each",
                              side.rows, first.rounds()));
    }
    first.side = std::move(side);
  }
  for (const Series& one : series) check_known_at(one.problem);
  return series;
}

QuantileProblem quantile_problem_of(Table table, const Request& request) {
  const auto columns = level_columns(table.names, request.quantiles, table.origin);
  check_lengths(table);
  QuantileProblem out = long_rounds(table, request, request.time, RoundOrder::kTimeFirst);
  const auto unknown = [](const auto& round) { return std::isnan(round.outcome); };
  if (std::ranges::all_of(out.rounds, unknown)) {
    throw Error(ErrorKind::kMissing, {.file = table.origin, .column = request.outcome},
                "has no outcome, so nothing can be learned; give outcomes");
  }
  for (const auto& [level, name] : columns) {
    out.levels.push_back(level);
    out.columns.push_back(name);
  }
  out.quantiles = number_columns(table, out.columns, "quantiles");
  // Models are in the order of their first rounds.
  constexpr std::size_t kUnseen = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> number(out.experts.size(), kUnseen);
  std::vector<std::string> names;
  for (auto& round : out.rounds) {
    for (auto& forecast : round.forecasts) {
      std::size_t& expert = number[forecast.expert];
      if (expert == kUnseen) {
        expert = names.size();
        names.push_back(out.experts[forecast.expert]);
      }
      forecast.expert = expert;
    }
  }
  out.experts = std::move(names);
  return out;
}

}  // namespace pcgs::compare
