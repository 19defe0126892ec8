// Which column of a table is what.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/run.h"

namespace pcgs::compare {

bool contains(std::span<const std::string> names, std::string_view name);

// Throws Error unless each column has one role.
void check_roles(const Request& request);

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

// Throws Error for an expert that is hardly anybody's forecast: one that equals the outcome in every
// round, and, unless the models were `named`, one that never changes or counts the rows. More often
// than not these were meant for something else. A few rounds are no evidence, but for a column that
// has the name of the outcome.
void check_columns(const Problem& problem, const std::string& outcome, bool named);

// Tells of experts who now and then say 0 where all others are far from it: more often than not a
// forecast that is missing.
void note_zeros(const Problem& problem, const TellNote& tell);

}  // namespace pcgs::compare
