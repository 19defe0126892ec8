// One run round by round, kept small enough to be drawn: what a report shows in depth.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/certificates.h"
#include "pcgs/method.h"
#include "pcgs/trace.h"
#include "run/comparison.h"
#include "show/curves.h"

namespace pcgs::report {

inline constexpr std::size_t kBlocks = 20;  // equal parts of a run in which methods are compared

struct MethodDepth {
  std::string name;
  double total_loss = 0;
  std::vector<double> block_losses;  // [kBlocks or fewer]
  Points regret;                     // loss so far beyond the oracle's path; empty without one
  // Of each stretch the first weights, and those that differ most from them (in the sum of absolute
  // differences); and the very last ones.
  std::vector<double> weight_rounds;
  std::vector<std::vector<double>> weights;  // [weight_rounds][K]
  std::vector<double> mean_weights;          // [K] over all rounds

  // Methods of the share form, else empty.
  Points eta, rho, q_on_next, q_entropy;
  std::vector<double> scatter_volatility, scatter_rho;

  // Methods that carry a certificate, else empty: what is proved about the rounds so far beside
  // what happened in them.
  Points bound, certified_regret;
  bool weighted = false;                            // both weighted by eta, which changed
  std::optional<std::size_t> certified_switches{};  // the comparator's, where it is the oracle
};

struct RunDepth {
  std::string title;
  std::vector<std::string> experts;   // [K]
  std::vector<double> expert_losses;  // [K] total; infinite for who slept
  AxisRange range{};
  std::size_t rounds = 0;    // that were played, without those that were skipped
  std::size_t switches = 0;  // that the oracle may take
  struct Stay {
    double from, to;  // rounds, both included
    std::uint32_t expert;
    double rounds;  // played in it: those that were skipped are not
  };
  std::vector<Stay> path;  // of the oracle; empty if there is none
  std::vector<MethodDepth> methods;
};

using compare::Hindsight;

// The volatility at a round is the standard deviation of the losses of this many rounds up to it.
inline constexpr std::size_t kVolatilityRounds = 10;

double entropy(std::span<const double> q);    // in nats
double deviation(std::span<const double> x);  // the standard deviation of all that there is

// Watches one method play. Rounds come in order, each once.
class DepthRecorder final : public TraceSink {
 public:
  // `method`, if given, plays its first round now and is asked for its bound; it and `hindsight` must
  // outlive the recorder. `place` says where on charts a round stands, if not at its number.
  DepthRecorder(std::string name, const Hindsight& hindsight, const Method* method = nullptr,
                std::function<double(double round)> place = {});

  void record(const TraceRow& row) override;
  MethodDepth finish();
  const std::string& name() const { return out_.name; }
  const std::vector<double>& places() const { return places_; }  // of the rounds so far

 private:
  void record_controls(const TraceRow& row);
  void record_bound(std::size_t t);
  void keep_weights();

  const Hindsight& hindsight_;
  const Method* method_;
  std::function<double(double round)> place_;
  MethodDepth out_;  // curves have every round until they are finished
  double path_loss_ = 0, published_loss_ = 0;
  std::vector<double> places_;
  std::vector<double> recent_;                // losses, a ring
  std::vector<std::vector<double>> stretch_;  // weights in the rounds of the stretch so far
  std::optional<LiveCertificate> live_;
  double top_rho_ = -1, top_volatility_ = 0;  // of the bucket, for the scatter
};

// Looks at every method of a comparison in depth. Where it had begun before the first round of the
// problem, what it could prove is left out.
class DepthObserver final : public RunObserver {
 public:
  // Requires hindsight.
  TraceSink* begin(const Problem& problem, const MethodResult& method, const Aggregator& player,
                   const Hindsight* hindsight) override;
  void end() override;
  // After a method has played: everything, on the calendar of the problem if it has one.
  RunDepth take() { return std::move(*run_); }

 private:
  const Hindsight* hindsight_ = nullptr;
  std::optional<RunDepth> run_;
  std::optional<DepthRecorder> recorder_;
};

// How finely a run is drawn of which so many methods share a page: pages stay small.
std::size_t stretches_for(std::size_t methods);

// A run before its methods are added to it.
RunDepth describe(std::string title, std::vector<std::string> experts, const Hindsight& hindsight);
// Adds a method, and with the first one what its rounds tell: where they stand and the oracle's path.
void add_method(RunDepth& run, const Hindsight& hindsight, DepthRecorder& recorder);
// The last method is the one whose forecasts are published: it comes first.
void put_combination_first(RunDepth& run);

// A run in depth from a trace that pcgs run wrote.

bool is_trace(std::string_view text);
// Everything but what a method could prove that is not of the share form. `sharing` is how many
// runs share the page. Throws Error, naming `origin`.
RunDepth depth_of_trace(std::string_view text, const std::string& origin, std::size_t switches,
                        std::size_t sharing);

}  // namespace pcgs::report
