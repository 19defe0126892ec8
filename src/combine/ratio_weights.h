// Weights of candidates (models, or combinations of them) from how their losses compare with those of a
// reference, learned from all series and from each by itself.
//
//     r = (A + 10) / (B + 10)          what all series say: losses and the reference's, summed over all
//                                      of them and divided by their number
//     r = (A' + 5 r) / (B' + 5)        what they say lately: the same sums, forgetting
//     r = (A_s + 50 r) / (B_s + 50)    what the series itself says
//     w ~ r^-7
//
// Each step shrinks towards the one before, so that a series begins with what its siblings know and
// ends with what it knows itself. A missing candidate is not charged, and neither is the reference for
// it; a newcomer begins at r = 1, as good as the reference.
//
// Losses are in units of the reference's usual loss in the series, at most 5, so that they compare
// between series and no single round decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pcgs/state.h"

namespace pcgs::levels {

// [K] sums of losses, and of the reference's in the same rounds.
struct LossSums {
  std::vector<double> own, reference;

  double ratio(std::size_t k, double prior, double rounds) const {
    return (own[k] + rounds * prior) / (reference[k] + rounds);
  }
  void add(std::size_t k, double loss, double of_reference) {
    own[k] += loss;
    reference[k] += of_reference;
  }
  void forget(double part);
  void add_candidate();
  void remove_candidate(std::size_t k);
  void save(StateWriter& out) const;
  void load(StateReader& in, std::size_t candidates);
};

// The mean of what a series' reference lost: the unit of its losses. Sums could leave the range of a
// double.
class RunningUnit {
 public:
  void add(double loss) {
    ++rounds_;
    mean_ += (loss - mean_) / static_cast<double>(rounds_);
  }
  double mean() const { return mean_; }
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double mean_ = 0;
  std::uint64_t rounds_ = 0;
};

class RatioWeights {
 public:
  // What a series knows itself.
  struct Own {
    LossSums sums;
    RunningUnit unit;
  };

  // One more outcome of a series, one of so many that have been seen. Losses [K], NaN where a candidate
  // was missing. Nothing is learned while the reference has never lost anything.
  void learn(Own& own, std::span<const double> losses, double of_reference, std::size_t series);

  // [K] on the simplex over those that are awake, at least one.
  void weights(const Own& own, std::span<const std::uint8_t> awake, std::span<double> out) const;

  void add_candidate();
  void remove_candidate(std::size_t k);
  void save(StateWriter& out) const;
  void load(StateReader& in, std::size_t candidates);

 private:
  LossSums all_, recent_;
};

void save(StateWriter& out, const RatioWeights::Own& own);
void load(StateReader& in, RatioWeights::Own& own, std::size_t candidates);

// How much all series together trust each of a few candidates that are always there: as above from all
// series alone, against the mean of the candidates, and sharply,
//
//     v_j ~ c_j ((A_j + 5) / (mean_i A_i + 5))^-60
//
// because combinations of the same models differ by little. c is what they are trusted at first.
class PooledTrust {
 public:
  explicit PooledTrust(std::span<const double> first)
      : first_(first.begin(), first.end()), sums_(first.size()), weights_(first.size()) {
    weigh();
  }

  // Losses in units of a series, one of so many that have been seen.
  void learn(std::span<const double> losses, std::size_t series);
  std::span<const double> weights() const { return weights_; }

  void save(StateWriter& out) const { out.f64s(sums_); }
  void load(StateReader& in);

 private:
  void weigh();

  std::vector<double> first_, sums_, weights_;
};

}  // namespace pcgs::levels
