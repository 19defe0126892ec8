// A whole run: methods on a table of forecasts or losses, with all that is asked about it.
//
//     pcgs::Request request;
//     request.outcome = "load";
//     request.time = "ds";
//     const auto outcome = pcgs::run(request, pcgs::read_table({"load.csv"}, request));
//     outcome.series[0].comparison.methods.back().forecasts;     // [T]
//
// The program, Python and R are faces of this: what is accepted, what it means where nothing is said,
// and what is told beside it are decided here.
//
// **Time.** A forecast depends on an outcome if and only if that was known before it was made: rounds
// of a block are forecast before the outcome of any of them, and outcomes come `delay` rounds late.
// A row whose outcome is missing is forecast and not learned. Rows behind the last outcome are coming:
// whoever resumes from the state finds no trace of them.
//
// **Everything is played once.** Weights, intervals, observers and time per round come from that pass.
// Methods that are tuned in hindsight (starred) are the exception: their candidates are played, and
// the best once more if somebody observes it.
//
// Errors have a kind and a place, and name fields of the request by option().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/outcome.h"
#include "pcgs/table.h"

namespace pcgs {

namespace compare {
class Hindsight;
}

// Watches methods play.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // A method is about to play from where `player` is; all stay until end(). Null if this method is of
  // no interest. There is hindsight where regret was asked for, else null.
  virtual TraceSink* begin(const Problem& problem, const MethodResult& method,
                           const Aggregator& player, const compare::Hindsight* hindsight) = 0;
  // It has played to the end. Called wherever begin() was.
  virtual void end() {}
};

struct Request {
  // ---- Columns ----
  std::string outcome{};              // what is forecast; empty: the table holds losses
  std::string time{};                 // empty: the table's column of times, if it has one
  std::string known{};                // of quantiles: when an outcome is known; empty: at its time
  std::vector<std::string> series{};  // what tells series apart
  std::string model_column{};         // long format: who made the forecast of a row; empty: wide
  std::vector<std::string> models{};  // to combine; empty: all columns that are nothing else
  std::vector<std::string> ignore{};
  std::vector<std::string> side{};  // side information
  // Of distributions: the columns of their quantiles, "q*" with the level for *. Empty: points.
  std::string quantiles{};

  // ---- Who combines them ----
  // Specs (registry.h), or "all". Empty: blend for forecasts, guard for losses, or what resumes. The
  // last one is published and saved.
  std::vector<std::string> methods{};
  std::string model_file{};  // weights in the place of the shipped ones
  // Rounds, the shortest first; none: what the times suggest; empty: no season.
  std::optional<std::vector<std::size_t>> season{};

  // ---- What is known when ----
  std::size_t block = 1;
  std::size_t delay = 0;

  // ---- What is paid ----
  std::optional<TaskLoss> loss{};  // none: squared, or that of the state
  std::string scale{};  // as LossScale::from takes it; empty: the default, or the state's

  // ---- Intervals ----
  // Shares of outcomes that they hold, between 0 and 1. None: 0.8 and 0.95, or those of the state;
  // empty: no intervals.
  std::optional<std::vector<double>> intervals{};
  // Of quantiles.
  bool calibrate = true;
  QuantileScale transform = QuantileScale::kRaw;

  // ---- What it is measured against ----
  // Switch budgets of the best path in hindsight; empty: 5, 10 and 20 for losses, and nothing is
  // measured for forecasts.
  std::vector<std::size_t> switches{};
  std::optional<double> switch_cost{};  // in units of the losses that methods learn from

  // ---- States ----
  std::vector<std::uint8_t> state{};     // resumed from; empty: the run begins
  std::string state_name = "the state";  // in messages
  bool skip_learned = false;             // leave rows out that it has learned; else an Error
  std::vector<std::string> drop{};       // experts of it that leave for good
  bool save = false;                     // whether a state is wanted

  // ---- What is kept, and who watches ----
  bool keep_weights = false;              // [T x K] of the last method
  bool certify_forecasts = false;         // of methods that do and are not of the share form
  std::vector<RunObserver*> observers{};  // of one series
  std::size_t stretches = 0;              // parts of time of the hindsight that observers get
  std::size_t threads = 1;                // that share out the series; no result depends on it
  // Told now and then how many rounds have been played and how many are to play; from several threads,
  // one at a time. May throw, which ends the run.
  std::function<void(std::size_t played, std::size_t all)> progress{};
  TellNote tell{};  // notes as they are found; the outcome has them, too
};

// Where a table is read from.
struct TableFiles {
  std::string path;        // .csv or .npy, gzipped or not; "-" is standard input
  std::string outcomes{};  // with quantiles: outcomes in rows with the same texts in shared columns
  std::string side{};      // side information, a row for each round
  char decimal = '.';
  char thousands = '\0';  // none
};

// The columns that the request needs. Throws Error, naming the file.
Table read_table(const TableFiles& files, const Request& request);

// Throws Error for a request that contradicts itself or does not fit the table.
Outcome run(const Request& request, Table table);

}  // namespace pcgs
