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
// that are the lower medians over those that give both levels, none if nobody does. Adds how many had crossed.
Forecasts completed(std::span<const double> taus, const Forecasts& given, std::int64_t& crossed);

// What a series remembers of what was combined and of what happened.
struct Anchor {
  bool there = false;
  double middle = 0, half_width = 0;
  std::vector<double> distances;  // of outcomes from where it was
};

// Where experts of a round are held: src/combine/clipping.h by the letter.
struct Bounds {
  std::vector<double> lowest, highest;  // [P]
  double least, most;                   // what the series allows
  std::vector<double> centre, reach;    // [P] before the series has its say
};
Bounds bounds_of(std::span<const double> taus, const Forecasts& complete, const Anchor& anchor);

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
  // What is combined, on the scale of the combination: everybody held, and again with the one that is not.
  const Forecasts& combined_from(std::int64_t round) const { return open_.at(round).held; }
  std::vector<double> weights(std::size_t series) const;
  // [P] by which quantiles of a coming round are stretched.
  std::vector<double> stretch() const;

  std::int64_t crossed = 0;
  std::vector<std::int64_t> far;  // [K]

 private:
  // What one outcome taught, in the order of arrival; losses in units, capped, by the number of the expert.
  struct Lesson {
    std::size_t series;
    double series_then;
    std::map<int, double> losses;
    double reference;
  };
  struct Series {
    std::vector<double> trust, follower;  // [6] [K]
    Anchor anchor;
    std::vector<double> units, root_units;  // losses of the reference so far
    bool has_roots;
  };
  struct Round {
    std::size_t series;
    Forecasts experts, held, made;
    std::vector<double> combined, calibrated, published;
    bool anchored;
    double anchor;
  };
  std::vector<double> trust() const;
  double ratio(const std::vector<Lesson>& lessons, std::size_t series, int expert) const;
  std::vector<double> ratio_weights(const std::vector<Lesson>& lessons, std::size_t series,
                                    const std::vector<bool>& awake) const;
  void give_up_roots(Series& series) const;
  std::vector<double> calibrated(std::vector<double> combined, bool any_below_zero) const;
  void learn_calibration(const std::vector<double>& published, double y);

  std::vector<double> taus_;
  bool log1p_, calibrate_;
  std::vector<int> numbers_;  // [K] of experts, in the order in which they came
  int next_number_ = 0;
  std::vector<Lesson> scores_, roots_;
  std::vector<std::vector<double>>
      trusted_;  // [lesson][6] losses of candidates, divided by the series
  std::vector<Series> series_;
  std::vector<double> stretch_;  // [P] in logarithms
  std::map<std::int64_t, Round> open_;
  std::int64_t next_round_ = 1;
};

}  // namespace pcgs::reference
