// What a run on quantiles leaves with the state that it saves, so that the next one knows which of its
// rows are new and which outcomes are still waited for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pcgs/quantiles.h"
#include "run/level_problem.h"

namespace pcgs::compare {

struct LevelNote {
  // A round that is open.
  struct Open {
    std::int64_t round = 0;  // the panel's number
    double time = 0, known = 0;
    bool operator==(const Open&) const = default;
  };

  std::string time, known, outcome;  // columns, as in LevelProblem
  std::vector<std::string> by;
  double last = 0;  // the last time whose rounds were opened
  std::string last_text;
  std::vector<Open> open;  // in the order of opening

  bool operator==(const LevelNote&) const = default;
};

void leave_note(QuantilePanel& panel, const LevelNote& note);
// Throws Error for a panel that no run saved, or whose note is damaged; `origin` is the file.
LevelNote find_note(const QuantilePanel& panel, const std::string& origin);

// Throws Error unless the problem goes on with what the panel has learned.
void check_goes_on(const LevelProblem& problem, const QuantilePanel& panel, const LevelNote& note,
                   const std::string& origin);

}  // namespace pcgs::compare
