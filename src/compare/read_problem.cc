#include "compare/read_problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/number_table.h"
#include "pcgs/error.h"

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

}  // namespace

Problem read_problem(const std::string& path, const ProblemColumns& columns) {
  std::vector<std::string> named = columns.side;  // those that are no experts
  io::TableRequest request;
  request.ignore = columns.ignore;
  if (!columns.outcome.empty()) {
    if (contains(named, columns.outcome)) {
      throw Error(fmt::format(
          "{} is the outcome, which nobody knows when it is forecast; leave it out of --side",
          columns.outcome));
    }
    named.push_back(columns.outcome);
    request.may_be_missing = [&](std::string_view name) { return !contains(named, name); };
  }
  if (!columns.experts.empty()) {
    request.keep = columns.experts;
    request.keep.insert(request.keep.end(), named.begin(), named.end());
  }
  request.require = named;
  const io::NumberTable table = io::read_table(path, request);

  Problem problem;
  problem.origin = path;
  std::copy_if(table.names.begin(), table.names.end(), std::back_inserter(problem.experts),
               [&](const std::string& name) { return !contains(named, name); });
  if (problem.experts.empty()) {
    throw Error(
        fmt::format("{}: no column is left for the experts; give one column for each", path));
  }
  problem.values = columns_of(table, problem.experts);
  problem.side = columns_of(table, columns.side);
  if (!columns.outcome.empty()) problem.outcomes = columns_of(table, {columns.outcome}).values;
  if (!columns.side_file.empty()) problem.side = side_in(columns.side_file, problem);
  return problem;
}

}  // namespace pcgs::compare
