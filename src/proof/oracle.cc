#include "pcgs/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pcgs/error.h"
#include "proof/sweep.h"

namespace pcgs {

namespace {

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

// The path behind an oracle value, without a back-pointer for every state.
//
// dp[t,s,k] depends on dp[t-1,s,k], on l_t(k), on what a switch costs, and on one number of the row
// below, its best before round t. Those bests are few, T (S+1), and are kept. Going back along expert k in row s then
// takes the history of that one entry, computed again from the last checkpoint of the table: its
// last switch is where the path entered. The expert it came from is the best of the row below at
// that time, one row computed again from the same checkpoint. All of that together costs about as
// much as one row, T K, and S pieces of a row.
//
// Where even the bests do not fit the memory, the rounds are cut into segments: the first sweep
// leaves the table at the start of each, and each is swept a second time, from the last to the
// first.

using oracle::Sweep;

// Rounds between two checkpoints within a segment. With n of them, n tables are copied and up to S
// rows carried through T/n rounds again; the sum is smallest near this n. More would only cost
// memory.
constexpr double kMostPieces = 64;

std::size_t piece_rounds(std::size_t segment) {
  const double count = std::clamp(std::sqrt(static_cast<double>(segment)) / 2.5, 1.0, kMostPieces);
  return static_cast<std::size_t>(std::ceil(static_cast<double>(segment) / count));
}

std::size_t pieces(std::size_t rounds, std::size_t length) {
  return (rounds + length - 1) / length;
}

// What the memory depends on. In double, which cannot overflow.
struct Sizes {
  double table;      // bytes of dp[s,k] and of the best of each row
  double loss_row;   // bytes of the losses of a round
  double bests_row;  // bytes of the bests of a round
};

// Bytes that tracing a segment of so many rounds takes.
double segment_bytes(const Sizes& sizes, std::size_t segment) {
  const std::size_t piece = piece_rounds(segment);
  return static_cast<double>(segment) * sizes.bests_row +
         static_cast<double>(pieces(segment, piece)) * sizes.table +
         static_cast<double>(std::min(piece, segment)) * sizes.loss_row;
}

// The longest segments that fit, together with the table that is swept and those at their starts.
std::size_t segment_rounds(std::size_t rounds, std::size_t experts, std::size_t budgets,
                           std::size_t memory) {
  const double stride = static_cast<double>(padded(experts));
  const double rows = static_cast<double>(budgets);
  constexpr double kNumber = sizeof(double);
  const Sizes sizes{rows * (stride + 1) * kNumber, stride * kNumber, (rows + 1) * kNumber};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t count = 1; count < 2 * rounds; count += count / 8 + 1) {
    const std::size_t segment = pieces(rounds, count);
    const double needed = segment_bytes(sizes, segment) + static_cast<double>(count) * sizes.table;
    if (needed <= static_cast<double>(memory)) return segment;
    least = std::min(least, needed);
  }
  throw Error(
      ErrorKind::kLimit, {.field = "memory"},
      fmt::format("a path over {} rounds with {} switches does not fit {} MiB; allow {:.0f} MiB",
                  rounds, budgets - 1, memory >> 20, std::ceil(std::ldexp(least, -20))));
}

class Tracer {
 public:
  Tracer(const LossRows& losses, Sweep& sweep, std::size_t segment)
      : losses_(losses),
        sweep_(sweep),
        piece_(piece_rounds(segment)),
        column_(piece_),
        buffer_(piece_ * sweep.stride(), std::numeric_limits<double>::infinity()) {}

  // Sweeps a segment for the rows s < budgets, from where the sweep is, and keeps what trace needs.
  void sweep_segment(std::size_t start, std::size_t end, std::size_t budgets) {
    start_ = start;
    step_ = budgets + 1;
    bests_.resize((end - start) * step_);
    checkpoints_.clear();
    for (std::size_t t = start; t < end; t += piece_) {
      checkpoints_.push_back(sweep_.checkpoint());
      sweep_.advance(t, std::min(piece_, end - t), budgets, bests_.data() + (t - start) * step_);
    }
  }

  // Fills experts[start_ .. end): the path is with expert k in row s at round end - 1. Returns with
  // k and s those of the round before the segment.
  void trace(std::size_t end, std::size_t& s, std::size_t& k, std::vector<std::uint32_t>& experts) {
    std::size_t t = end;  // rounds from t on are done
    for (std::size_t i = checkpoints_.size(); i-- > 0;) {
      const std::size_t start = start_ + i * piece_;
      while (t > start) {
        const std::size_t entered = last_entry(i, start, t, s, k);
        const std::size_t from = std::max(entered, start);
        std::fill(experts.begin() + static_cast<std::ptrdiff_t>(from),
                  experts.begin() + static_cast<std::ptrdiff_t>(t), static_cast<std::uint32_t>(k));
        t = from;
        if (entered == kNever) break;
        --s;
        k = best_expert(i, start, t, s);
      }
    }
  }

 private:
  static constexpr std::size_t kNever = 0;  // nobody switches into the first round of all

  // The last round before t in which dp[s,k] came from the row below, kNever if none in this piece.
  std::size_t last_entry(std::size_t piece, std::size_t start, std::size_t t, std::size_t s,
                         std::size_t k) {
    losses_.read_column(k, start, t - start, column_.data());
    double value = checkpoints_[piece][s * sweep_.stride() + k];
    std::size_t entered = kNever;
    for (std::size_t u = start; u < t; ++u) {
      const double below = bests_[(u - start_) * step_ + s] + sweep_.switch_cost();
      if (below < value) {
        value = below;
        entered = u;
      }
      value += column_[u - start];
    }
    return entered;
  }

  // The lowest index that is best in row s just before round t.
  std::size_t best_expert(std::size_t piece, std::size_t start, std::size_t t, std::size_t s) {
    const std::size_t stride = sweep_.stride();
    const auto saved = checkpoints_[piece].begin() + static_cast<std::ptrdiff_t>(s * stride);
    row_.assign(saved, saved + static_cast<std::ptrdiff_t>(stride));
    if (t > start) {
      losses_.read(start, t - start, buffer_.data(), stride);
      double best = 0;  // written, not needed
      std::vector<double> before(2 * (t - start));
      for (std::size_t u = start; u < t; ++u) {
        before[2 * (u - start)] = bests_[(u - start_) * step_ + s];
      }
      oracle::carry({row_.data(), 1, stride, &best, buffer_.data(), t - start, before.data() + 1, 2,
                     sweep_.switch_cost()});
    }
    const auto end = row_.begin() + static_cast<std::ptrdiff_t>(losses_.columns());
    return static_cast<std::size_t>(std::min_element(row_.begin(), end) - row_.begin());
  }

  const LossRows& losses_;
  Sweep& sweep_;
  std::size_t piece_;
  std::size_t start_ = 0;
  std::size_t step_ = 0;
  std::vector<double> bests_;                     // [round][step]; [s] is the best of row s - 1
  std::vector<std::vector<double>> checkpoints_;  // [piece]
  std::vector<double> column_;                    // [piece rounds] losses of one expert
  AlignedVector buffer_;                          // [piece rounds][stride] losses
  AlignedVector row_;                             // [stride]
};

}  // namespace

std::vector<double> switching_oracle(MatrixView losses, std::size_t max_switches,
                                     std::size_t threads, double switch_cost) {
  return switching_oracle(oracle::MatrixRows(losses), max_switches, threads, switch_cost);
}

std::vector<double> switching_oracle(const LossRows& losses, std::size_t max_switches,
                                     std::size_t threads, double switch_cost) {
  std::vector<double> frontier;
  if (max_switches >= frontier.max_size()) {
    throw Error(
        ErrorKind::kLimit, {.field = "switches"},
        fmt::format("the values for 0 to {} switches are more than any memory holds; ask for fewer",
                    max_switches));
  }
  oracle::checked_switch_cost(switch_cost);
  frontier.resize(max_switches + 1);
  if (losses.rows() == 0) return frontier;
  if (losses.columns() == 0) {  // nobody to be with
    std::fill(frontier.begin(), frontier.end(), std::numeric_limits<double>::infinity());
    return frontier;
  }
  // More budget than rounds to switch in buys nothing.
  const std::size_t budgets = std::min(max_switches, losses.rows() - 1) + 1;
  oracle::Sweep sweep(losses, budgets, threads, switch_cost);
  sweep.advance(0, losses.rows(), budgets);
  for (std::size_t s = 0; s <= max_switches; ++s) {
    frontier[s] = sweep.best(std::min(s, budgets - 1));
  }
  return frontier;
}

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

SwitchingPath switching_path(MatrixView losses, std::size_t max_switches, std::size_t memory,
                             std::size_t threads, double switch_cost) {
  return switching_path(oracle::MatrixRows(losses), max_switches, memory, threads, switch_cost);
}

SwitchingPath switching_path(const LossRows& losses, std::size_t max_switches, std::size_t memory,
                             std::size_t threads, double switch_cost) {
  oracle::checked_switch_cost(switch_cost);
  SwitchingPath path;
  const std::size_t rounds = losses.rows();
  if (rounds == 0) return path;
  if (losses.columns() == 0) {  // nobody to be with
    path.loss = std::numeric_limits<double>::infinity();
    return path;
  }
  const std::size_t budgets = std::min(max_switches, rounds - 1) + 1;
  const std::size_t segment = segment_rounds(rounds, losses.columns(), budgets, memory);
  Sweep sweep(losses, budgets, threads, switch_cost);
  Tracer tracer(losses, sweep, segment);

  // Forwards: the last segment is traced straight away, the others leave their table.
  std::vector<std::vector<double>> starts;
  const std::size_t last = (rounds - 1) / segment * segment;
  for (std::size_t start = 0; start < last; start += segment) {
    starts.push_back(sweep.checkpoint());
    sweep.advance(start, segment, budgets);
  }
  tracer.sweep_segment(last, rounds, budgets);
  path.loss = sweep.best(budgets - 1);
  if (!std::isfinite(path.loss)) return path;  // sleepers, or losses too large to be added
  std::size_t s = 0;
  while (sweep.best(s) > path.loss) ++s;
  path.switches = s;

  // Backwards.
  path.experts.resize(rounds);
  std::size_t k = sweep.best_expert(s);
  tracer.trace(rounds, s, k, path.experts);
  for (std::size_t start = last; start > 0; start -= segment) {
    sweep.restore(starts[start / segment - 1]);
    tracer.sweep_segment(start - segment, start, s + 1);
    tracer.trace(start, s, k, path.experts);
  }
  return path;
}

}  // namespace pcgs
