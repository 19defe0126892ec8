// Columns that are hardly anybody's forecast.
#pragma once

#include <string>

#include "run/clock.h"
#include "run/problem.h"

namespace pcgs::compare {

// Throws Error for an expert that never changes, that counts the rows, or that equals the outcome in
// every round: more often than not a column that was meant for something else. Says how to leave it
// out and how to keep it. A few rounds are no evidence.
void check_columns(const Problem& problem, const std::string& outcome);

// Tells of experts who now and then say 0 where all others are far from it: more often than not a
// forecast that is missing.
void note_zeros(const Problem& problem, const Note& note);

}  // namespace pcgs::compare
