#include "research/laws.h"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <numeric>

#include "data/invariant.h"

namespace pcgs::suite {

namespace {

// std::lgamma keeps the sign in a variable that all threads share.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace

ClippedLaw::ClippedLaw(double centre, const Noise& noise) : centre_(centre), noise_(noise) {
  namespace constants = boost::math::double_constants;
  factor_ = std::isinf(noise.df)
                ? constants::one_div_root_two_pi / noise.scale
                : std::exp(log_gamma((noise.df + 1) / 2) - log_gamma(noise.df / 2)) /
                      (std::sqrt(noise.df * constants::pi) * noise.scale);
  at_zero_ = below(0);
  at_one_ = above(1);
  // E clip(X,0,1) is the integral of P(X > x) over [0,1].
  mean_ = boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
      [this](double x) { return above(x); }, 0.0, 1.0, 8, 1e-10);
}

double ClippedLaw::draw_unclipped(Random& random) const {
  double x = centre_ +
             noise_.scale * (std::isinf(noise_.df) ? random.normal() : random.student_t(noise_.df));
  if (noise_.jump_probability > 0) {
    const double lot = random.unit();
    if (lot < noise_.jump_probability)
      x += 2 * lot < noise_.jump_probability ? noise_.jump : -noise_.jump;
  }
  return x;
}

double ClippedLaw::likelihood(double loss) const {
  if (loss <= 0) return at_zero_;
  if (loss >= 1) return at_one_;
  return averaged([](const ClippedLaw& law, double z) { return law.density(z); }, loss);
}

// Each tail by its own function: one minus the other would lose the digits of small probabilities.
double ClippedLaw::below(double x) const {
  return averaged([](const ClippedLaw& law, double z) { return law.tail(-z); }, x);
}

double ClippedLaw::above(double x) const {
  return averaged([](const ClippedLaw& law, double z) { return law.tail(z); }, x);
}

double ClippedLaw::tail(double z) const {
  return std::isinf(noise_.df) ? std::erfc(z * boost::math::double_constants::one_div_root_two) / 2
                               : boost::math::cdf(boost::math::students_t(noise_.df), -z);
}

double ClippedLaw::density(double z) const {
  if (std::isinf(noise_.df)) return factor_ * std::exp(-z * z / 2);
  return factor_ * std::pow(1 + z * z / noise_.df, -(noise_.df + 1) / 2);
}

double ClippedLaw::averaged(double (*f)(const ClippedLaw&, double), double x) const {
  const double z = (x - centre_) / noise_.scale;
  if (noise_.jump_probability == 0) return f(*this, z);
  const double step = noise_.jump / noise_.scale;
  return (1 - noise_.jump_probability) * f(*this, z) +
         noise_.jump_probability / 2 * (f(*this, z - step) + f(*this, z + step));
}

Dwell Dwell::geometric_after(std::size_t least, double hazard) {
  Dwell dwell{std::vector<double>(least, 0.0)};
  dwell.hazard.back() = hazard;
  return dwell;
}

Dwell Dwell::between(std::size_t least, std::size_t most) {
  Dwell dwell{std::vector<double>(most, 0.0)};
  for (std::size_t age = least; age <= most; ++age) {
    dwell.hazard[age - 1] = 1 / static_cast<double>(most - age + 1);
  }
  return dwell;
}

std::vector<std::uint32_t> WinnerProcess::draw(std::size_t rounds, Random& random) const {
  std::vector<std::uint32_t> winners(rounds);
  const std::size_t size = members.size();
  std::size_t current = random.below(size);
  std::size_t age = 0;
  for (std::uint32_t& winner : winners) {
    if (age > 0 && size > 1 && random.chance(dwell.at(age))) {
      if (next.empty()) {
        const std::size_t other = random.below(size - 1);
        current = other < current ? other : other + 1;
      } else {
        const double* row = next.data() + current * size;
        double left = random.unit();
        std::size_t chosen = 0;
        while (chosen + 1 < size && left >= row[chosen]) left -= row[chosen++];
        current = chosen;
      }
      age = 0;
    }
    ++age;
    winner = members[current];
  }
  return winners;
}

WinnerProcess any_other(std::size_t experts, Dwell dwell) {
  WinnerProcess process{std::move(dwell), std::vector<std::uint32_t>(experts), {}};
  std::iota(process.members.begin(), process.members.end(), 0U);
  return process;
}

namespace {

class BayesFilter final : public Limit {
 public:
  BayesFilter(WinnerProcess process, std::size_t experts, LawsAt laws)
      : process_(std::move(process)),
        laws_(std::move(laws)),
        size_(process_.members.size()),
        ages_(process_.dwell.hazard.size()),
        belief_(ages_ * size_, 0.0),
        winning_(size_),
        leaving_(size_),
        others_(size_),
        ratio_(size_),
        weights_(experts, 0.0) {
    std::fill_n(belief_.begin(), size_, 1 / static_cast<double>(size_));
    choose();
  }

  std::span<const double> weights() const override { return weights_; }

  void learn(std::span<const double> losses) override {
    update(losses);
    advance();
    ++round_;
    choose();
  }

 private:
  std::span<double> of_age(std::size_t age) { return {belief_.data() + (age - 1) * size_, size_}; }

  void update(std::span<const double> losses) {
    for (std::size_t i = 0; i < size_; ++i) {
      const std::size_t k = process_.members[i];
      const WinLose& law = laws_(round_, k);
      ratio_[i] = law.winner.likelihood(losses[k]) / law.loser.likelihood(losses[k]);
    }
    double total = 0;
    for (std::size_t age = 1; age <= ages_; ++age) {
      const auto b = of_age(age);
      for (std::size_t i = 0; i < size_; ++i) total += b[i] *= ratio_[i];
    }
    invariant(total > 0, "the sequence came from the law that the filter knows");
    for (double& b : belief_) b /= total;
  }

  // From the posterior of this round to the prior of the next. Ages beyond the last hazard are all
  // alike and share the last row.
  void advance() {
    if (size_ == 1) return;
    std::fill(leaving_.begin(), leaving_.end(), 0.0);
    const auto oldest = of_age(ages_);
    for (std::size_t age = ages_; age >= 1; --age) {
      const auto from = of_age(age);
      const auto to = age == ages_ ? oldest : of_age(age + 1);
      const double ends = process_.dwell.at(age);
      const bool merges = age + 1 == ages_;  // joins those that were in the last row before
      for (std::size_t i = 0; i < size_; ++i) {
        leaving_[i] += ends * from[i];
        const double stays = (1 - ends) * from[i];
        to[i] = merges ? to[i] + stays : stays;
      }
    }
    begin_segments(of_age(1), ages_ == 1);
  }

  void begin_segments(std::span<double> youngest, bool also_oldest) {
    const auto add = [&](std::size_t j, double arriving) {
      youngest[j] = also_oldest ? youngest[j] + arriving : arriving;
    };
    if (!process_.next.empty()) {
      for (std::size_t j = 0; j < size_; ++j) {
        double arriving = 0;
        for (std::size_t i = 0; i < size_; ++i) {
          arriving += leaving_[i] * process_.next[i * size_ + j];
        }
        add(j, arriving);
      }
      return;
    }
    // The sum over all others from the sums before and behind: taking j's own part off the whole
    // sum would leave nothing but rounding where j had nearly all of it.
    double behind = 0;
    for (std::size_t j = size_; j-- > 0;) {
      others_[j] = behind;
      behind += leaving_[j];
    }
    double before = 0;
    for (std::size_t j = 0; j < size_; ++j) {
      add(j, (before + others_[j]) / static_cast<double>(size_ - 1));
      before += leaving_[j];
    }
  }

  void choose() {
    std::fill(winning_.begin(), winning_.end(), 0.0);
    for (std::size_t age = 1; age <= ages_; ++age) {
      const auto b = of_age(age);
      for (std::size_t i = 0; i < size_; ++i) winning_[i] += b[i];
    }
    // Everybody's chance of winning is 0 but the members'.
    std::fill(weights_.begin(), weights_.end(), 0.0);
    for (std::size_t i = 0; i < size_; ++i) weights_[process_.members[i]] = winning_[i];
    std::size_t best = 0;
    double least = 2;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      const WinLose& law = laws_(round_, k);
      const double expected =
          weights_[k] * law.winner.mean() + (1 - weights_[k]) * law.loser.mean();
      if (expected < least) {
        least = expected;
        best = k;
      }
    }
    std::fill(weights_.begin(), weights_.end(), 0.0);
    weights_[best] = 1;
  }

  WinnerProcess process_;
  LawsAt laws_;
  std::size_t size_, ages_;
  std::size_t round_ = 0;
  std::vector<double> belief_;                              // [ages x M] of the round to come
  std::vector<double> winning_, leaving_, others_, ratio_;  // [M]
  std::vector<double> weights_;                             // [K]
};

}  // namespace

std::unique_ptr<Limit> make_bayes_filter(WinnerProcess process, std::size_t experts, LawsAt laws) {
  return std::make_unique<BayesFilter>(std::move(process), experts, std::move(laws));
}

Sequence winner_sequence(std::size_t rounds, std::size_t experts, const WinnerProcess& process,
                         const LawsAt& laws, Random& random) {
  Sequence sequence = blank_sequence(rounds, experts);
  sequence.path = process.draw(rounds, random);
  for (std::size_t t = 0; t < rounds; ++t) {
    for (std::size_t k = 0; k < experts; ++k) {
      const WinLose& law = laws(t, k);
      sequence.put(t, k, (k == sequence.path[t] ? law.winner : law.loser).draw_unclipped(random));
    }
  }
  sequence.limit = [=] { return make_bayes_filter(process, experts, laws); };
  return sequence;
}

Sequence blank_sequence(std::size_t rounds, std::size_t experts) {
  return {Matrix(rounds, experts), std::vector<std::uint32_t>(rounds), {}, Matrix(rounds, experts)};
}

namespace {

double rate(const SmoothLaw& law) { return std::sqrt(3.0) / law.length; }

}  // namespace

std::array<double, 2> SmoothLaw::stationary() const {
  const double variance = amplitude * amplitude;
  return {variance, rate(*this) * rate(*this) * variance};
}

SmoothLaw::Step SmoothLaw::step() const {
  const double r = rate(*this);
  const double fade = std::exp(-r);
  const std::array<double, 4> a = {fade * (1 + r), fade, -fade * r * r, fade * (1 - r)};
  const auto [p0, p1] = stationary();
  // Q = P - A P A', so that the process is stationary.
  return {a,
          {p0 - (a[0] * a[0] * p0 + a[1] * a[1] * p1), -(a[0] * a[2] * p0 + a[1] * a[3] * p1),
           p1 - (a[2] * a[2] * p0 + a[3] * a[3] * p1)}};
}

SmoothPath::SmoothPath(const SmoothLaw& law, Random& random) : step_(law.step()) {
  const auto [p0, p1] = law.stationary();
  x_ = {std::sqrt(p0) * random.normal(), std::sqrt(p1) * random.normal()};
  const auto& q = step_.q;
  root_[0] = std::sqrt(std::max(q[0], 0.0));
  root_[1] = root_[0] > 0 ? q[1] / root_[0] : 0;
  root_[2] = std::sqrt(std::max(q[2] - root_[1] * root_[1], 0.0));
}

void SmoothPath::advance(Random& random) {
  const double first = random.normal();
  const double second = random.normal();
  const auto& a = step_.a;
  x_ = {a[0] * x_[0] + a[1] * x_[1] + root_[0] * first,
        a[2] * x_[0] + a[3] * x_[1] + root_[1] * first + root_[2] * second};
}

namespace {

// What is known of one expert's (f, f') in the round to come.
class Kalman {
 public:
  Kalman(const SmoothLaw& law, double noise)
      : step_(law.step()),
        noise_variance_(noise * noise),
        covariance_{law.stationary()[0], 0, law.stationary()[1]} {}

  double expected() const { return value_; }

  void learn(double observed) {
    const auto [p00, p01, p11] = covariance_;
    const double gain_value = p00 / (p00 + noise_variance_);
    const double gain_slope = p01 / (p00 + noise_variance_);
    const double surprise = observed - value_;
    const double value = value_ + gain_value * surprise;
    const double slope = slope_ + gain_slope * surprise;
    const double c00 = (1 - gain_value) * p00;
    const double c01 = (1 - gain_value) * p01;
    const double c11 = p11 - gain_slope * p01;
    const auto& a = step_.a;
    value_ = a[0] * value + a[1] * slope;
    slope_ = a[2] * value + a[3] * slope;
    covariance_ = {
        a[0] * a[0] * c00 + 2 * a[0] * a[1] * c01 + a[1] * a[1] * c11 + step_.q[0],
        a[0] * a[2] * c00 + (a[0] * a[3] + a[1] * a[2]) * c01 + a[1] * a[3] * c11 + step_.q[1],
        a[2] * a[2] * c00 + 2 * a[2] * a[3] * c01 + a[3] * a[3] * c11 + step_.q[2]};
  }

 private:
  SmoothLaw::Step step_;
  double noise_variance_;
  std::array<double, 3> covariance_;  // (0,0), (0,1), (1,1)
  double value_ = 0, slope_ = 0;
};

class KalmanLimit final : public Limit {
 public:
  KalmanLimit(const std::vector<SmoothLaw>& laws, const std::vector<double>& noise)
      : weights_(laws.size(), 0.0) {
    for (std::size_t k = 0; k < laws.size(); ++k) experts_.emplace_back(laws[k], noise[k]);
    weights_[0] = 1;  // they are all alike before the first round
  }

  std::span<const double> weights() const override { return weights_; }

  void learn(std::span<const double> losses) override {
    std::size_t best = 0;
    for (std::size_t k = 0; k < experts_.size(); ++k) {
      experts_[k].learn(losses[k] - 0.5);
      if (experts_[k].expected() < experts_[best].expected()) best = k;
    }
    std::fill(weights_.begin(), weights_.end(), 0.0);
    weights_[best] = 1;
  }

 private:
  std::vector<Kalman> experts_;
  std::vector<double> weights_;  // [K]
};

}  // namespace

std::unique_ptr<Limit> make_kalman_filter(const std::vector<SmoothLaw>& laws,
                                          const std::vector<double>& noise) {
  return std::make_unique<KalmanLimit>(laws, noise);
}

}  // namespace pcgs::suite
