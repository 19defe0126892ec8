// The best path where only the costs of switches limit their number.
//
//     dp[t,k] = l_t(k) + min( dp[t-1,k], c + min_j dp[t-1,j] )
//
// j = k is no exception: staying is cheaper by c, or by a switch. Of each state only three things
// are needed: its value, the switches on the way, and the round in which the path entered k; the
// last two belong to the first, so K of each are carried through the rounds. A path that leaves
// round t comes from the best expert of that round, so what is kept of a round is who that is and
// when that path had entered it: going back is going from entry to entry.
//
// Values are compared first, then switches, so that among equals the fewest are taken; then staying
// is preferred, then the lowest index.
#include <algorithm>
#include <cmath>
#include <limits>

#include "pcgs/oracle.h"
#include "proof/sweep.h"

namespace pcgs {

namespace {

// A path that ends in round t.
struct State {
  double value;
  std::size_t switches;
  std::size_t entered;  // the round in which it came to where it is

  bool better_than(const State& other) const {
    return value < other.value || (value == other.value && switches < other.switches);
  }
};

// The best expert of a round, and since when its path has been there.
struct Leader {
  std::uint32_t expert;
  std::size_t entered;
};

class UnlimitedSweep {
 public:
  UnlimitedSweep(std::size_t experts, std::size_t rounds, double switch_cost)
      : states_(experts, State{0, 0, 0}), switch_cost_(switch_cost) {
    leaders_.reserve(rounds);
  }

  void advance(const double* losses) {
    const std::size_t t = leaders_.size();
    State switched{std::numeric_limits<double>::infinity(), 0, t};
    if (t > 0) {
      switched.value = best().value + switch_cost_;
      switched.switches = best().switches + 1;
    }
    std::size_t leader = 0;
    for (std::size_t k = 0; k < states_.size(); ++k) {
      State& state = states_[k];
      if (switched.better_than(state)) state = switched;
      state.value += losses[k];
      if (state.better_than(states_[leader])) leader = k;
    }
    leaders_.push_back({static_cast<std::uint32_t>(leader), states_[leader].entered});
  }

  // The best path so far. Requires a round.
  const State& best() const { return states_[leaders_.back().expert]; }

  std::vector<std::uint32_t> experts() const {
    std::vector<std::uint32_t> path(leaders_.size());
    for (std::size_t end = path.size(); end > 0;) {
      const auto& [expert, entered] = leaders_[end - 1];
      std::fill(path.begin() + static_cast<std::ptrdiff_t>(entered),
                path.begin() + static_cast<std::ptrdiff_t>(end), expert);
      end = entered;
    }
    return path;
  }

 private:
  std::vector<State> states_;    // [K]
  std::vector<Leader> leaders_;  // [rounds so far]
  double switch_cost_;
};

}  // namespace

SwitchingPath unlimited_path(MatrixView losses, double switch_cost) {
  return unlimited_path(oracle::MatrixRows(losses), switch_cost);
}

SwitchingPath unlimited_path(const LossRows& losses, double switch_cost) {
  oracle::checked_switch_cost(switch_cost);
  SwitchingPath path;
  const std::size_t rounds = losses.rows(), experts = losses.columns();
  if (rounds == 0) return path;
  path.loss = std::numeric_limits<double>::infinity();
  if (experts == 0) return path;  // nobody to be with
  constexpr std::size_t kChunkNumbers = std::size_t{16} << 10;
  const std::size_t chunk = std::max<std::size_t>(1, kChunkNumbers / experts);
  std::vector<double> buffer(chunk * experts);
  UnlimitedSweep sweep(experts, rounds, switch_cost);
  for (std::size_t first = 0; first < rounds; first += chunk) {
    const std::size_t count = std::min(chunk, rounds - first);
    losses.read(first, count, buffer.data(), experts);
    for (std::size_t t = 0; t < count; ++t) sweep.advance(buffer.data() + t * experts);
  }
  path.loss = sweep.best().value;
  if (!std::isfinite(path.loss)) return path;  // sleepers, or losses too large to be added
  path.switches = sweep.best().switches;
  path.experts = sweep.experts();
  return path;
}

}  // namespace pcgs
