// What was forecast and what came, kept small enough to be drawn.
#pragma once

#include <string>
#include <vector>

#include "run/comparison.h"
#include "show/curves.h"
#include "show/forecast_answer.h"

namespace pcgs::report {

struct ForecastCurves {
  std::string title;
  std::string outcome_name;
  AxisRange range;
  Points outcome;
  struct Forecaster {
    std::string name;
    Points forecast;
    Points error;  // forecast - outcome
  };
  std::vector<Forecaster> combined;  // of each method, kShownForecasts at most
  std::vector<Forecaster> expert;    // the best one, or none
};

// Of many methods the first few; then lines can still be told apart.
inline constexpr std::size_t kShownForecasts = 4;
// How finely curves are kept when so many methods are shown: a page stays below a few megabytes,
// and a week of a few years of hours can still be looked at.
inline std::size_t curve_buckets(std::size_t methods) { return 15000 / (2 * methods + 3); }

// What the first charts of a page on forecasts show: the combination beside the best model and equal
// weights, small enough to be drawn.

// As charts call them.
inline constexpr const char* kCombination = "combination";
inline constexpr const char* kEqualWeights = "equal weights";
std::string best_model_name(const std::string& model);

struct ForecasterView {
  std::string best_model;  // empty: none
  AxisRange range;         // of all rounds that are judged

  // The loss of another less that of the combination, summed over the rounds so far.
  struct Gain {
    std::string over;
    Points sum;
  };
  std::vector<Gain> gains;  // over the best model, if there is one, and over equal weights
  std::string loss;         // what is summed: "squared error"

  // Errors at each hour of the day, or the like, on the rounds of everybody who is shown.
  struct Bins {
    std::string by;                  // "Hour of day"
    std::vector<std::string> names;  // of the bins, in order; at least two
    struct Line {
      std::string name;
      std::vector<double> errors;  // [bins] in the measure of the task
    };
    std::vector<Line> lines;  // the combination first
  };
  std::vector<Bins> bins;  // empty without a calendar

  // The last rounds whose outcome is known, and those to come.
  struct Latest {
    AxisRange range;
    bool two_weeks = false;  // else as many rounds as there are
    std::size_t known = 0;   // rounds
    std::size_t coming = 0;  // rounds
    double now = 0;          // where the last known one stands
    Points outcome, combination, best;
    struct Band {
      double level;
      std::vector<double> at, low, high;
    };
    std::vector<Band> bands;  // the widest first
  };
  Latest latest;

  // How many outcomes lay inside the intervals of a level, in equal parts of the run.
  struct Held {
    double level;
    Points share;
  };
  std::vector<Held> held;  // empty where there are too few rounds
  std::size_t rounds_in_part = 0;
};

// Of a comparison on forecasts, whose answer this is.
ForecasterView forecaster_view(const Problem& problem, const Comparison& comparison,
                               const results::ForecastAnswer& answer);

}  // namespace pcgs::report
