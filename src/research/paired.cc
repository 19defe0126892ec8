#include "research/paired.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "data/invariant.h"
#include "run/statistics.h"

namespace pcgs::stats {

namespace {

double two_sided_p(double t, double degrees_of_freedom) {
  const boost::math::students_t student(degrees_of_freedom);
  return 2 * boost::math::cdf(boost::math::complement(student, std::abs(t)));
}

}  // namespace

Paired compare(std::span<const double> a, std::span<const double> b, const Bootstrap& bootstrap) {
  invariant(a.size() == b.size(), "one regret of each method per sequence");
  std::vector<double> improvements(a.size());
  double wins = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = improvements[i] = b[i] - a[i];
    wins += d > 0 ? 1 : d == 0 ? 0.5 : 0;
  }
  const Summary d = summarize(improvements);
  const Wilcoxon ranks = wilcoxon(improvements);
  const ConfidenceInterval interval = bootstrap.interval(improvements);

  Paired paired;
  paired.win_rate = wins / static_cast<double>(a.size());
  paired.mean_improvement = d.mean;
  paired.wilcoxon_w = ranks.w;
  paired.wilcoxon_p = ranks.p;
  paired.ci_low = interval.low;
  paired.ci_high = interval.high;
  if (d.std > 0) {
    const double n = static_cast<double>(a.size());
    paired.cohens_d = d.mean / d.std;
    paired.t = *paired.cohens_d * std::sqrt(n);
    paired.t_p = two_sided_p(*paired.t, n - 1);
  } else if (d.mean == 0) {
    paired.cohens_d = paired.t = 0.0;
  } else if (a.size() > 1) {
    paired.t_p = 0;
  }
  return paired;
}

namespace {

struct SignedRanks {
  std::vector<std::size_t> doubled;  // [n] twice the rank, so that shared ranks are whole
  std::size_t positive = 0;          // twice W
  double ties = 0;                   // sum of t^3 - t over groups of t equal magnitudes
};

SignedRanks signed_ranks(std::span<const double> differences) {
  std::vector<double> sorted;
  for (const double d : differences) {
    invariant(std::isfinite(d), "differences that can be ranked");
    if (d != 0) sorted.push_back(d);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](double x, double y) { return std::abs(x) < std::abs(y); });

  SignedRanks ranks;
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < sorted.size(); begin = end) {
    while (end < sorted.size() && std::abs(sorted[end]) == std::abs(sorted[begin])) ++end;
    const std::size_t doubled = begin + 1 + end;  // ranks begin + 1, ..., end share their mean
    for (std::size_t i = begin; i < end; ++i) {
      ranks.doubled.push_back(doubled);
      if (sorted[i] > 0) ranks.positive += doubled;
    }
    const double t = static_cast<double>(end - begin);
    ranks.ties += t * t * t - t;
  }
  return ranks;
}

// ways[s] = in how many of the 2^n signs the positive doubled ranks sum to s. Adding a rank r:
//
//     ways'[s] = ways[s] + ways[s - r]
//
// The counts are whole and at most 2^50, so p is a ratio of exact numbers.
double exact_p(const SignedRanks& ranks) {
  std::vector<std::uint64_t> ways = {1};
  for (const std::size_t r : ranks.doubled) {
    const std::size_t old_size = ways.size();
    ways.resize(old_size + r, 0);
    for (std::size_t s = old_size; s-- > 0;) ways[s + r] += ways[s];
  }
  std::uint64_t at_most = 0, at_least = 0;
  for (std::size_t s = 0; s < ways.size(); ++s) {
    if (s <= ranks.positive) at_most += ways[s];
    if (s >= ranks.positive) at_least += ways[s];
  }
  const double tail = static_cast<double>(std::min(at_most, at_least));
  return std::min(1.0, std::ldexp(tail, 1 - static_cast<int>(ranks.doubled.size())));
}

//     E W' = n (n+1) / 4      Var W' = n (n+1) (2n+1) / 24 - sum(t^3 - t) / 48
double normal_p(const SignedRanks& ranks) {
  const double n = static_cast<double>(ranks.doubled.size());
  const double mean = n * (n + 1) / 4;
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.ties / 48;
  const double distance = std::abs(static_cast<double>(ranks.positive) / 2 - mean);
  const double z = std::max(0.0, distance - 0.5) / std::sqrt(variance);
  return std::erfc(z / std::sqrt(2.0));
}

}  // namespace

Wilcoxon wilcoxon(std::span<const double> differences) {
  const SignedRanks ranks = signed_ranks(differences);
  const bool exact = ranks.doubled.size() <= kExactWilcoxon;
  return {.w = static_cast<double>(ranks.positive) / 2,
          .p = exact ? exact_p(ranks) : normal_p(ranks)};
}

std::vector<double> holm(std::span<const double> p_values) {
  for (const double p : p_values) invariant(p >= 0 && p <= 1, "a p-value is between 0 and 1");

  std::vector<std::size_t> ascending(p_values.size());
  std::iota(ascending.begin(), ascending.end(), std::size_t{0});
  std::sort(ascending.begin(), ascending.end(),
            [&](std::size_t i, std::size_t j) { return p_values[i] < p_values[j]; });

  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  std::size_t remaining = p_values.size();
  for (const std::size_t i : ascending) {
    largest = std::max(largest, static_cast<double>(remaining--) * p_values[i]);
    adjusted[i] = std::min(1.0, largest);
  }
  return adjusted;
}

}  // namespace pcgs::stats
