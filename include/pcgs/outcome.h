// What came of a run (run.h): for each series its rounds, what every method forecast in them, and how
// wrong that was; for all of them their errors together and the state to resume from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pcgs/certificates.h"
#include "pcgs/forecast_errors.h"
#include "pcgs/intervals.h"
#include "pcgs/loss_scale.h"
#include "pcgs/losses.h"
#include "pcgs/matrix.h"
#include "pcgs/note.h"
#include "pcgs/quantiles.h"
#include "pcgs/table.h"

namespace pcgs {

// What methods play on: a sequence of rounds, given as losses or as forecasts.
struct Problem {
  std::string origin;                   // the table, for messages
  std::vector<std::string> experts;     // [K]
  Matrix values;                        // [T x K] losses, or forecasts (NaN: missing)
  std::vector<double> outcomes;         // [T] NaN: not known; empty: values are losses
  std::optional<TimeColumn> times{};    // [T] when each round is
  std::vector<std::size_t> rows{};      // [T] where it stands in the table; empty: 1, 2, ...
  std::vector<std::int64_t> missing{};  // [T] rounds that are missing before it; empty: none
  // [T x K] what `values` were made from, if they are losses that were capped before they came here.
  Matrix unclipped{};
  Matrix side;            // [T x any] side information; may have no columns
  std::size_t block = 1;  // rounds that are forecast before the outcome of any of them is known
  std::size_t delay = 0;  // rounds by which an outcome comes late
  std::vector<std::size_t> known_at{};  // as in Table, of this series
  TaskLoss task;
  LossScale scale;  // before the first round

  std::size_t rounds() const { return values.rows; }
  bool has_forecasts() const { return !outcomes.empty(); }
  // Rounds up to the last one that can be learned from. Those after it are coming: they are forecast.
  std::size_t known() const;
  // How many of the first rounds can be learned from before round t is forecast.
  std::size_t known_before(std::size_t t) const {
    if (!known_at.empty()) return known_at[t];
    const std::size_t start = t - t % block;
    return start > delay ? start - delay : 0;
  }
  std::size_t file_row(std::size_t t) const { return rows.empty() ? t + 1 : rows[t]; }
  LossSource source() const {
    return has_forecasts() ? LossSource::kForecasts : LossSource::kGiven;
  }
};

// The intervals that a method published, round by round.
struct IntervalRecord {
  IntervalRecord(std::size_t rounds, std::vector<double> levels);
  // What was published in round t; nothing if there is nothing to make an interval from.
  void put(std::size_t t, std::span<const Interval> intervals);

  std::vector<double> levels;
  Matrix low, high;  // [T x levels] NaN where there was none
};

struct MethodResult {
  std::string name;    // as the user wrote it
  std::string chosen;  // for a starred method, the best candidate's name; otherwise empty
  std::string full{};  // with what follows from other options, such as seasons; empty: as the name
  double total_loss = 0;
  std::optional<double> mean_forecast_loss;   // raw, of the combined forecast; may be infinite
  double ns_per_round = 0;                    // of what is published; observers do not count
  std::vector<double> next_weights;           // [K] what it would play next
  std::vector<double> forecasts;              // [T] combined; empty when there are none
  std::optional<IntervalRecord> intervals{};  // where they were asked for
  Matrix weights{};                           // [T x K] as played, where they were asked for

  // Against the best path of any number of switches, or, for methods that bring a bound of their
  // own, against the oracle with `certified_switches`; none for methods that carry none.
  std::optional<Certificate> certificate;
  bool weighted_certificate = false;  // by eta, which changed
  std::optional<std::size_t> certified_switches;

  // ---- Where regret was asked for ----
  // Of the combined forecast, divided and capped as those of the experts are: what can be compared
  // with the oracle. Never above total_loss, by convexity, where nothing is capped or bent.
  std::optional<double> total_forecast_loss;
  std::vector<double> regret;  // [switch budgets] of total_loss
  // Before losses were divided and capped, in their own units: of the combined forecast where there
  // is one, else of the weights. None where losses came in [0,1]; may be infinite.
  std::optional<double> unclipped_loss{};
  // Of the weights, in units of one expert's whole weight; where switches cost something.
  std::optional<double> movement{};

  // What can be played.
  const std::string& spec() const { return !chosen.empty() ? chosen : full.empty() ? name : full; }
};

// The best paths where every switch costs something.
struct SwitchCosts {
  double cost = 0;
  std::vector<double> oracle;  // [switch budgets] with costs; infinite where no path stays awake
  double unlimited = 0;        // the same with as many switches as pay
  std::size_t unlimited_switches = 0;
};

// Methods on one problem.
struct Comparison {
  std::size_t rounds = 0;
  std::size_t skipped = 0;  // rounds with nobody awake
  double scale = 1;         // what raw losses would be divided by next
  // ---- Where regret was asked for, else empty ----
  std::vector<std::size_t> switches;
  std::vector<double> oracle;  // [switch budgets]; infinite where no path stays awake
  // [switch budgets] on the losses before they were divided and capped; empty where they came in
  // [0,1].
  std::vector<double> unclipped_oracle{};
  std::optional<SwitchCosts> switch_costs{};  // where they were asked for
  std::size_t best_expert = 0;                // lowest total loss
  double best_expert_loss = 0;
  // ---- Always ----
  std::vector<MethodResult> methods;  // the last one is published: the combination

  bool has_regret() const { return !switches.empty(); }
};

// One of the series of a run.
struct SeriesOutcome {
  std::vector<std::string> key;  // [series columns] what it is called
  Problem problem;               // the rounds that were played, in the order of time
  Comparison comparison;
  Errors errors;  // of forecasts, the combination being the last method
  // Since the state was saved: rows that it had learned already, and experts.
  std::size_t skipped = 0;
  std::vector<std::string> came{}, missing{}, left{};
};

// Quantile forecasts of experts that come and go, for one series or for several, and what happened.
struct QuantileProblem {
  struct Forecast {
    std::size_t expert = 0, row = 0;  // in `experts` and in `quantiles`
  };
  // One time of one series.
  struct Round {
    std::size_t series = 0;
    double time = 0, known = 0;         // the outcome can be used at times after `known`
    std::string time_text, known_text;  // as in the table; the latter empty without known
    double outcome = 0;                 // NaN: not there
    std::vector<Forecast> forecasts;    // at least one, of different experts
  };

  std::string origin;                            // the table, for messages
  std::string time, known, outcome;              // names of columns; `known` may be empty
  bool calendar = false;                         // times are seconds since 1970; else plain numbers
  std::vector<std::string> by;                   // columns that tell series apart
  std::vector<std::vector<std::string>> series;  // [S][by]
  std::vector<std::string> experts;              // [K] in the order of their first rounds
  std::vector<double> levels;                    // [P] rising
  std::vector<std::string> columns;              // [P] what they are called
  Matrix quantiles;                              // [rows x P] NaN: not given
  std::vector<Round> rounds;                     // in the order of time, then of series
};

struct QuantileOutcome {
  QuantileProblem problem;  // the rounds that were played
  Matrix published;         // [rounds x P]; NaN where nobody gave anything
  QuantilePanel panel;      // as it is after them: weights, certificates
  double ns_per_round = 0;
};

struct Outcome {
  std::vector<std::string> by;          // columns that tell series apart; empty: there is one
  std::vector<SeriesOutcome> series{};  // of points and losses, in the order in which they appear
  std::optional<QuantileOutcome> quantiles{};
  Errors errors{};                    // of points, over all series
  std::vector<std::uint8_t> state{};  // where it was asked for
  std::vector<Note> notes{};
  std::string last_learned{};  // the time up to which the state resumed from had learned

  // A run that resumes on rows that were all learned before: nothing was played.
  bool nothing_new() const { return series.empty() && !quantiles; }
};

}  // namespace pcgs
