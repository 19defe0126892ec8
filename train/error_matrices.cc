// An error is a sum of
//
//     common    what nobody foresaw: the same for all, correlated in time
//     factors   a few causes that experts are exposed to, each in its own way and sign
//     cluster   what experts of one make have in common
//     own       noise of its own, as large as the expert is bad
//     bias      constant, drifting, or changing with the phase of a season
//
// times a volatility that comes and goes. At change points some experts are drawn anew. Some experts
// are near copies of others, and outliers hit single experts or all of them.
#include "error_matrices.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "clipped_squares.h"
#include "research/suite.h"

namespace pcgs::train {

namespace {

using suite::Random;

// A stationary process of variance 1 with this correlation from one round to the next.
class Process {
 public:
  Process(double correlation, double df, Random& random)
      : correlation_(correlation), df_(df), value_(random.normal()) {}

  double next(Random& random) {
    // Student's t has variance df / (df - 2).
    const double shock =
        df_ > 40 ? random.normal() : random.student_t(df_) * std::sqrt((df_ - 2) / df_);
    value_ = correlation_ * value_ + std::sqrt(1 - correlation_ * correlation_) * shock;
    return value_;
  }

 private:
  double correlation_, df_, value_;
};

// What holds for a whole sequence.
struct World {
  double df;       // of the shocks: how heavy the tails are
  double common;   // size of what nobody foresaw
  double spread;   // between the worst expert's own noise and the best one's
  double factor;   // how much experts are exposed to factors
  double cluster;  // how much to that of their cluster
  double bias;     // typical size
  double drift;    // rounds over which biases forget; 0: they stay
  double phase_bias, phase_noise;
  double change;   // probability of a change point, each round
  double redrawn;  // share of experts that it concerns
  double volatility, volatility_rounds;
  double spikes, own_spikes;  // probability of an outlier, each round; size in errors
  double spike_size;
  std::size_t factors, clusters, period;
  double stars;  // share of experts that are far better than the others
};

World draw_world(Random& r) {
  const auto sometimes = [&](double chance, double low, double high) {
    return r.chance(chance) ? r.log_uniform(low, high) : 0.0;
  };
  constexpr std::size_t kPeriods[] = {7, 12, 24, 48};
  World w{};
  w.df = r.log_uniform(2.5, 80);
  w.common = r.log_uniform(0.05, 3);
  w.spread = r.log_uniform(1.05, 8);
  w.factor = sometimes(0.8, 0.1, 2);
  w.cluster = sometimes(0.5, 0.2, 2);
  w.bias = sometimes(0.6, 0.05, 1.5);
  w.drift = sometimes(0.5, 20, 1500);
  w.phase_bias = sometimes(0.3, 0.1, 1.5);
  w.phase_noise = sometimes(0.4, 0.1, 1.2);
  w.change = sometimes(0.6, 1.0 / 1000, 1.0 / 40);
  w.redrawn = r.log_uniform(0.1, 1);
  w.volatility = sometimes(0.6, 0.1, 0.8);
  w.volatility_rounds = r.log_uniform(5, 500);
  w.spikes = sometimes(0.3, 0.0005, 0.01);
  w.own_spikes = sometimes(0.3, 0.0005, 0.02);
  w.spike_size = r.log_uniform(3, 30);
  w.factors = 1 + r.below(4);
  w.clusters = 2 + r.below(4);
  w.period = kPeriods[r.below(4)];
  w.stars = sometimes(0.3, 0.03, 0.3);
  return w;
}

struct Expert {
  double own, bias, phase, phase_bias, phase_noise;
  std::vector<double> exposure;  // to the factors
  std::size_t cluster;
};

Expert draw_expert(const World& w, Random& r) {
  Expert e{};
  e.own = r.log_uniform(1, w.spread);
  if (r.chance(w.stars)) e.own *= 0.3;
  e.bias = w.bias * r.normal() * e.own;
  e.phase = r.unit();
  e.phase_bias = w.phase_bias * r.normal();
  e.phase_noise = w.phase_noise * r.normal();
  e.cluster = r.below(w.clusters);
  for (std::size_t i = 0; i < w.factors; ++i) {
    e.exposure.push_back(w.factor * r.normal() / std::sqrt(static_cast<double>(w.factors)));
  }
  return e;
}

double correlation(Random& r) { return r.chance(0.5) ? 0 : 0.97 * r.unit(); }

std::vector<Process> draw_processes(std::size_t count, const World& w, Random& r) {
  std::vector<Process> all;
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(correlation(r), w.df, r);
  return all;
}

// Near copies of earlier experts, of which a share of the rounds differs by a little noise.
void copy_some(Matrix& errors, Random& r) {
  const double copies = r.chance(0.35) ? r.log_uniform(0.05, 0.6) : 0;
  for (std::size_t k = 1; k < errors.columns; ++k) {
    if (!r.chance(copies)) continue;
    const std::size_t from = r.below(k);
    const double noise = r.log_uniform(0.003, 0.3);
    for (std::size_t t = 0; t < errors.rows; ++t) {
      auto row = errors.row(t);
      row[k] = row[from] + noise * r.normal();
    }
  }
}

}  // namespace

Matrix make_error_matrix(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  Random r("error matrices", seed);
  const World w = draw_world(r);
  std::vector<Expert> pool;
  for (std::size_t k = 0; k < experts; ++k) pool.push_back(draw_expert(w, r));
  Process common(correlation(r), w.df, r);
  Process volatility(std::exp(-1 / w.volatility_rounds), 50, r);
  auto factors = draw_processes(w.factors, w, r);
  auto clusters = draw_processes(w.clusters, w, r);
  auto own = draw_processes(experts, w, r);
  std::vector<Process> biases;
  for (std::size_t k = 0; k < experts; ++k) {
    biases.emplace_back(w.drift > 0 ? std::exp(-1 / w.drift) : 1.0, 50, r);
  }

  Matrix errors(rounds, experts);
  std::vector<double> factor(w.factors), cluster(w.clusters);
  for (std::size_t t = 0; t < rounds; ++t) {
    if (r.chance(w.change)) {
      for (Expert& e : pool) {
        if (r.chance(w.redrawn)) e = draw_expert(w, r);
      }
    }
    const double size = std::exp(w.volatility * volatility.next(r));
    double shared = w.common * common.next(r);
    if (r.chance(w.spikes)) shared += w.spike_size * r.normal();
    for (std::size_t i = 0; i < factor.size(); ++i) factor[i] = factors[i].next(r);
    for (std::size_t i = 0; i < cluster.size(); ++i) cluster[i] = clusters[i].next(r);
    const auto row = errors.row(t);
    for (std::size_t k = 0; k < experts; ++k) {
      const Expert& e = pool[k];
      const double turn = static_cast<double>(t % w.period) / static_cast<double>(w.period);
      const double wave = std::sin(2 * std::numbers::pi * (turn + e.phase));
      double x = shared + w.cluster * cluster[e.cluster];
      for (std::size_t i = 0; i < factor.size(); ++i) x += e.exposure[i] * factor[i];
      x += e.own * std::exp(e.phase_noise * wave) * own[k].next(r);
      if (r.chance(w.own_spikes)) x += w.spike_size * e.own * r.normal();
      const double bias = w.drift > 0 ? std::abs(e.bias) * biases[k].next(r) : e.bias;
      row[k] = size * (x + bias + e.phase_bias * wave);
    }
  }
  copy_some(errors, r);
  return errors;
}

Matrix make_squared_errors(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  Random random("squared errors", seed);
  return clipped_squares(make_error_matrix(rounds, experts, seed), random);
}

}  // namespace pcgs::train
