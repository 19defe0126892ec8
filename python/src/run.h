// What pcgs.run keeps: what was played, for the report page and for weights, and what came out.
#pragma once

#include <string>
#include <vector>

#include "pcgs/error.h"
#include "pcgs/matrix.h"
#include "run/comparison.h"
#include "run/problem.h"
#include "show/result.h"

namespace pcgs::python {

struct Run {
  compare::Problem problem;
  compare::Comparison comparison;
  results::RunResult result;
  std::vector<std::string> notes;  // what was taken for granted, a sentence each
  Matrix weights{};                // [T x K] of the last method, once somebody has asked for them

  const results::ForecastAnswer& answer() const {
    if (!result.answer) {
      throw Error("losses were combined, not forecasts; give run() forecasts and y");
    }
    return *result.answer;
  }
};

}  // namespace pcgs::python
