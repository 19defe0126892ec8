#include "reference/tokens.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "network/token_stream.h"

namespace pcgs::reference {
namespace {

using namespace tokens;  // its numbers and the order of a token are data, not code

// What the schema leaves to the stream.
constexpr double kNoiseFloor = 1e-4;    // squared, in scales
constexpr double kRivalryFloor = 1e-6;  // the same, of losses beside the reference

// Fixed Share weights after each round; row 0 is before the first.
Series share_weights(const Series& charges, double rho) {
  const auto experts = static_cast<double>(charges[0].size());
  Series weights = {std::vector<double>(charges[0].size(), 1 / experts)};
  for (const auto& charge : charges) {
    const double least = *std::min_element(charge.begin(), charge.end());
    std::vector<double> next = weights.back();
    double total = 0;
    for (std::size_t k = 0; k < next.size(); ++k) {
      total += next[k] *= std::exp(-(charge[k] - least));
    }
    for (double& w : next) w = (1 - rho) * w / total + rho / experts;
    weights.push_back(std::move(next));
  }
  return weights;
}

// Who leads after each round.
using Leaders = std::vector<std::optional<std::size_t>>;

Leaders leaders_of(const Series& weights, double& nearest) {
  Leaders leaders;
  for (std::size_t t = 1; t < weights.size(); ++t) {
    const auto top = std::max_element(weights[t].begin(), weights[t].end());
    nearest = std::min(nearest, std::abs(*top - static_cast<double>(kTakesOver)));
    leaders.push_back(leaders.empty() ? std::nullopt : leaders.back());
    if (*top > static_cast<double>(kTakesOver)) {
      leaders.back() = static_cast<std::size_t>(top - weights[t].begin());
    }
  }
  return leaders;
}

struct Takeover {
  std::size_t round;
  std::size_t leader;
};

std::vector<Takeover> takeovers_until(const Leaders& leaders, std::size_t t) {
  std::vector<Takeover> out;
  for (std::size_t s = 0; s <= t; ++s) {
    if (leaders[s] && (s == 0 || leaders[s] != leaders[s - 1])) out.push_back({s, *leaders[s]});
  }
  return out;
}

std::vector<double> leadership(const Leaders& leaders, std::size_t t, std::size_t k,
                               std::size_t experts) {
  const auto takeovers = takeovers_until(leaders, t);
  double led = 0, since = static_cast<double>(t + 1), took_over = 0, in_a_row = 0;
  for (std::size_t s = 0; s <= t; ++s) {
    if (leaders[s] != k) continue;
    led += 1;
    since = static_cast<double>(t - s);
  }
  for (const Takeover& takeover : takeovers) took_over += takeover.leader == k;
  // Backwards through those who followed the present leader, as long as it was k.
  for (std::size_t i = takeovers.size(); i-- > 1;) {
    if (takeovers[i - 1].leader != *leaders[t]) continue;
    if (takeovers[i].leader != k) break;
    in_a_row += 1;
  }
  return {leaders[t] == k ? 1.0 : 0.0,
          std::log1p(static_cast<double>(experts) * led / static_cast<double>(t + 1)),
          std::log1p(took_over), std::log1p(since), std::log1p(in_a_row)};
}

std::vector<double> reign(const Leaders& leaders, std::size_t t) {
  const auto takeovers = takeovers_until(leaders, t);
  const double age = static_cast<double>(takeovers.empty() ? t + 1 : t - takeovers.back().round);
  double usual = age;
  if (takeovers.size() > 1) {
    usual = static_cast<double>(takeovers.back().round - takeovers.front().round) /
            static_cast<double>(takeovers.size() - 1);
  }
  return {std::log1p(age), std::log1p(usual), std::log1p(age) - std::log1p(usual),
          std::log1p(static_cast<double>(takeovers.size()))};
}

constexpr double kMostEvidence = kLargestEvidence, kMostCharge = kLargestCharge;

// Every number of every token, one group after the other.
class AllTokens {
 public:
  explicit AllTokens(MatrixView losses) : rounds_(losses.rows), experts_(losses.columns) {
    history_.experts = experts_;
    history_.tokens.assign(rounds_, std::vector<double>(experts_ * kFeatures, 0.0));
    centre(losses);
    put_means();
    put_extremes();
    find_noise();
    put_evidence();
    put_sums();
    for (std::size_t f = 0; f < kFilters; ++f) put_filter(f);
    put_situation();
  }

  TokenHistory take() { return std::move(history_); }

 private:
  void put(std::size_t feature, const Series& values) {
    for (std::size_t t = 0; t < rounds_; ++t) {
      for (std::size_t k = 0; k < experts_; ++k) {
        history_.tokens[t][k * kFeatures + feature] = values[t][k];
      }
    }
  }

  void put_shared(std::size_t feature, const Series& values) {  // [T][1]
    put(kExpertFeatures + feature,
        map(centred_, [&](double, std::size_t t, std::size_t) { return values[t][0]; }));
  }

  void put_log(std::size_t feature, const Series& values) {
    put(feature, map(values, [](double x, std::size_t, std::size_t) { return signed_log1p(x); }));
  }

  // A mean of losses in this round's scale, and how far it is beyond the least.
  void put_with_gap(std::size_t feature, std::size_t gap, const Series& values) {
    const Series scaled =
        map(values, [&](double x, std::size_t t, std::size_t) { return x / scale_[t][0]; });
    put_log(feature, scaled);
    Series gaps = scaled;
    for (auto& row : gaps) {
      const double least = *std::min_element(row.begin(), row.end());
      for (double& x : row) x -= least;
    }
    put_log(gap, gaps);
  }

  // The level, the spread, the scale.
  void centre(MatrixView losses) {
    for (std::size_t t = 0; t < rounds_; ++t) {
      double sum = 0, squares = 0;
      for (const double l : losses.row(t)) sum += l;
      average_.push_back({sum / static_cast<double>(experts_)});
      centred_.emplace_back();
      for (const double l : losses.row(t)) {
        centred_[t].push_back(l - average_[t][0]);
        squares += centred_[t].back() * centred_[t].back();
      }
      variance_.push_back({squares / static_cast<double>(experts_)});
    }
    level_ = means(kScaleSpan, average_);
    scale_ = map(means(kScaleSpan, variance_), [](double x, std::size_t, std::size_t) {
      return std::max(std::sqrt(x), double{kSmallestScale});
    });
    for (std::size_t t = 0; t < rounds_; ++t) history_.scale.push_back(scale_[t][0]);
    in_scales_ =
        map(centred_, [&](double x, std::size_t t, std::size_t) { return x / scale_[t][0]; });
  }

  void put_means() {
    for (std::size_t i = 0; i < kSpans.size(); ++i) {
      put_with_gap(kAverages + i, kGaps + i, trusted(kSpans[i], means(kSpans[i], centred_)));
    }
    for (std::size_t i = 0; i < kTrendSpans.size(); ++i) {
      const Series once = means(kTrendSpans[i], centred_), twice = means(kTrendSpans[i], once);
      put_with_gap(kTrends + i, kTrendGaps + i,
                   trusted(kTrendSpans[i], map(once, [&](double x, std::size_t t, std::size_t k) {
                             return 2 * x - twice[t][k];
                           })));
    }
  }

  void put_extremes() {
    for (const bool high : {false, true}) {
      Series extreme = centred_;
      for (std::size_t t = 0; t < rounds_; ++t) {
        for (std::size_t k = 0; k < experts_; ++k) {
          double furthest = 0;
          for (std::size_t s = 0; s <= t; ++s) {
            const double faded =
                std::pow(decay_of(kExtremeSpan), static_cast<double>(t - s)) * centred_[s][k];
            furthest = high ? std::max(furthest, faded) : std::min(furthest, faded);
          }
          extreme[t][k] = furthest / scale_[t][0];
        }
      }
      put_log(kExtremes + (high ? 1 : 0), extreme);
    }
  }

  // Of each expert, how far its losses are from what is usual for it.
  void find_noise() {
    const Series usual = means(kSpans[kSurpriseSpan], centred_);
    const Series squared_surprise = map(centred_, [&](double x, std::size_t t, std::size_t k) {
      const double surprise = x - (t == 0 ? 0 : usual[t - 1][k]);
      return surprise * surprise;
    });
    for (std::size_t i = 0; i < kDispersionSpans.size(); ++i) {
      const Series ratio = map(means(kDispersionSpans[i], squared_surprise),
                               [&](double x, std::size_t t, std::size_t) {
                                 return x / (scale_[t][0] * scale_[t][0]) + kNoiseFloor;
                               });
      put(kDispersions + i,
          map(ratio, [](double x, std::size_t, std::size_t) { return std::log(x) / 2; }));
      if (i == kNoiseSpan) {
        own_noise_ = map(ratio, [&](double x, std::size_t t, std::size_t) {
          return scale_[t][0] * std::max(std::sqrt(x), double{kQuietest});
        });
      }
    }
  }

  // Losses in units of the expert's own noise.
  void put_evidence() {
    evidence_ = map(centred_, [&](double x, std::size_t t, std::size_t k) {
      return std::clamp(x / own_noise_[t][k], -kMostEvidence, kMostEvidence);
    });
    for (std::size_t i = 0; i < kEvidenceSpans.size(); ++i) {
      put_log(kEvidence + i, trusted(kEvidenceSpans[i], means(kEvidenceSpans[i], evidence_)));
    }
  }

  void put_sums() {
    for (std::size_t i = 0; i < kDriftAllowances.size(); ++i) {
      Series sums = evidence_;
      for (std::size_t t = 0; t < rounds_; ++t) {
        for (std::size_t k = 0; k < experts_; ++k) {
          const double before = t == 0 ? 0 : sums[t - 1][k];
          sums[t][k] = std::clamp(before - evidence_[t][k] - double{kDriftAllowances[i]}, 0.0,
                                  double{kLargestSum});
        }
      }
      put_log(kSums + i, sums);
    }
  }

  // What the weights of a filter are made from: [T][K] charges and how much it restarts.
  std::pair<Series, double> charges_of(std::size_t f) const {
    if (f < kShareFilters) {
      const double eta = kFilterEta[f / kFilterRho.size()];
      return {map(in_scales_, [&](double x, std::size_t, std::size_t) { return eta * x; }),
              kFilterRho[f % kFilterRho.size()]};
    }
    const double gap_in_scales = kLikelihoodGap[f - kShareFilters];
    return {map(centred_,
                [&](double x, std::size_t t, std::size_t k) {
                  const double gap = gap_in_scales * scale_[t][0] / own_noise_[t][k];
                  const double z =
                      std::clamp(x / own_noise_[t][k], -kMostEvidence - gap, kMostEvidence);
                  return std::clamp(gap * (z + gap / 2), -kMostCharge, kMostCharge);
                }),
            kLikelihoodRho};
  }

  // A filter, how it has done, and who leads.
  void put_filter(std::size_t f) {
    const auto [charges, rho] = charges_of(f);
    const Series weights = share_weights(charges, rho);
    put(kLogWeights + f, map(centred_, [&](double, std::size_t t, std::size_t k) {
          return std::log(static_cast<double>(experts_) * weights[t + 1][k]);
        }));
    Series loss;  // beside the average expert
    for (std::size_t t = 0; t < rounds_; ++t) {
      loss.push_back({0.0});
      for (std::size_t k = 0; k < experts_; ++k) loss[t][0] += weights[t][k] * in_scales_[t][k];
    }
    for (std::size_t i = 0; i < kFilterSpans.size(); ++i) {
      put_shared(kFilterScores + i * kFilters + f,
                 map(trusted(kFilterSpans[i], means(kFilterSpans[i], loss)),
                     [](double x, std::size_t, std::size_t) { return signed_log1p(x); }));
    }
    if (f == kReferenceFilter) put_regrets(loss);
    if (f == kLeadingFilter) put_leadership(weights);
  }

  // To the reference filter, which lost so much beside the average expert.
  void put_regrets(const Series& loss) {
    const Series regret =
        map(in_scales_, [&](double x, std::size_t t, std::size_t) { return x - loss[t][0]; });
    for (std::size_t i = 0; i < kRegretSpans.size(); ++i) {
      // Sums of losses: each round's in its own scale would weigh rounds by theirs.
      const auto in_losses = [&](double x, std::size_t t, std::size_t) { return x * scale_[t][0]; };
      const auto squared = [&](double x, std::size_t t, std::size_t) {
        return x * x * scale_[t][0] * scale_[t][0];
      };
      const Series mean_regret = means(kRegretSpans[i], map(regret, in_losses));
      const Series mean_square = means(kRegretSpans[i], map(regret, squared));
      put_log(
          kRegrets + i,
          trusted(kRegretSpans[i], map(mean_regret, [&](double x, std::size_t t, std::size_t k) {
                    return x / std::sqrt(mean_square[t][k] +
                                         kRivalryFloor * scale_[t][0] * scale_[t][0]);
                  })));
      if (i != kRivalrySpan) continue;
      put(kRivalry, map(mean_square, [&](double x, std::size_t t, std::size_t) {
            return std::log(x / (scale_[t][0] * scale_[t][0]) + kRivalryFloor) / 2;
          }));
    }
  }

  void put_leadership(const Series& weights) {
    const Leaders leaders = leaders_of(weights, history_.nearest_to_takeover);
    for (std::size_t t = 0; t < rounds_; ++t) {
      const auto of_reign = reign(leaders, t);
      for (std::size_t k = 0; k < experts_; ++k) {
        double* token = history_.tokens[t].data() + k * kFeatures;
        const auto own = leadership(leaders, t, k, experts_);
        std::copy(own.begin(), own.end(), token + kLeadership);
        std::copy(of_reign.begin(), of_reign.end(), token + kExpertFeatures + kSituation + 6);
      }
    }
  }

  void put_situation() {
    const auto situation = [&](std::size_t i, const std::function<double(std::size_t t)>& f) {
      put_shared(kSituation + i,
                 map(level_, [&](double, std::size_t t, std::size_t) { return f(t); }));
    };
    situation(0, [&](std::size_t t) { return std::log(scale_[t][0]); });
    situation(1, [&](std::size_t t) { return std::log(level_[t][0] + 1e-3); });
    situation(2, [&](std::size_t) { return std::log(static_cast<double>(experts_)); });
    situation(3, [&](std::size_t t) { return std::log1p(static_cast<double>(t + 1)); });
    situation(4, [&](std::size_t t) {
      return std::log((std::sqrt(variance_[t][0]) + 1e-6) / scale_[t][0]);
    });
    situation(5, [&](std::size_t t) {
      return std::clamp((average_[t][0] - level_[t][0]) / scale_[t][0], -10.0, 10.0);
    });
  }

  std::size_t rounds_, experts_;
  Series average_, variance_, level_, scale_;          // [T][1]
  Series centred_, in_scales_, own_noise_, evidence_;  // [T][K]
  TokenHistory history_;
};

}  // namespace

TokenHistory token_history(MatrixView losses) { return AllTokens(losses).take(); }

}  // namespace pcgs::reference
