// The panel of quantile forecasts by the letter of include/pcgs/quantiles.h: plain vectors, weights by
// std::exp and a division, the pool by bisection, every round kept with all that was said in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace pcgs::reference {

// [K][P]; an expert that says nothing has NaN throughout.
using Forecasts = std::vector<std::vector<double>>;

// Experts that give some levels only: their own in order, lines between those, and beyond them the steps
// of the mean over those that give a level (one that nobody gives is the next that somebody
// gives on the way to the middle, else below, else above; a mean below the one before it is raised to it). Adds how many had crossed.
Forecasts completed(std::span<const double> taus, const Forecasts& given, std::int64_t& crossed);

// Who is further from the median of the experts' middles than 50 times what is usual, unless that were
// half of them; rows in order, NaN at levels that are not given.
std::vector<bool> wild_ones(const Forecasts& rows);

class QuantilePanel {
 public:
  QuantilePanel(std::vector<double> taus, bool log1p, bool calibrate);

  void add_expert();
  void remove_expert(std::size_t expert);
  void add_series();

  // [K x P]
  std::int64_t open(std::size_t series, std::span<const double> quantiles);
  void learn(std::int64_t round, double outcome);
  void abandon(std::int64_t round) { open_.erase(round); }

  const std::vector<double>& forecast(std::int64_t round) const {
    return open_.at(round).published;
  }
  // What those say, on the scale of the combination, who are neither asleep nor wild.
  const Forecasts& heard(std::int64_t round) const { return open_.at(round).experts; }
  std::vector<double> weights(std::size_t series) const;
  // [P] by which quantiles of a coming round are stretched.
  std::vector<double> stretch() const;

  std::int64_t crossed = 0, wild = 0;

 private:
  // Weights and what they learn from: all series or one.
  struct Scope {
    std::vector<std::vector<double>> experts;  // [rate][K]
    std::vector<double> vectors, operators;    // [9] [3]
  };
  struct Round {
    std::size_t series;
    Forecasts experts, of_vectors, of_operators;
    std::vector<double> combined, calibrated, published;
  };
  Scope new_scope() const;
  std::vector<std::vector<double>> vectors_over(std::size_t series,
                                                const std::vector<bool>& awake) const;
  std::vector<double> mixed(std::size_t series,
                            const std::vector<std::vector<double>>& vectors) const;
  std::vector<double> operator_weights(std::size_t series) const;
  std::vector<double> calibrated(std::vector<double> combined, bool any_below_zero) const;
  void learn_calibration(const std::vector<double>& published, double y);

  std::vector<double> taus_;
  bool log1p_, calibrate_;
  std::size_t experts_ = 0;
  Scope all_;
  std::vector<Scope> own_;
  std::vector<std::vector<double>> operator_units_;  // [series] of every round
  std::vector<double> slow_, quick_;                 // [P] the same for both levels of a pair
  std::map<std::int64_t, Round> open_;
  std::int64_t next_round_ = 1;
};

}  // namespace pcgs::reference
