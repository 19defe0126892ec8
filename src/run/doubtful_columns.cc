#include "run/doubtful_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

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

void note_zeros(const Problem& problem, const Note& note) {
  constexpr double kFar = 10;  // usual distances
  const std::size_t experts = problem.experts.size();
  if (!note || experts < 3) return;
  // The sum of each expert's distances from the median, and its zeros with the size of the median.
  std::vector<double> distances(experts), awake;
  std::vector<std::size_t> others(experts);
  std::vector<std::vector<double>> zeros(experts);
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const auto row = problem.values.row(t);
    awake.clear();
    std::copy_if(row.begin(), row.end(), std::back_inserter(awake),
                 [](double f) { return !std::isnan(f); });
    if (awake.size() < 3) continue;
    const auto middle = awake.begin() + static_cast<std::ptrdiff_t>(awake.size() / 2);
    std::nth_element(awake.begin(), middle, awake.end());
    for (std::size_t k = 0; k < experts; ++k) {
      if (std::isnan(row[k])) continue;
      if (row[k] == 0) {
        zeros[k].push_back(std::abs(*middle));
      } else {
        distances[k] += std::abs(row[k] - *middle);
        ++others[k];
      }
    }
  }
  for (std::size_t k = 0; k < experts; ++k) {
    const double usual = distances[k] / static_cast<double>(others[k]);
    const auto far = std::count_if(zeros[k].begin(), zeros[k].end(),
                                   [&](double size) { return size > kFar * usual; });
    if (far == 0) continue;
    note(fmt::format(
        "{}: {} is 0 in {} row{} where the other columns are far from it; if that means "
        "that there is no forecast, leave the field empty",
        problem.origin, problem.experts[k], far, far == 1 ? "" : "s"));
  }
}

}  // namespace pcgs::compare
