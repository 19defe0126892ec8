#include "run/read_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "data/number_table.h"
#include "pcgs/error.h"
#include "run/doubtful_columns.h"
#include "run/long_format.h"

namespace pcgs::compare {

namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Matrix columns_of(const io::NumberTable& table, const std::vector<std::string>& names) {
  std::vector<std::size_t> at;
  for (const auto& name : names) {
    at.push_back(static_cast<std::size_t>(std::find(table.names.begin(), table.names.end(), name) -
                                          table.names.begin()));
  }
  Matrix out(table.values.rows, at.size());
  for (std::size_t t = 0; t < out.rows; ++t) {
    const auto from = table.values.row(t);
    for (std::size_t i = 0; i < at.size(); ++i) out.row(t)[i] = from[at[i]];
  }
  return out;
}

// [T x M], a row for every round.
Matrix side_in(const std::string& path, const Problem& problem) {
  io::NumberTable table = io::read_table(path);
  if (table.values.rows != problem.rounds()) {
    throw Error(
        fmt::format("{}: has {} rows, and {} has {}; give a row of side information for "
                    "every round",
                    path, table.values.rows, problem.origin, problem.rounds()));
  }
  return std::move(table.values);
}

// Each role of a column excludes the others.
void check_roles(const ProblemColumns& columns) {
  std::vector<std::pair<std::string, const char*>> taken;
  const auto take = [&](const std::string& name, const char* role) {
    if (name.empty()) return;
    for (const auto& [other, earlier] : taken) {
      if (other != name) continue;
      throw Error(fmt::format("column {} is given to {} and to {}; give it to one of them", name,
                              earlier, role));
    }
    taken.emplace_back(name, role);
  };
  if (!columns.outcome.empty() && contains(columns.side, columns.outcome)) {
    throw Error(fmt::format(
        "{} is the outcome, which nobody knows when it is forecast; leave it out of --side",
        columns.outcome));
  }
  take(columns.outcome, "--y");
  take(columns.time, "--time");
  take(columns.expert_column, "--expert-column");
  for (const auto& name : columns.by) take(name, "--by");
}

// The table, and where in its texts the times, the keys and the experts are.
struct Texts {
  std::optional<std::size_t> time, expert;
  std::size_t by = 0;  // the first of them
};

io::TableRequest request_for(const ProblemColumns& columns, const std::vector<std::string>& named,
                             Texts& texts) {
  io::TableRequest request;
  request.ignore = columns.ignore;
  request.format = columns.format;
  request.note = columns.note;
  request.find_times = columns.time.empty();
  const auto add_text = [&](const std::string& name) {
    request.text.push_back(name);
    return request.text.size() - 1;
  };
  if (!columns.time.empty()) texts.time = add_text(columns.time);
  if (!columns.expert_column.empty()) texts.expert = add_text(columns.expert_column);
  texts.by = request.text.size();
  for (const auto& name : columns.by) add_text(name);
  if (!columns.outcome.empty()) {
    request.may_be_missing = [&columns](std::string_view name) {
      return !contains(columns.side, name);
    };
  }
  if (!columns.experts.empty()) {
    request.keep = columns.experts;
    request.keep.insert(request.keep.end(), named.begin(), named.end());
  }
  request.require = named;
  return request;
}

// What is wrong with a number among losses may be that they are forecasts.
io::NumberTable read_losses_or_forecasts(const std::string& path, const io::TableRequest& request,
                                         bool losses) {
  try {
    return io::read_table(path, request);
  } catch (const Error& wrong) {
    const std::string why = wrong.what();
    if (!losses || why.find(", column ") == std::string::npos) throw;
    throw Error(why + "; if these are forecasts, name the outcome with --y");
  }
}

// Which series each round belongs to, in the order of their first rounds.
struct Grouping {
  std::vector<std::vector<std::string>> keys;
  std::vector<std::vector<std::size_t>> rounds;  // [series]
};

Grouping group(const std::vector<io::TextColumn>& by, std::size_t rounds) {
  Grouping out;
  std::unordered_map<std::string, std::size_t> found;
  for (std::size_t t = 0; t < rounds; ++t) {
    std::string key;
    for (const auto& column : by) key.append(column[t]) += '\0';
    const auto [at, is_new] = found.emplace(std::move(key), out.keys.size());
    if (is_new) {
      auto& name = out.keys.emplace_back();
      for (const auto& column : by) name.emplace_back(column[t]);
      out.rounds.emplace_back();
    }
    out.rounds[at->second].push_back(t);
  }
  return out;
}

Matrix rows_of(const Matrix& from, const std::vector<std::size_t>& rounds) {
  Matrix out(from.columns == 0 ? 0 : rounds.size(), from.columns);
  for (std::size_t t = 0; t < out.rows; ++t) {
    const auto row = from.row(rounds[t]);
    std::copy(row.begin(), row.end(), out.row(t).begin());
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
    if (!whole.times) continue;
    part.times->text.add(whole.times->text[t]);
    part.times->at.push_back(whole.times->at[t]);
  }
  return part;
}

}  // namespace

std::vector<Series> read_series(const std::string& path, const ProblemColumns& columns) {
  check_roles(columns);
  std::vector<std::string> named = columns.side;  // those that are no experts
  if (!columns.outcome.empty()) named.push_back(columns.outcome);
  Texts texts;
  io::NumberTable table =
      read_losses_or_forecasts(path, request_for(columns, named, texts), columns.outcome.empty());

  Problem whole;
  whole.origin = path == "-" ? "standard input" : path;
  std::copy_if(table.names.begin(), table.names.end(), std::back_inserter(whole.experts),
               [&](const std::string& name) { return !contains(named, name); });
  if (whole.experts.empty()) {
    throw Error(fmt::format("{}: no column is left for the experts; give one column for each",
                            whole.origin));
  }
  whole.values = columns_of(table, whole.experts);
  whole.side = columns_of(table, columns.side);
  if (!columns.outcome.empty()) whole.outcomes = columns_of(table, {columns.outcome}).values;
  table.values = {};
  if (texts.time) table.times = std::move(table.texts[*texts.time]);
  if (table.times) whole.times = io::read_times(std::move(*table.times), whole.origin);
  std::vector<io::TextColumn> by(
      std::make_move_iterator(table.texts.begin() + static_cast<std::ptrdiff_t>(texts.by)),
      std::make_move_iterator(table.texts.end()));
  if (texts.expert) {
    widen(whole, table.texts[*texts.expert], by);
  } else if (!columns.outcome.empty() && columns.experts.empty()) {
    check_columns(whole, columns.outcome);
  }
  if (whole.has_forecasts()) note_zeros(whole, columns.note);
  if (!columns.side_file.empty()) whole.side = side_in(columns.side_file, whole);

  std::vector<Series> series;
  if (by.empty()) {
    series.push_back({{}, std::move(whole)});
    return series;
  }
  Grouping groups = group(by, whole.rounds());
  for (std::size_t i = 0; i < groups.keys.size(); ++i) {
    series.push_back({std::move(groups.keys[i]), part_of(whole, groups.rounds[i])});
  }
  return series;
}

Problem read_problem(const std::string& path, const ProblemColumns& columns) {
  return std::move(read_series(path, columns).front().problem);
}

}  // namespace pcgs::compare
