#include "compare/doubtful_columns.h"

#include <fmt/format.h>

#include <cmath>

#include "pcgs/error.h"

namespace pcgs::compare {

namespace {

constexpr std::size_t kEvidence = 20;  // rounds

// What is doubtful about an expert; null if nothing is.
const char* doubt(const Problem& problem, std::size_t k) {
  std::size_t forecasts = 0, same = 0, counting = 0, right = 0, judged = 0;
  double first = 0, before = 0;
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const double f = problem.values.row(t)[k];
    if (std::isnan(f)) continue;
    if (forecasts == 0) first = f;
    if (f == first) ++same;
    if (forecasts > 0 && f == before + 1) ++counting;
    before = f;
    ++forecasts;
    if (std::isnan(problem.outcomes[t])) continue;
    ++judged;
    if (f == problem.outcomes[t]) ++right;
  }
  if (judged >= kEvidence && right == judged) return "equals the outcome in every row";
  if (forecasts < kEvidence) return nullptr;
  if (same == forecasts) return "holds the same number in every row";
  if (counting + 1 == forecasts) return "counts the rows";
  return nullptr;
}

}  // namespace

void check_columns(const Problem& problem, const std::string& outcome) {
  for (std::size_t k = 0; k < problem.experts.size(); ++k) {
    const char* const why = doubt(problem, k);
    if (why == nullptr) continue;
    throw Error(fmt::format(
        "{}: column {} {}, which no forecast of {} does; leave it out with --ignore, or "
        "name the columns to combine with --experts if it is one of them",
        problem.origin, problem.experts[k], why, outcome));
  }
}

}  // namespace pcgs::compare
