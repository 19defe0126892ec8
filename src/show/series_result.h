// What pcgs run found about many series, each with a state of its own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "show/forecast_answer.h"

namespace pcgs::results {

struct Kind;

struct SeriesResult {
  static constexpr const char* kKind = "series";
  static const Kind& kind();

  struct One {
    std::vector<std::string> key;  // [by]
    std::size_t rounds = 0;
    ForecastAnswer answer;
    bool operator==(const One&) const = default;
  };
  std::vector<std::string> by;       // at least one column
  std::vector<std::string> experts;  // [K]
  std::size_t rounds = 0;            // of all series
  // Over all rounds of all series together; with neither coming forecasts nor weights.
  ForecastAnswer answer;
  std::vector<One> series;  // at least one
  bool operator==(const SeriesResult&) const = default;
};

// Of a run on forecasts.
SeriesResult series_result(const Outcome& outcome);

// How many of the series have a combination that is better than their best expert.
std::size_t better_than_best(const SeriesResult& result);

// As text for a terminal.
std::string series_table(const SeriesResult& result, const std::string& origin);

}  // namespace pcgs::results
