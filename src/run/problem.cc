#include "run/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pcgs/error.h"

namespace pcgs {

std::size_t Problem::known() const {
  std::size_t end = rounds();
  if (has_forecasts()) {
    while (end > 0 && std::isnan(outcomes[end - 1])) --end;
  }
  return end;
}

IntervalRecord::IntervalRecord(std::size_t rounds, std::vector<double> of) : levels(std::move(of)) {
  for (Matrix* side : {&low, &high}) {
    *side = Matrix(rounds, levels.size());
    std::fill(side->values.begin(), side->values.end(), std::numeric_limits<double>::quiet_NaN());
  }
}

void IntervalRecord::put(std::size_t t, std::span<const Interval> intervals) {
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    low.row(t)[i] = intervals[i].low;
    high.row(t)[i] = intervals[i].high;
  }
}

}  // namespace pcgs

namespace pcgs::compare {

void check_values(const Problem& problem, const std::string& outcome_name) {
  const auto refuse = [&](std::size_t t, const std::string& column, std::string_view why) {
    throw Error(ErrorKind::kValue,
                {.file = problem.origin, .row = problem.file_row(t), .column = column}, why);
  };
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const auto row = problem.values.row(t);
    const bool unknown = problem.has_forecasts() && std::isnan(problem.outcomes[t]);
    if (problem.has_forecasts() && !unknown) {
      const double y = problem.outcomes[t];
      if (const auto objection = problem.task.objection_to_outcome(y); !objection.empty()) {
        refuse(t, outcome_name, fmt::format("the outcome {} {}", y, objection));
      }
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double x = row[k];
      if (std::isnan(x)) {
        if (problem.has_forecasts()) continue;
        refuse(
            t, problem.experts[k],
            fmt::format("the loss is missing; give finite losses, or name the outcome with {} if "
                        "these are forecasts",
                        option("outcome")));
      }
      double loss = x;
      if (problem.has_forecasts()) {
        if (const auto objection = problem.task.objection_to_forecast(x); !objection.empty()) {
          refuse(t, problem.experts[k], fmt::format("the forecast {} {}", x, objection));
        }
        if (unknown) continue;
        loss = problem.task(x, problem.outcomes[t]);
      }
      if (loss < 0) {
        refuse(t, problem.experts[k],
               fmt::format("the loss {} is negative; give losses in [0, 1], or not below 0 with "
                           "{} or {}",
                           loss, option("scale", "C"), option("scale", "auto")));
      }
      if (problem.scale.wants_unit(problem.source()) && !(loss <= 1)) {
        refuse(t, problem.experts[k],
               fmt::format("the loss {} is outside [0, 1]; give losses in [0, 1], or divide and "
                           "clip them with {} or {}; if these are forecasts, name the "
                           "outcome with {}",
                           loss, option("scale", "C"), option("scale", "auto"), option("outcome")));
      }
    }
    for (std::size_t i = 0; t < problem.side.rows && i < problem.side.columns; ++i) {
      const double x = problem.side.row(t)[i];
      if (std::isfinite(x)) continue;
      refuse(t, "", fmt::format("side information {} is {}; give finite numbers", i + 1, x));
    }
  }
}

namespace {

constexpr double kAsleep = std::numeric_limits<double>::infinity();

// The raw losses of a round, and who is awake; false if there is nothing to learn from.
bool raw_losses(const Problem& problem, std::size_t t, std::vector<double>& raw,
                std::vector<std::uint8_t>& awake) {
  if (problem.has_forecasts() && std::isnan(problem.outcomes[t])) return false;
  const auto row = problem.values.row(t);
  bool anybody = false;
  for (std::size_t k = 0; k < row.size(); ++k) {
    awake[k] = std::isnan(row[k]) ? 0 : 1;
    anybody = anybody || awake[k] != 0;
    raw[k] = problem.has_forecasts() ? problem.task(row[k], problem.outcomes[t]) : row[k];
  }
  return anybody;
}

}  // namespace

Matrix scaled_losses(const Problem& problem, std::vector<double>* scales) {
  if (scales != nullptr) {
    scales->assign(problem.rounds(), std::numeric_limits<double>::quiet_NaN());
  }
  Matrix losses(0, problem.values.columns);
  losses.values.reserve(problem.values.values.size());
  LossScale scale = problem.scale;
  std::vector<double> raw(problem.values.columns);
  std::vector<std::uint8_t> awake(problem.values.columns);
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    if (!raw_losses(problem, t, raw, awake)) continue;
    const double c = scale.advance(raw, awake, problem.source());
    const bool unit = problem.scale.wants_unit(problem.source());
    if (scales != nullptr) (*scales)[t] = unit ? 1 : c;
    for (std::size_t k = 0; k < raw.size(); ++k) {
      losses.values.push_back(awake[k] == 0 ? kAsleep
                              : unit        ? raw[k]
                                            : problem.scale.bounded(raw[k], c));
    }
    ++losses.rows;
  }
  return losses;
}

Matrix unclipped_losses(const Problem& problem) {
  if (problem.unclipped.rows > 0) return problem.unclipped;
  Matrix losses(0, problem.values.columns);
  if (problem.scale.wants_unit(problem.source())) return losses;
  losses.values.reserve(problem.values.values.size());
  std::vector<double> raw(problem.values.columns);
  std::vector<std::uint8_t> awake(problem.values.columns);
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    if (!raw_losses(problem, t, raw, awake)) continue;
    for (std::size_t k = 0; k < raw.size(); ++k) {
      losses.values.push_back(awake[k] == 0 ? kAsleep : raw[k]);
    }
    ++losses.rows;
  }
  return losses;
}

}  // namespace pcgs::compare
