// Tables: their columns by name, and what a request needs of files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "data/csv.h"
#include "data/input_bytes.h"
#include "data/number_table.h"
#include "data/times.h"
#include "pcgs/error.h"
#include "run/checks.h"
#include "run/rounds.h"

namespace pcgs::compare {

// ---- Columns ------------------------------------------------------------------------------------

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
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
    const auto found = std::ranges::find(table.names, name);
    if (found == table.names.end()) refuse_name(table, name, field);
    at.push_back(static_cast<std::size_t>(found - table.names.begin()));
  }
  Matrix out(table.values.rows, at.size());
  for (std::size_t t = 0; t < out.rows; ++t) {
    const auto from = table.values.row(t);
    std::ranges::transform(at, out.row(t).begin(), [&](std::size_t i) { return from[i]; });
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
  std::ranges::stable_sort(found, {}, &LevelColumn::level);
  const auto twice = std::ranges::adjacent_find(found, {}, &LevelColumn::level);
  if (twice != found.end()) {
    throw Error(ErrorKind::kDuplicate, {.file = origin, .column = twice[1].name},
                fmt::format("is the same level as {}; leave one out", twice->name));
  }
  return found;
}

}  // namespace pcgs::compare

namespace pcgs {

using compare::contains;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Columns that are read as texts, each once.
std::vector<std::string> text_names(const Request& request,
                                    const std::vector<std::string>& joined = {}) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && !contains(names, name)) names.push_back(name);
  };
  for (const auto& name : {request.time, request.known, request.model_column}) add(name);
  for (const auto* some : {&request.series, &joined}) std::ranges::for_each(*some, add);
  return names;
}

io::TableRequest points_request(const Request& request) {
  std::vector<std::string> named = request.side;  // those that are no models
  if (!request.outcome.empty()) named.push_back(request.outcome);
  io::TableRequest out;
  out.ignore = request.ignore;
  out.find_times = request.time.empty();
  out.text = text_names(request);
  if (!request.outcome.empty()) {
    out.may_be_missing = [&request](std::string_view name) {
      return !contains(request.side, name);
    };
  }
  if (!request.models.empty()) {
    out.keep = request.models;
    out.keep.insert(out.keep.end(), named.begin(), named.end());
  }
  out.require = std::move(named);
  return out;
}

// What is wrong with a number among losses may be that they are forecasts.
io::NumberTable read_points(const std::string& path, const io::TableRequest& wanted, bool losses) {
  try {
    return io::read_table(path, wanted);
  } catch (const Error& wrong) {
    if (!losses || wrong.place().column.empty()) throw;
    // The same sentence, its options as they are.
    const Wording as_it_is{
        [](std::string_view name) { return option(name); },
        [](std::string_view name, std::string_view value) { return option(name, value); }};
    throw Error(wrong.kind(), {.field = "outcome"},
                fmt::format("{}; if these are forecasts, name the outcome with {}",
                            wrong.in_words_of(as_it_is), option("outcome")));
  }
}

// ---- Outcomes in a file of their own ------------------------------------------------------------

std::string key_of(std::span<const TextColumn* const> columns, std::size_t row) {
  std::string key;
  for (const auto* column : columns) key.append((*column)[row]) += '\0';
  return key;
}

struct Outcomes {
  std::vector<std::string> columns;                // that both files have
  std::unordered_map<std::string, double> by_key;  // of their texts
};

Outcomes read_outcomes(const std::string& path, const std::string& outcome, io::NumberFormat format,
                       std::span<const std::string> header, const std::string& origin) {
  const io::InputBytes bytes(path);
  const io::CsvReader csv(bytes.text(), bytes.name());
  Outcomes out;
  for (const auto& name : csv.header()) {
    if (name != outcome && !name.empty() && contains(header, name)) out.columns.push_back(name);
  }
  if (out.columns.empty()) {
    throw Error(ErrorKind::kMismatch, {.file = bytes.name()},
                fmt::format("has no column that {} has as well, by which outcomes could be found; "
                            "it has {}",
                            origin, fmt::join(csv.header(), ", ")));
  }
  io::TableRequest wanted;
  wanted.keep = {outcome};
  wanted.text = out.columns;
  wanted.format = format;
  wanted.may_be_missing = [](std::string_view) { return true; };
  const io::NumberTable table = io::parse_table(bytes.text(), bytes.name(), wanted);
  std::vector<const TextColumn*> keys;
  for (const auto& text : table.texts) keys.push_back(&text);
  for (std::size_t i = 0; i < table.values.rows; ++i) {
    const double y = table.values.row(i)[0];
    const auto [at, is_new] = out.by_key.emplace(key_of(keys, i), y);
    if (is_new || at->second == y || std::isnan(y)) continue;
    if (!std::isnan(at->second)) {
      throw Error(ErrorKind::kMismatch, {.file = bytes.name(), .row = i + 1},
                  fmt::format("the outcome is {} here and {} in another row with the same {}; give "
                              "one",
                              y, at->second, fmt::join(out.columns, ", ")));
    }
    at->second = y;
  }
  return out;
}

// [rows] the outcome of each row of the table.
std::vector<double> join(const Outcomes& outcomes, const Table& table, const std::string& path) {
  std::vector<const TextColumn*> keys;
  for (const auto& name : outcomes.columns) {
    keys.push_back(&compare::text_column(table, name, "outcome"));
  }
  std::vector<double> out;
  bool any = false;
  for (std::size_t i = 0; i < table.values.rows; ++i) {
    const auto at = outcomes.by_key.find(key_of(keys, i));
    out.push_back(at == outcomes.by_key.end() ? kNaN : at->second);
    any = any || !std::isnan(out.back());
  }
  if (!any) {
    throw Error(
        ErrorKind::kMismatch, {.file = path},
        fmt::format("no row of {} has its outcome there; both are matched by the texts of {}",
                    table.origin, fmt::join(outcomes.columns, ", ")));
  }
  return out;
}

// ---- Tables -------------------------------------------------------------------------------------

void take(io::NumberTable from, Table& table) {
  table.names = std::move(from.names);
  table.values = std::move(from.values);
  table.texts = std::move(from.texts);
  if (from.times) table.times.push_back(io::read_times(std::move(*from.times), table.origin));
}

// [T x M], a row for every round, which in wide format is a row of the table.
Matrix side_in(const std::string& path, const Table& table, const Request& request) {
  Matrix side = io::read_table(path).values;
  if (request.model_column.empty() && side.rows != table.values.rows) {
    throw Error(ErrorKind::kMismatch, {.file = path, .field = "side"},
                fmt::format("has {} rows, and {} has {}; give a row of side information for every "
                            "round",
                            side.rows, table.origin, table.values.rows));
  }
  return side;
}

Table quantile_table(const TableFiles& files, const Request& request, io::TableRequest wanted) {
  const io::InputBytes bytes(files.path);
  const io::CsvReader csv(bytes.text(), bytes.name());
  Table table;
  table.origin = bytes.name();
  for (auto& one : compare::level_columns(csv.header(), request.quantiles, table.origin)) {
    wanted.keep.push_back(std::move(one.name));
  }
  Outcomes outcomes;
  if (files.outcomes.empty()) {
    wanted.keep.push_back(request.outcome);
  } else {
    outcomes =
        read_outcomes(files.outcomes, request.outcome, wanted.format, csv.header(), table.origin);
  }
  wanted.text = text_names(request, outcomes.columns);
  wanted.may_be_missing = [](std::string_view) { return true; };
  take(io::parse_table(bytes.text(), bytes.name(), wanted), table);
  if (!files.outcomes.empty()) table.outcomes = join(outcomes, table, files.outcomes);
  return table;
}

}  // namespace

Table read_table(const TableFiles& files, const Request& request) {
  compare::check_request(request);
  std::vector<Note> notes;
  const auto note = [&](const std::string& sentence) {
    notes.push_back({NoteKind::kReading, sentence});
  };
  const io::NumberFormat format{files.decimal, files.thousands};
  Table table;
  if (!request.quantiles.empty()) {
    io::TableRequest wanted;
    wanted.format = format;
    wanted.note = note;
    table = quantile_table(files, request, std::move(wanted));
  } else {
    io::TableRequest wanted = points_request(request);
    wanted.format = format;
    wanted.note = note;
    table.origin = files.path == "-" ? "standard input" : files.path;
    take(read_points(files.path, wanted, request.outcome.empty()), table);
  }
  if (!files.side.empty()) table.side = side_in(files.side, table, request);
  table.notes = std::move(notes);
  return table;
}

}  // namespace pcgs
