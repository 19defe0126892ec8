// From the rows of a table to rounds that methods play: which column is what, who forecast what, of which
// series, and when.
//
// In wide format a row is a round and models are columns. In long format a row is the forecast of one
// model: those of one time of one series are a round, and models and series are in the order in which
// they appear. A point is one number; of a distribution the quantiles are columns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/run.h"

namespace pcgs::compare {

// ---- Columns ------------------------------------------------------------------------------------

bool contains(std::span<const std::string> names, std::string_view name);

// The columns of these names, which the table must have.
Matrix number_columns(const Table& table, const std::vector<std::string>& names,
                      std::string_view field);
const TextColumn& text_column(const Table& table, const std::string& name, std::string_view field);
// A column of times, as it is read already or as its texts or numbers say.
TimeColumn time_column(const Table& table, const std::string& name, std::string_view field);

// Where quantiles are: columns whose names have the level in the place of the star, by their levels.
struct LevelColumn {
  double level = 0;
  std::string name;
};
std::vector<LevelColumn> level_columns(std::span<const std::string> names,
                                       const std::string& pattern, const std::string& origin);

// ---- Rounds -------------------------------------------------------------------------------------

// One of the series of a table.
struct Series {
  std::vector<std::string> key;  // [series columns] what it is called
  Problem problem;
};

// All of them, in the order in which they appear: one, with an empty key, unless columns tell them
// apart. With the block and the delay of the request, the usual task and scale; times are not in order
// yet, but for long format (clock.h). Throws Error, naming the table.
std::vector<Series> problems_of(Table table, const Request& request, const TellNote& tell);

// Rounds are in the order of time, then of series.
QuantileProblem quantile_problem_of(Table table, const Request& request);

// The problem without its first rounds.
void drop_first(Problem& problem, std::size_t rounds);

}  // namespace pcgs::compare
