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
#include "run/problem.h"
#include "run/table_columns.h"

namespace pcgs::compare {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// ---- Groups of rows -----------------------------------------------------------------------------

// Numbers for texts, in the order of their first appearance.
class Numbering {
 public:
  std::size_t of(std::string_view text) {
    const auto [at, is_new] = numbers_.emplace(std::string(text), texts_.size());
    if (is_new) texts_.emplace_back(text);
    return at->second;
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

// Which series each row belongs to, in the order of their first rows.
struct Groups {
  std::vector<std::vector<std::string>> keys;  // [S][columns]
  std::vector<std::size_t> series;             // [rows]
};

Groups groups_of(const Table& table, const std::vector<std::string>& columns, std::size_t rows) {
  std::vector<const TextColumn*> by;
  for (const auto& name : columns) by.push_back(&text_column(table, name, "series"));
  Groups out;
  out.series.resize(rows);
  std::unordered_map<std::string, std::size_t> found;
  std::string key;
  for (std::size_t i = 0; i < rows; ++i) {
    key.clear();
    for (const auto* column : by) key.append((*column)[i]) += '\0';
    const auto [at, is_new] = found.emplace(key, out.keys.size());
    if (is_new) {
      auto& name = out.keys.emplace_back();
      for (const auto* column : by) name.emplace_back((*column)[i]);
    }
    out.series[i] = at->second;
  }
  return out;
}

// ---- Long format --------------------------------------------------------------------------------

// One time of one series: the rows that forecast it, each by another model.
struct LongRound {
  std::size_t series = 0, first = 0;  // row
  double outcome = kNaN;
  std::vector<QuantileProblem::Forecast> forecasts;  // by number of model, and row
};

struct LongRows {
  std::string origin;
  TimeColumn times;
  std::optional<TimeColumn> known;
  std::vector<double> outcomes;
  std::vector<std::vector<std::string>> series;  // keys
  std::vector<std::string> models;
  std::vector<LongRound> rounds;
  std::vector<std::size_t> rows;  // where they stand, as in Table

  std::size_t file_row(std::size_t i) const { return rows.empty() ? i + 1 : rows[i]; }
};

enum class LongOrder { kSeriesFirst, kTimeFirst };

[[noreturn]] void refuse_row(const LongRows& rows, std::size_t i, std::string_view why) {
  throw Error(ErrorKind::kMismatch, {.file = rows.origin, .row = rows.file_row(i)}, why);
}

void add_to_round(const LongRows& rows, std::size_t i, std::size_t model, bool by_series,
                  LongRound& round) {
  const auto time = rows.times.text[i];
  if (rows.known && rows.known->at[i] != rows.known->at[round.first]) {
    refuse_row(rows, i,
               fmt::format("{} is {} here and {} in another row of {}; name the columns that tell "
                           "series apart with {}",
                           rows.known->text.name, rows.known->text[i],
                           rows.known->text[round.first], time, option("series")));
  }
  const bool twice = std::ranges::any_of(round.forecasts,
                                         [&](const auto& other) { return other.expert == model; });
  if (twice) {
    refuse_row(rows, i,
               fmt::format("{} forecasts {} a second time; give one row for each model and time{}",
                           rows.models[model], time,
                           by_series ? ""
                                     : fmt::format(", or name the columns that tell series apart "
                                                   "with {}",
                                                   option("series"))));
  }
  round.forecasts.push_back({model, i});
  const double y = rows.outcomes[i];
  if (!std::isnan(round.outcome) && !std::isnan(y) && y != round.outcome) {
    refuse_row(rows, i,
               fmt::format("the outcome of {} is {} here and {} in another row; give one outcome",
                           time, y, round.outcome));
  }
  if (!std::isnan(y)) round.outcome = y;
}

// Outcomes of the rows, from their column or beside it.
std::vector<double> outcomes_of(const Table& table, const Request& request) {
  if (!table.outcomes.empty()) return table.outcomes;
  if (request.outcome.empty()) return {};
  return number_columns(table, {request.outcome}, "outcome").values;
}

LongRows long_rows(const Table& table, const Request& request, LongOrder in) {
  LongRows out;
  out.origin = table.origin;
  out.rows = table.rows;
  out.times = time_column(table, request.time, "time");
  if (!request.known.empty()) {
    out.known = time_column(table, request.known, "known");
    if (out.known->calendar != out.times.calendar) {
      throw Error(ErrorKind::kMismatch, {.file = table.origin, .column = request.known},
                  fmt::format("{} and {} must both be dates, or both numbers", request.time,
                              request.known));
    }
  }
  out.outcomes = outcomes_of(table, request);
  const std::size_t rows = table.values.rows;
  Groups groups = groups_of(table, request.series, rows);
  out.series = std::move(groups.keys);
  const TextColumn& names = text_column(table, request.model_column, "model_column");
  Numbering models;
  std::vector<std::size_t> model(rows), order(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (names[i].empty()) {
      throw Error(ErrorKind::kMissing,
                  {.file = table.origin, .row = out.file_row(i), .column = names.name},
                  "is empty; give the name of the model");
    }
    model[i] = models.of(names[i]);
  }
  out.models = models.take();
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto& at = out.times.at;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return in == LongOrder::kSeriesFirst
               ? std::pair(groups.series[a], at[a]) < std::pair(groups.series[b], at[b])
               : std::pair(at[a], groups.series[a]) < std::pair(at[b], groups.series[b]);
  });
  for (const std::size_t i : order) {
    const bool same = !out.rounds.empty() && out.rounds.back().series == groups.series[i] &&
                      at[out.rounds.back().first] == at[i];
    if (!same) out.rounds.push_back({groups.series[i], i, kNaN, {}});
    add_to_round(out, i, model[i], !request.series.empty(), out.rounds.back());
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

std::optional<TimeColumn> times_of(Table& table, const Request& request) {
  if (!request.time.empty()) return time_column(table, request.time, "time");
  if (table.times.empty()) return {};
  return std::move(table.times.front());
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
  Request with_time = request;
  with_time.time = time_name(table, request);
  LongRows rows = long_rows(table, with_time, LongOrder::kSeriesFirst);
  const std::vector<double> forecasts = number_columns(table, {column}, "models").values;
  Whole out;
  Problem& problem = out.problem;
  problem.origin = table.origin;
  problem.experts = rows.models;
  problem.values = Matrix(rows.rounds.size(), rows.models.size());
  std::ranges::fill(problem.values.values, kNaN);
  problem.times.emplace();
  problem.times->text.name = rows.times.text.name;
  problem.times->calendar = rows.times.calendar;
  for (std::size_t t = 0; t < rows.rounds.size(); ++t) {
    const LongRound& round = rows.rounds[t];
    for (const auto& [model, i] : round.forecasts) problem.values.row(t)[model] = forecasts[i];
    problem.outcomes.push_back(round.outcome);
    problem.rows.push_back(rows.file_row(round.first));
    problem.times->at.push_back(rows.times.at[round.first]);
    problem.times->text.add(rows.times.text[round.first]);
    out.series.push_back(round.series);
  }
  out.keys = std::move(rows.series);
  return out;
}

Matrix rows_of(const Matrix& from, const std::vector<std::size_t>& rounds) {
  Matrix out(from.columns == 0 ? 0 : rounds.size(), from.columns);
  for (std::size_t t = 0; t < out.rows; ++t) {
    std::ranges::copy(from.row(rounds[t]), out.row(t).begin());
  }
  return out;
}

Problem part_of(const Problem& whole, const std::vector<std::size_t>& rounds) {
  Problem part;
  part.origin = whole.origin;
  part.experts = whole.experts;
  part.values = rows_of(whole.values, rounds);
  part.side = rows_of(whole.side, rounds);
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

Whole wide_problem(Table& table, const Request& request, std::vector<std::string> columns) {
  Whole out;
  Problem& problem = out.problem;
  problem.origin = table.origin;
  problem.outcomes = outcomes_of(table, request);
  problem.side = number_columns(table, request.side, "side");
  Groups groups = groups_of(table, request.series, table.values.rows);
  problem.values =
      columns == table.names ? std::move(table.values) : number_columns(table, columns, "models");
  problem.experts = std::move(columns);
  problem.times = times_of(table, request);
  problem.rows = std::move(table.rows);
  problem.known_at = std::move(table.known_at);
  out.keys = std::move(groups.keys);
  out.series = std::move(groups.series);
  return out;
}

void check_lengths(const Table& table, std::size_t rounds) {
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

}  // namespace

namespace {

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

std::vector<Series> problems_of(Table table, const Request& request, const TellNote& tell) {
  check_roles(request);
  std::vector<std::string> columns = model_columns(table, request);
  check_lengths(table, table.values.rows);
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
  for (Series& one : series) {
    check_known_at(one.problem);
    one.problem.block = request.block;
    one.problem.delay = request.delay;
  }
  return series;
}

QuantileProblem quantile_problem_of(Table table, const Request& request) {
  check_roles(request);
  QuantileProblem out;
  out.origin = table.origin;
  out.time = request.time;
  out.known = request.known;
  out.outcome = request.outcome;
  out.by = request.series;
  for (auto& [level, name] : level_columns(table.names, request.quantiles, table.origin)) {
    out.levels.push_back(level);
    out.columns.push_back(std::move(name));
  }
  check_lengths(table, table.values.rows);
  LongRows rows = long_rows(table, request, LongOrder::kTimeFirst);
  if (std::ranges::all_of(rows.outcomes, [](double y) { return std::isnan(y); })) {
    throw Error(ErrorKind::kMissing, {.file = table.origin, .column = request.outcome},
                "has no outcome, so nothing can be learned; give outcomes");
  }
  out.calendar = rows.times.calendar;
  out.series = std::move(rows.series);
  out.quantiles = number_columns(table, out.columns, "quantiles");
  // Models are in the order of their first rounds.
  constexpr std::size_t kUnseen = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> number(rows.models.size(), kUnseen);
  for (LongRound& round : rows.rounds) {
    for (auto& forecast : round.forecasts) {
      std::size_t& expert = number[forecast.expert];
      if (expert == kUnseen) {
        expert = out.experts.size();
        out.experts.push_back(rows.models[forecast.expert]);
      }
      forecast.expert = expert;
    }
    const double time = rows.times.at[round.first];
    out.rounds.push_back({round.series, time, rows.known ? rows.known->at[round.first] : time,
                          std::string(rows.times.text[round.first]),
                          rows.known ? std::string(rows.known->text[round.first]) : "",
                          round.outcome, std::move(round.forecasts)});
  }
  return out;
}

}  // namespace pcgs::compare
