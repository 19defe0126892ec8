// How raw losses become the losses that methods learn from, in [0,1]: divided by a scale C, bounded
// by 1. The one rule, for every program that learns from losses or forecasts.
//
//     usual      losses given as such must be in [0,1]; losses of forecasts have a following scale
//     unit       every loss must be in [0,1]
//     fixed C    b(l / C)
//     following  b(l / C_t), where C_t follows the losses from the first round on:
//
//         m_t      the median over the awake experts of their losses in round t
//         S_t(n)   the exponential mean over about n rounds of min(m, C), rounds with m > 0 only
//         C_t      = 20 max( S_t(1000), S_t(30) )
//
// S is what a middling expert loses in a round. A bad expert does not move it, a wild round not
// far, and when everybody gets worse it rises within a few rounds. For normal errors 20 S is five
// times the 95 % quantile of a squared loss: large errors stay large, and what lies beyond counts
// as much as twenty ordinary rounds.
//
// What bounds them is
//
//     clip       b(x) = min(x, 1)
//     catoni     b(x) = psi(x ln 2) / ln 2      psi(z) = -ln(1 - z + z^2/2) for z < 1, ln 2 from there
//
// psi is the narrowest influence function of O. Catoni, Challenging the empirical mean and empirical
// variance: a deviation study, Annales de l'IHP (B) 48(4), 2012. It is z up to z^3/6 near 0, bends
// smoothly and is bounded, which the widest that he allows, ln(1 + z + z^2/2), is not. Divided
// so that b begins with slope 1 and ends at 1: b(x) <= min(x, 1), and 1 from x = 1/ln 2 = 1.44 on.
//
// C_t depends on rounds before t and on experts only, never on what a method plays. The first round
// with a loss has nothing before it, and takes its scale from itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pcgs/state.h"

namespace pcgs {

enum class LossSource : std::uint8_t { kGiven, kForecasts };
enum class LossBound : std::uint8_t { kClip, kCatoni };

class LossScale {
 public:
  enum class Kind : std::uint8_t { kUsual, kUnit, kFixed, kFollowing };

  LossScale() = default;  // usual
  static LossScale unit() { return LossScale(Kind::kUnit, 1); }
  // Throws Error unless C lies in [1e-290, 1e300], where dividing by it leaves a number.
  static LossScale fixed(double c);
  static LossScale following() { return LossScale(Kind::kFollowing, 0); }
  // As it is written: a number, or auto for one that follows; with catoni: before it, as in
  // catoni:auto, for that bound. Throws Error, naming `what`, for anything else.
  static LossScale from(std::string_view text, std::string_view what);
  // The same scale with another bound. Requires that it is not unit, which has none.
  LossScale bounded_by(LossBound bound) const;

  Kind kind() const { return kind_; }
  LossBound bound() const { return bound_; }
  // b(raw / c), in [0,1]; for losses that are divided.
  double bounded(double raw, double c) const;
  // The raw loss from which on every other counts as 1, as well.
  double counts_as_one(double c) const;
  // Whether losses that come from there must be in [0,1] as they are.
  bool wants_unit(LossSource source) const {
    return kind_ == Kind::kUnit || (kind_ == Kind::kUsual && source == LossSource::kGiven);
  }
  // C of the coming round; 1 where losses are in [0,1] as they are, and while a following scale has
  // seen no loss above 0.
  double value(LossSource source) const;

  // C of a round with these raw losses ([K], >= 0, may be infinite; `awake` as in Round). A
  // following scale takes them in.
  double advance(std::span<const double> raw, std::span<const std::uint8_t> awake,
                 LossSource source);
  // advance() allocates nothing for this many experts from then on.
  void reserve(std::size_t experts) { scratch_.reserve(experts); }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  LossScale(Kind kind, double c) : kind_(kind), fixed_(c) {}
  double following_value() const;

  Kind kind_ = Kind::kUsual;
  LossBound bound_ = LossBound::kClip;
  double fixed_ = 0;             // C
  double slow_ = 0, fast_ = 0;   // S(1000), S(30); 0 before the first loss
  std::uint64_t rounds_ = 0;     // that they are made of
  std::vector<double> scratch_;  // [awake]
};

// min(raw / c, 1).
inline double scaled_loss(double raw, double c) {
  const double l = raw / c;
  return l > 1 ? 1 : l;
}

// psi(x ln 2) / ln 2. Requires x >= 0, which may be infinite.
double catoni_bounded(double x);

inline double LossScale::bounded(double raw, double c) const {
  return bound_ == LossBound::kClip ? scaled_loss(raw, c) : catoni_bounded(raw / c);
}

}  // namespace pcgs
