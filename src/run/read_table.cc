// Tables from files: what the request needs of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "data/csv.h"
#include "data/input_bytes.h"
#include "data/number_table.h"
#include "data/times.h"
#include "pcgs/error.h"
#include "run/check_request.h"
#include "run/table_columns.h"

namespace pcgs {

using compare::contains;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Columns that are read as texts, each once.
class TextNames {
 public:
  void add(const std::string& name) {
    if (!name.empty() && !contains(names_, name)) names_.push_back(name);
  }
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::vector<std::string> names_;
};

std::vector<std::string> text_names(const Request& request,
                                    const std::vector<std::string>& joined = {}) {
  TextNames names;
  names.add(request.time);
  names.add(request.known);
  names.add(request.model_column);
  for (const auto& name : request.series) names.add(name);
  for (const auto& name : joined) names.add(name);
  return names.all();
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
