// Problems for tests of runs, and what is refused of them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "data/times.h"
#include "pcgs/error.h"
#include "pcgs/outcome.h"
#include "support/random.h"

namespace pcgs::test {

inline constexpr double kAsleep = std::numeric_limits<double>::quiet_NaN();

inline Problem empty_problem(std::size_t rounds, std::size_t experts) {
  Problem problem;
  problem.origin = "example.csv";
  problem.values = Matrix(rounds, experts);
  problem.outcomes.resize(rounds);
  for (std::size_t k = 0; k < experts; ++k) problem.experts.push_back("e" + std::to_string(k + 1));
  return problem;
}

// Forecasts of a value near 10 with errors that are partly common, each expert with a bias and a size
// of its own; for log loss, probabilities of what is 0 or 1.
inline Problem made_up_problem(std::size_t rounds, std::size_t experts, std::string_view loss,
                               Random& random) {
  Problem problem = empty_problem(rounds, experts);
  problem.task = TaskLoss(loss, loss == "pinball" ? random.uniform(0.1, 0.9) : 0.5);
  const bool log = loss == "log";
  std::vector<double> bias(experts), size(experts);
  for (std::size_t k = 0; k < experts; ++k) {
    bias[k] = random.uniform(-1, 1);
    size[k] = random.uniform(0.2, 3);
  }
  for (std::size_t t = 0; t < rounds; ++t) {
    const double y = log ? (random.chance(0.4) ? 1 : 0) : 10 + random.uniform(-3, 3);
    const double common = random.uniform(-1, 1);
    problem.outcomes[t] = y;
    for (std::size_t k = 0; k < experts; ++k) {
      const double off = size[k] * random.uniform(-1, 1);
      problem.values.row(t)[k] =
          log ? 1 / (1 + std::exp(-(y - 0.5) - bias[k] - off)) : y + common + bias[k] + off;
    }
  }
  return problem;
}

// Dates or plain numbers, as a file would hold them.
inline TimeColumn times(const std::vector<std::string>& texts) {
  TextColumn column;
  column.name = "when";
  for (const auto& text : texts) column.add(text);
  return io::read_times(std::move(column), "example.csv");
}

// The Error that something throws, as a value.

// What tests look at: the sentence is for people.
struct Refusal {
  ErrorKind kind{};
  ErrorPlace place{};
  std::string sentence{};  // in the words of the library
};

inline Refusal refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.kind(), error.place(), error.what()};
  }
  ADD_FAILURE() << "threw nothing";
  return {};
}

}  // namespace pcgs::test
