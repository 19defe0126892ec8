// The household benchmark's protocol: from a series to the losses that methods are compared on.
//
// The last observations are kept; experts run over all of them, strictly online. The first of them
// (the burn-in, or as many as the slowest expert needs before it speaks) are not judged; an expert
// that says nothing later, as after values that are out of all reason, is an error. The rest
// is split in time: a training part, on which rates are tuned and models fine-tuned, and a test
// part, on which everything is measured. Losses are squared errors divided by a quantile of those
// of the training part, and clipped at 1 or bounded as the options say.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/json.h"
#include "data/progress.h"
#include "pcgs/experts.h"
#include "pcgs/loss_scale.h"
#include "run/comparison.h"
#include "show/result.h"

namespace pcgs::results {

// What pcgs electricity found: methods on the test part of one series.
struct ElectricityResult {
  static constexpr const char* kKind = "electricity";
  static const Kind& kind();

  struct BestExpert {
    std::string name;
    double mean_loss = 0;
  };
  struct Method {
    std::string name;
    // The rates of a tuned method; at most one of them is not empty.
    std::string chosen_in_hindsight, chosen_on_training_part;
    double mean_loss = 0;
    ByBudget<double> regret_per_round;
    double ns_per_round = 0;
    // Of the same weights on squared errors as they are, neither divided nor clipped; none where
    // that is beyond the range of a double.
    std::optional<double> unclipped_mean_loss{};
    ByBudget<double> unclipped_regret_per_round{};
  };

  std::string file, column;
  std::vector<std::size_t> seasons;
  std::size_t observations = 0;
  std::size_t burn_in = 0;
  std::size_t training_rounds = 0;
  std::size_t rounds = 0;  // of the test part
  double scale = 1;        // what squared errors were divided by
  std::vector<std::string> experts;
  BestExpert best_expert;
  std::vector<std::size_t> switches;  // budgets, at least one
  ByBudget<double> oracle_mean_loss;
  std::vector<Method> methods;  // at least one
  std::string bound{};          // how squared errors were bounded, if they were not clipped
  ByBudget<double> unclipped_oracle_mean_loss{};  // of squared errors as they are
};

}  // namespace pcgs::results

namespace pcgs::studies {

// Where the series comes from: the UCI file as published, or a column of any other table.
struct SeriesSource {
  std::string path, column{};
  std::size_t minutes = 0;             // resolution of the household file, divides a day; 0: 10
  std::vector<std::size_t> seasons{};  // observations in each, the shortest first; empty: the usual
};

struct Observations {
  std::vector<double> values;  // at least one in the household file
  std::string column;
  std::vector<std::size_t> seasons;
  std::size_t rows = 0, missing = 0;  // of the file, and those without a value
  std::string description;            // of what was read, for the table
};

Observations read_observations(const SeriesSource& source);

// The household file of UCI dataset 235, as published (household_power_consumption.txt):
//
//     Date;Time;Global_active_power;Global_reactive_power;Voltage;...;Sub_metering_3
//     16/12/2006;17:24:00;4.216;0.418;234.840;18.400;0.000;1.000;17.000
//     28/4/2007;00:21:00;?;?;?;?;?;?;
//
// Semicolons, dates d/m/yyyy, one row per minute, later and later; ? or nothing where a value is
// missing. Lines end in LF or CRLF; the last may end in nothing. Anything else is refused with an
// Error that names the row. A file that was cut off is refused if its last line has
// too few fields; a cut inside the last field, or at the end of a line, cannot be told from the
// end.
//
// What comes out are means over stretches of so many minutes, counted from midnight: rows without a
// value are dropped, and so are stretches without a row that has one.
Observations parse_household(std::string_view text, const SeriesSource& source);
// Whether a file that starts so is meant to be one of these.
bool is_household(std::string_view text);

struct SplitOptions {
  std::size_t observations = 20000;  // the last so many; fewer if there are not so many
  double training = 0.7;             // share of the observations
  std::size_t burn_in = 48;
  LossBound bound = LossBound::kClip;
};

struct SplitLosses {
  std::size_t observations = 0;
  std::size_t burn_in = 0;  // observations that are not judged
  double scale = 0;         // what squared errors were divided by
  LossBound bound = LossBound::kClip;
  Problem training, test;  // [T x K] in [0,1]; of `test` also the errors themselves
};

// Throws Error, naming `origin`, if too little is left of either part or an expert falls asleep.
SplitLosses split_losses(const std::vector<double>& series, ExpertPool pool,
                         const SplitOptions& options, const std::string& origin);

// The experts of the benchmark for these seasons, with a regression over the last `window`
// observations unless that is 0.
ExpertPool benchmark_pool(const std::vector<std::size_t>& seasons, std::size_t window);

// The methods of the options, the baselines tuned on the training part, and those tuned in
// hindsight, on the test part; observers see the test part. Methods with a star among them are left
// out.
Comparison play_benchmark(const SplitLosses& losses, compare::ComparisonOptions options,
                          const io::Monitor& monitor);

results::ElectricityResult electricity_result(const Observations& observations,
                                              const SplitLosses& losses,
                                              const Comparison& comparison);
// `description` is of what was read.
std::string electricity_table(const results::ElectricityResult& result,
                              const std::string& description);

}  // namespace pcgs::studies
