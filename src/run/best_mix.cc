// The best constant mixture.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "run/errors.h"

namespace pcgs::compare {

namespace {

constexpr double kMostWork = 1e11;  // multiplications
constexpr std::size_t kReweightings = 50, kExpectations = 300;

// Divides by a power of two, which changes no weights: squares must not leave the range of a double.
void bring_near_one(std::vector<double>& errors) {
  double largest = 0;
  for (const double e : errors) largest = std::max(largest, std::abs(e));
  if (largest == 0) return;
  const int exponent = std::ilogb(largest);
  for (double& e : errors) e = std::ldexp(e, -exponent);
}

// The rounds that the mixture is measured on, as errors f - y in some unit, or, for log loss, as the
// probability of what happened.
Matrix judged_rounds(const Problem& problem) {
  Matrix out(0, problem.experts.size());
  const bool log = problem.task.kind() == TaskLoss::Kind::kLog;
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const auto forecasts = problem.values.row(t);
    const double y = problem.outcomes[t];
    if (std::isnan(y) ||
        std::any_of(forecasts.begin(), forecasts.end(), [](double f) { return std::isnan(f); })) {
      continue;
    }
    for (const double f : forecasts) {
      out.values.push_back(!log ? f / 2 - y / 2 : y == 1 ? f : 1 - f);
    }
    ++out.rows;
  }
  if (!log) bring_near_one(out.values);
  return out;
}

double dot(std::span<const double> x, std::span<const double> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

// The sum over rounds of counts[t] e e', [K x K].
std::vector<double> gram(const Matrix& errors, const std::vector<double>& counts) {
  const std::size_t k = errors.columns;
  std::vector<double> out(k * k);
  for (std::size_t t = 0; t < errors.rows; ++t) {
    const auto e = errors.row(t);
    for (std::size_t i = 0; i < k; ++i) {
      const double x = counts[t] * e[i];
      double* const row = out.data() + i * k;
      for (std::size_t j = i; j < k; ++j) row[j] += x * e[j];
    }
  }
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < i; ++j) out[i * k + j] = out[j * k + i];
  }
  return out;
}

std::vector<double> least_squares(const Matrix& errors) {
  return simplex_minimum(gram(errors, std::vector<double>(errors.rows, 1.0)),
                         std::vector<double>(errors.columns));
}

// With r = y - p = -w'e the pinball loss is |r| / 2 + (tau - 1/2) r, and |r| is at most
// r^2 / (2 s) + s / 2 with equality at s = |r|: each step minimises that bound at the last residuals.
std::vector<double> least_pinball(const Matrix& errors, double tau) {
  std::vector<double> w = least_squares(errors), counts(errors.rows), linear(errors.columns);
  for (std::size_t t = 0; t < errors.rows; ++t) {
    for (std::size_t k = 0; k < errors.columns; ++k) linear[k] += (tau - 0.5) * errors.row(t)[k];
  }
  std::vector<double> best = w;
  double least = INFINITY;
  for (std::size_t step = 0; step <= kReweightings; ++step) {
    double size = 0, loss = 0;
    for (std::size_t t = 0; t < errors.rows; ++t) {
      const double r = -dot(w, errors.row(t));
      counts[t] = std::abs(r);
      size += std::abs(r);
      loss += std::abs(r) / 2 + (tau - 0.5) * r;
    }
    if (loss < least) {
      least = loss;
      best = w;
    }
    const double floor = 1e-6 * size / static_cast<double>(errors.rows);
    if (!(floor > 0)) break;  // nothing is lost at all
    for (double& count : counts) count = 0.5 / std::max(count, floor);
    w = simplex_minimum(gram(errors, counts), linear);
  }
  return best;
}

std::vector<double> most_likely(const Matrix& probabilities) {
  const std::size_t k = probabilities.columns;
  std::vector<double> w(k, 1 / static_cast<double>(k)), next(k);
  for (std::size_t step = 0; step < kExpectations; ++step) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t t = 0; t < probabilities.rows; ++t) {
      const auto p = probabilities.row(t);
      const double mixed = dot(w, p);
      if (!(mixed > 0)) continue;  // nobody thought it possible: the same for all weights
      for (std::size_t i = 0; i < k; ++i) next[i] += w[i] * p[i] / mixed;
    }
    const double sum = std::accumulate(next.begin(), next.end(), 0.0);
    if (!(sum > 0)) break;
    for (std::size_t i = 0; i < k; ++i) w[i] = next[i] / sum;
  }
  return w;
}

// Solves a positive definite system, row-major; what is smaller than the ridge counts as that.
class PositiveSystem {
 public:
  PositiveSystem(std::vector<double> a, std::size_t n, double ridge) : n_(n), lower_(std::move(a)) {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double x = lower_[i * n_ + j] + (i == j ? ridge : 0);
        for (std::size_t m = 0; m < j; ++m) x -= lower_[i * n_ + m] * lower_[j * n_ + m];
        lower_[i * n_ + j] = i == j ? std::sqrt(std::max(x, ridge)) : x / lower_[j * n_ + j];
      }
    }
  }
  std::vector<double> solve(std::vector<double> x) const {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < i; ++j) x[i] -= lower_[i * n_ + j] * x[j];
      x[i] /= lower_[i * n_ + i];
    }
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t j = i + 1; j < n_; ++j) x[i] -= lower_[j * n_ + i] * x[j];
      x[i] /= lower_[i * n_ + i];
    }
    return x;
  }

 private:
  std::size_t n_;
  std::vector<double> lower_;  // [n x n] Cholesky's factor
};

// The way from the weights of the chosen to the minimum over those that sum to 1, of any sign: what
// the others get is taken from the last one.
std::vector<double> way_to_minimum(std::span<const double> a, std::span<const double> b,
                                   const std::vector<double>& w,
                                   const std::vector<std::size_t>& chosen, double ridge) {
  const std::size_t k = b.size(), others = chosen.size() - 1, last = chosen.back();
  const auto downhill = [&](std::size_t i) { return b[i] - dot(a.subspan(i * k, k), w); };
  const double from_last = downhill(last);
  std::vector<double> system(others * others), gain(others);
  for (std::size_t i = 0; i < others; ++i) {
    const std::size_t row = chosen[i] * k;
    gain[i] = downhill(chosen[i]) - from_last;
    for (std::size_t j = 0; j < others; ++j) {
      system[i * others + j] =
          (a[row + chosen[j]] - a[row + last]) - (a[last * k + chosen[j]] - a[last * k + last]);
    }
  }
  auto way = PositiveSystem(std::move(system), others, ridge).solve(std::move(gain));
  way.push_back(-std::accumulate(way.begin(), way.end(), 0.0));
  return way;
}

}  // namespace

// An active set: the weights of the chosen are free, the others zero. Whoever would lower the value
// joins, whoever would become negative leaves.
std::vector<double> simplex_minimum(std::span<const double> a, std::span<const double> b) {
  const std::size_t k = b.size();
  double largest = 0;
  std::size_t first = 0;
  const auto alone = [&](std::size_t i) { return a[i * k + i] / 2 - b[i]; };
  for (std::size_t i = 0; i < k; ++i) {
    largest = std::max(largest, a[i * k + i]);
    if (alone(i) < alone(first)) first = i;
  }
  const double ridge = 1e-13 * largest, tolerance = 1e-11 * largest;
  std::vector<double> w(k);
  w[first] = 1;
  if (!(largest > 0) || !std::isfinite(largest)) return w;
  std::vector<std::size_t> chosen = {first};
  for (std::size_t step = 0; step < 4 * k + 16; ++step) {
    for (;;) {
      const auto way = way_to_minimum(a, b, w, chosen, ridge);
      double share = 1;  // of the way that can be gone
      for (std::size_t i = 0; i < way.size(); ++i) {
        if (w[chosen[i]] + way[i] <= 0) share = std::min(share, -w[chosen[i]] / way[i]);
      }
      if (!std::isfinite(share)) return w;
      for (std::size_t i = 0; i < way.size(); ++i) w[chosen[i]] += share * way[i];
      if (share == 1) break;
      std::erase_if(chosen, [&](std::size_t i) {
        if (w[i] > 1e-15) return false;
        w[i] = 0;
        return true;
      });
    }
    double level = 0, steepest = INFINITY;
    std::size_t joins = k;
    for (std::size_t i = 0; i < k; ++i) {
      const double slope = dot(a.subspan(i * k, k), w) - b[i];
      level += w[i] * slope;
      if (w[i] == 0 && slope < steepest) {
        steepest = slope;
        joins = i;
      }
    }
    if (joins == k || steepest >= level - tolerance) break;
    chosen.push_back(joins);
  }
  return w;
}

std::optional<std::vector<double>> best_mix(const Problem& problem) {
  const Matrix judged = judged_rounds(problem);
  if (judged.rows == 0) return {};
  const auto rounds = static_cast<double>(judged.rows), k = static_cast<double>(judged.columns);
  const auto kind = problem.task.kind();
  const double steps = kind == TaskLoss::Kind::kLog       ? kExpectations / k
                       : kind == TaskLoss::Kind::kSquared ? 1
                                                          : kReweightings;
  if (rounds * k * k * steps > kMostWork) return {};
  switch (kind) {
    case TaskLoss::Kind::kLog:
      return most_likely(judged);
    case TaskLoss::Kind::kSquared:
      return least_squares(judged);
    case TaskLoss::Kind::kAbsolute:
      return least_pinball(judged, 0.5);
    case TaskLoss::Kind::kPinball:
      break;
  }
  return least_pinball(judged, problem.task.tau());
}

}  // namespace pcgs::compare
