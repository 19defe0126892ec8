// What a run leaves with the state that it saves, so that the next one can tell whether it goes on
// with the same thing.
#pragma once

#include <optional>
#include <string>

#include "pcgs/aggregator.h"
#include "run/clock.h"

namespace pcgs::compare {

struct RunNote {
  std::string method;          // as the user wrote it: what columns are called
  std::string outcome;         // the column that was forecast; empty: losses
  std::string scale;           // of losses, as the user wrote it
  std::optional<Clock> clock;  // where there were times

  bool operator==(const RunNote&) const = default;
};

void leave_note(Aggregator& aggregator, const RunNote& note);
// None where the state was saved by something else than a run. Throws Error for a note that is
// damaged; `origin` is the file.
std::optional<RunNote> find_note(const Aggregator& aggregator, const std::string& origin);

}  // namespace pcgs::compare
