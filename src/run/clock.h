// When rounds are: how far apart, which are missing, and where a state that goes on stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/outcome.h"

namespace pcgs::compare {

// What is remembered of the time of a series.
struct Clock {
  double last = 0;        // of the last round that was learned
  std::string last_text;  // as the file has it
  double step = 0;        // the usual distance between rounds; 0: not known
  bool keeps = false;     // gaps are rare, so that a missing row is a missing round
  bool calendar = false;  // dates, not plain numbers

  bool operator==(const Clock&) const = default;
};

// Throws Error where times run backwards or repeat, naming the row, but for the hour that comes twice
// when summer time ends, which is told to `tell`; `several` is whether the file may hold several
// series that nobody told apart. Rounds that are missing are counted into
// problem.missing where gaps are rare, so that phases of a season keep to the clock, and told to
// `tell`. `before` is where an earlier run stopped, or null.
void put_in_time(Problem& problem, const Clock* before, bool several, const TellNote& tell);

// The clock after the rounds of a problem that can be learned, which has times; `before` as above.
Clock clock_after(const Problem& problem, const Clock* before);

// The usual distance between rounds, as an earlier run found it, or else as the times show it; 0: not
// known.
double usual_step(const Problem& problem, const Clock* before);

// The seasons that times like these usually have, in rounds, the shortest first: of hours a day and a
// week, of days a week, of months a year. None where dates are not evenly spaced, so that rounds do not
// keep to the clock, and none of more rounds than a week has minutes.
std::vector<std::size_t> usual_seasons(const Problem& problem);

// That times suggest these, and how to say otherwise.
Note suggested_seasons(const Problem& problem, const std::vector<std::size_t>& seasons);

}  // namespace pcgs::compare
