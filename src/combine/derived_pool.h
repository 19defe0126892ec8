// All derived experts of a blend, and what they share: the usual size of errors, the centre and its
// earlier errors.
//
// An outlier is treated as missing: a forecast that is further from the median of all, by a factor of
// fifty, than both the best expert's usual error and its own usual distance. At least three experts
// have to be there, and nobody is judged in the first rounds.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "combine/blend.h"
#include "combine/error_memory.h"
#include "pcgs/method.h"

namespace pcgs::blend {

class DerivedPool {
 public:
  explicit DerivedPool(const Setting& setting);

  std::size_t experts() const { return forecasts_.size(); }  // K
  std::size_t size() const { return derived_.size(); }       // M
  // [M] how much each is to be trusted before anything is known: 1, or less where it takes long to
  // learn and may go wrong on the way.
  std::span<const double> trust() const { return trust_; }
  // Numbers kept with an open round; made() of them are the derived forecasts.
  std::size_t kept() const { return kept_; }
  std::span<const double> made(std::span<const double> kept) const {
    return kept.subspan(made_at_, size());
  }
  // As if everybody had been awake, and nobody an outlier.
  void hear_all(std::span<double> kept) const {
    for (double& heard : kept.subspan(heard_at_, experts())) heard = 1;
  }
  bool could_have_kept(std::span<const double> kept) const;
  double loss_unit(std::span<const double> kept) const { return kept[kLossUnit]; }
  // [K] of the latest round that was forecast or observed; a sleeper's is the centre.
  std::span<const double> filled() const { return forecasts_; }

  // Forecasts a round and fills `kept`.
  void forecast(const OpenedRound& round, std::span<double> kept);
  // Learns from its outcome.
  void observe(const OpenedRound& round, std::span<const double> kept, double outcome,
               std::int64_t late);
  // Adds the weights of the raw experts in the derived forecasts, each times its share [M], which
  // is used up.
  void add_weights(const OpenedRound& round, std::span<const double> kept, std::span<double> shares,
                   std::span<double> weights);

  // All of them in order, with what they keep and how they are trusted.
  std::string description() const;

  // One that has learned nothing, for other experts, and which of its derived experts are here: a few are
  // there for some numbers of experts only.
  DerivedPool fresh_for(std::size_t experts) const;
  ExpertChange change_to(const DerivedPool& after) const;
  // What is kept with an open round, for the experts after a change.
  std::vector<double> kept_after(const ExpertChange& experts, std::span<const double> kept,
                                 std::span<const std::uint8_t> awake) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  enum At : std::size_t { kMedian, kMean, kCentre, kUnit, kLossUnit, kErrors };

  Seen seen(const OpenedRound& round, std::span<const double> kept);
  void find_heard(const OpenedRound& round, std::span<double> kept);
  double median(const OpenedRound& round);  // of the awake; the higher of two
  void observe_distances(const OpenedRound& round, double middle);

  Setting setting_;
  std::vector<std::string> names_;  // [M]
  std::vector<std::unique_ptr<Derived>> derived_;
  std::vector<double> trust_;
  Units units_;
  ErrorMemory centre_errors_;
  std::size_t errors_, heard_at_, made_at_, kept_ = 0;
  std::vector<std::size_t> kept_at_;  // [M] where each one's own begin
  std::vector<double> distance_;      // [K] usual one from the median of all
  std::uint64_t rounds_ = 0;          // that it is made of
  std::vector<double> forecasts_;     // [K] scratch
  std::vector<double> awake_;         // [K] scratch
  std::vector<std::uint8_t> heard_;   // [K] scratch: awake and no outlier
};

}  // namespace pcgs::blend
