// What happens to a panel of quantile forecasts in tests, drawn beforehand: experts that come, go, sleep,
// give some levels, cross and explode; several series; outcomes that are late or never come.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "pcgs/quantiles.h"
#include "support/random.h"

namespace pcgs::test {

struct PanelEvent {
  enum Kind { kAddExpert, kRemoveExpert, kAddSeries, kOpen, kLearn, kAbandon };
  Kind kind;
  std::string name;                    // of the expert or of the series
  std::size_t index = 0;               // of the expert that leaves; of a round's series
  std::vector<std::string> experts{};  // [K] those of a round
  std::vector<double> quantiles{};     // [K x P]
  std::int64_t round = 0;
  double outcome = 0;
};

class PanelEvents {
 public:
  PanelEvents(std::uint64_t seed, QuantileScale scale, std::size_t levels)
      : random_(seed), options_{{}, scale, seed % 3 != 0, seed % 2 == 1} {
    for (std::size_t i = 0; i < levels; ++i) {
      options_.levels.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(levels));
    }
    for (int k = 0; k < 3; ++k) add_expert();
    add_series();
  }

  const QuantileOptions& options() const { return options_; }
  const std::vector<PanelEvent>& events() const { return events_; }

  void draw(int count) {
    for (int i = 0; i < count; ++i) draw_one();
  }

 private:
  struct Expert {
    std::string name;
    double bias, spread;
  };

  void add_expert() {
    experts_.push_back(
        {"expert" + std::to_string(named_++), random_.uniform(-1, 1), random_.log_uniform(0.1, 1)});
    events_.push_back({.kind = PanelEvent::kAddExpert, .name = experts_.back().name});
  }
  void remove_expert() {
    const std::size_t index = random_.below(experts_.size());
    events_.push_back(
        {.kind = PanelEvent::kRemoveExpert, .name = experts_[index].name, .index = index});
    experts_.erase(experts_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  void add_series() {
    centres_.push_back(random_.uniform(2, 6));
    events_.push_back(
        {.kind = PanelEvent::kAddSeries, .name = "series" + std::to_string(centres_.size())});
  }

  double on_scale(double x) const {
    return options_.scale == QuantileScale::kLog1p ? std::expm1(std::clamp(x, -20.0, 600.0)) : x;
  }

  std::vector<double> draw_row(const Expert& expert, double centre) {
    const std::size_t count = options_.levels.size();
    const double middle = centre + expert.bias + random_.uniform(-0.5, 0.5);
    const bool coarse = random_.chance(0.3);
    std::vector<double> row;
    for (const double tau : options_.levels) {
      const double x = middle + expert.spread * std::log(tau / (1 - tau));
      row.push_back(coarse ? std::round(4 * x) / 4 : x);
    }
    if (random_.chance(0.05)) {
      for (double& x : row) x *= 1000;
    }
    if (random_.chance(0.1)) std::swap(row[random_.below(count)], row[random_.below(count)]);
    for (double& x : row) x = on_scale(x);
    if (random_.chance(0.3)) {
      for (double& x : row) {
        if (random_.chance(0.5)) x = NAN;
      }
    }
    if (random_.chance(0.15)) std::ranges::fill(row, NAN);
    return row;
  }

  void open() {
    PanelEvent event{
        .kind = PanelEvent::kOpen, .name = {}, .index = random_.below(centres_.size())};
    for (const auto& expert : experts_) {
      const auto row = draw_row(expert, centres_[event.index]);
      event.experts.push_back(expert.name);
      event.quantiles.insert(event.quantiles.end(), row.begin(), row.end());
    }
    event.round = next_round_++;
    centres_[event.index] += random_.uniform(-0.2, 0.2);
    outcomes_.push_back({event.round, on_scale(centres_[event.index] + random_.uniform(-1, 1))});
    events_.push_back(event);
  }

  void close() {
    const auto at =
        outcomes_.begin() + static_cast<std::ptrdiff_t>(random_.below(outcomes_.size()));
    events_.push_back({.kind = random_.chance(0.1) ? PanelEvent::kAbandon : PanelEvent::kLearn,
                       .name = {},
                       .round = at->first,
                       .outcome = at->second});
    outcomes_.erase(at);
  }

  void draw_one() {
    if (random_.chance(0.04) && experts_.size() < 7) return add_expert();
    if (random_.chance(0.04) && experts_.size() > 2) return remove_expert();
    if (random_.chance(0.03) && centres_.size() < 4) return add_series();
    if (!outcomes_.empty() && (outcomes_.size() > 5 || random_.chance(0.5))) return close();
    open();
  }

  Random random_;
  QuantileOptions options_;
  std::vector<Expert> experts_;
  std::vector<double> centres_;                            // [series]
  std::vector<std::pair<std::int64_t, double>> outcomes_;  // of open rounds
  std::vector<PanelEvent> events_;
  int named_ = 0;
  std::int64_t next_round_ = 1;
};

inline void apply(const PanelEvent& event, QuantilePanel& panel) {
  switch (event.kind) {
    case PanelEvent::kAddExpert:
      panel.add_expert(event.name);
      break;
    case PanelEvent::kRemoveExpert:
      panel.remove_expert(event.name);
      break;
    case PanelEvent::kAddSeries:
      panel.add_series(event.name);
      break;
    case PanelEvent::kOpen:
      panel.open(event.index, event.quantiles);
      break;
    case PanelEvent::kLearn:
      panel.learn(event.round, event.outcome);
      break;
    case PanelEvent::kAbandon:
      panel.abandon(event.round);
      break;
  }
}

}  // namespace pcgs::test
