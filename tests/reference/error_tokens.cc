#include "reference/error_tokens.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "network/error_stream.h"
#include "reference/tokens.h"

namespace pcgs::reference {
namespace {

using namespace tokens::errors;  // its numbers and the order of a token are data, not code

// What the schema leaves to the stream.
constexpr double kFloor = 1e-6;  // of squares, in units, that something is divided by

constexpr std::size_t kCount = kFilters.size();

// Errors in units, and what the filters made of them.
struct Played {
  Series z;                     // [T][K]
  Series centre;                // [T][1] its error
  Series mean_square;           // [T][1] of all experts
  Series paid;                  // [T][filters] their errors
  std::vector<Series> weights;  // [filters][T][K] after each round
};

std::vector<double> share_step(std::vector<double> w, const std::vector<double>& charge,
                               double rho) {
  const auto experts = static_cast<double>(w.size());
  const double least = *std::min_element(charge.begin(), charge.end());
  double total = 0;
  for (std::size_t k = 0; k < w.size(); ++k) total += w[k] *= std::exp(-(charge[k] - least));
  for (double& x : w) x = (1 - rho) * x / total + rho / experts;
  return w;
}

// The mean square of the centre so far; where no error was different from zero yet, 0.
double unit_of(const std::vector<double>& squares) {
  if (squares.empty()) return 0;
  const Weighting weighting(double{kUnitSpan}, squares.size() - 1);
  double sum = 0;
  for (std::size_t s = 0; s < squares.size(); ++s) {
    sum += weighting.by_age[squares.size() - 1 - s] * squares[s];
  }
  return std::sqrt(sum / weighting.total);
}

Played play(MatrixView errors) {
  const std::size_t experts = errors.columns;
  const double most = kLargestError, most_charge = kLargestCharge;
  Played out;
  std::vector<std::vector<double>> w(
      kCount, std::vector<double>(experts, 1 / static_cast<double>(experts)));
  out.weights.resize(kCount);
  std::vector<double> squares;  // of the centre, in raw units, since the first that is not all 0
  for (std::size_t t = 0; t < errors.rows; ++t) {
    const auto row = errors.row(t);
    double unit = unit_of(squares);
    if (squares.empty()) {
      double square = 0;
      for (const double e : row) square += e * e / static_cast<double>(experts);
      unit = std::sqrt(square);
    }
    std::vector<double> z(experts, 0.0);
    for (std::size_t k = 0; k < experts && unit > 0; ++k)
      z[k] = std::clamp(row[k] / unit, -most, most);
    double mean_square = 0;
    for (const double x : z) mean_square += x * x / static_cast<double>(experts);

    std::vector<double> paid(kCount, 0.0);
    for (std::size_t f = 0; f < kCount; ++f) {
      paid[f] = std::inner_product(z.begin(), z.end(), w[f].begin(), 0.0);
    }
    const double centre = std::accumulate(paid.begin(), paid.end(), 0.0) / kCount;
    if (unit > 0) {
      squares.push_back(unit * unit *
                        std::clamp(centre * centre, kFloor * mean_square, double{kLargestSquare}));
    }
    for (std::size_t f = 0; f < kCount; ++f) {
      std::vector<double> charge(experts);
      for (std::size_t k = 0; k < experts; ++k) {
        const double loss = kFilters[f].linear ? 2 * paid[f] * (z[k] - paid[f]) : z[k] * z[k];
        charge[k] = std::clamp(double{kFilters[f].eta} * loss, -most_charge, most_charge);
      }
      w[f] = share_step(w[f], charge, double{kFilters[f].rho});
      out.weights[f].push_back(w[f]);
    }
    out.z.push_back(z);
    out.centre.push_back({centre});
    out.mean_square.push_back({mean_square});
    out.paid.push_back(paid);
  }
  return out;
}

}  // namespace

ErrorTokenHistory error_token_history(MatrixView errors, MatrixView losses) {
  const std::size_t rounds = errors.rows, experts = errors.columns;
  const auto n = static_cast<double>(experts);
  const Played played = play(errors);
  const auto centre = [&](std::size_t t) { return played.centre[t][0]; };
  ErrorTokenHistory out;
  out.tokens.assign(rounds, std::vector<double>(experts * kExpertFeatures));
  out.shared.assign(rounds, std::vector<double>(kSharedFeatures));
  const auto put = [&](std::size_t feature, const Series& x) {
    for (std::size_t t = 0; t < rounds; ++t) {
      for (std::size_t k = 0; k < experts; ++k) {
        out.tokens[t][k * kExpertFeatures + feature] = x[t][k];
      }
    }
  };
  const auto logs = [](const Series& x) {
    return map(x, [](double v, std::size_t, std::size_t) { return signed_log1p(v); });
  };

  // Means beside the centre's mean square over the same span.
  const Series centre_square =
      map(played.centre, [](double c, std::size_t, std::size_t) { return c * c; });
  const auto beside_centre = [&](double span, const Series& x) {
    const Series of_centre = means(span, centre_square);
    return map(means(span, x), [&](double v, std::size_t t, std::size_t) {
      return v / std::max(of_centre[t][0], kFloor);
    });
  };
  const auto log_ratio = [&](double span, const Series& x) {
    return map(beside_centre(span, x), [](double v, std::size_t, std::size_t) {
      return std::log(v + double{kLeastRatio});
    });
  };

  const Series square = map(played.z, [](double z, std::size_t, std::size_t) { return z * z; });
  const Series distance = map(played.z, [&](double z, std::size_t t, std::size_t) {
    return (z - centre(t)) * (z - centre(t));
  });
  const Series gain = map(
      played.z, [&](double z, std::size_t t, std::size_t) { return centre(t) * (z - centre(t)); });
  const Series squared_gain = map(gain, [](double g, std::size_t, std::size_t) { return g * g; });
  for (std::size_t i = 0; i < kSquareSpans.size(); ++i) {
    put(kSquares + i, log_ratio(double{kSquareSpans[i]}, square));
  }
  for (std::size_t i = 0; i < kDistanceSpans.size(); ++i) {
    put(kDistances + i, log_ratio(double{kDistanceSpans[i]}, distance));
  }
  for (std::size_t i = 0; i < kProductSpans.size(); ++i) {
    put(kProducts + i, logs(map(beside_centre(double{kProductSpans[i]}, gain),
                                [](double v, std::size_t, std::size_t) { return 4 * v; })));
  }
  for (std::size_t i = 0; i < kEvidenceSpans.size(); ++i) {
    const double span = kEvidenceSpans[i];
    const Series usual = means(span, squared_gain);
    put(kEvidence + i,
        logs(map(trusted(span, means(span, gain)), [&](double v, std::size_t t, std::size_t k) {
          return v / std::sqrt(usual[t][k] + kFloor);
        })));
  }
  for (std::size_t i = 0; i < kBiasSpans.size(); ++i) {
    const Series own = means(double{kBiasSpans[i]}, square);
    put(kBiases + i,
        map(means(double{kBiasSpans[i]}, played.z), [&](double v, std::size_t t, std::size_t k) {
          return 2 * v / std::sqrt(own[t][k] + kFloor);
        }));
  }
  for (std::size_t i = 0; i < kRecent; ++i) {
    put(kLatest + i, logs(map(played.z, [&](double, std::size_t t, std::size_t k) {
          return t < i ? 0 : played.z[t - i][k];
        })));
  }

  Series together = map(played.z, [](double, std::size_t, std::size_t) { return 0.0; });
  for (std::size_t f = 0; f < kCount; ++f) {
    put(kLogWeights + f, map(played.weights[f],
                             [&](double w, std::size_t, std::size_t) { return std::log(n * w); }));
    together = map(together, [&](double sum, std::size_t t, std::size_t k) {
      return sum + played.weights[f][t][k] / kCount;
    });
  }
  out.anchor = map(together, [&](double w, std::size_t, std::size_t) { return std::log(n * w); });

  const Series squared_paid =
      map(played.paid, [](double e, std::size_t, std::size_t) { return e * e; });
  for (std::size_t i = 0; i < kScoreSpans.size(); ++i) {
    const Series scores = log_ratio(double{kScoreSpans[i]}, squared_paid);
    for (std::size_t t = 0; t < rounds; ++t) {
      for (std::size_t f = 0; f < kCount; ++f) {
        out.shared[t][kScores + i * kCount + f] = 3 * scores[t][f];
      }
    }
  }
  const Series variance = means(double{kLossSpan}, [&] {
    Series x;
    for (std::size_t t = 0; t < rounds; ++t) {
      const auto row = losses.row(t);
      const double mean = std::accumulate(row.begin(), row.end(), 0.0) / n;
      x.push_back({0.0});
      for (const double l : row) x[t][0] += (l - mean) * (l - mean) / n;
    }
    return x;
  }());
  const Series successive =
      means(double{kUnitSpan}, map(played.centre, [&](double c, std::size_t t, std::size_t) {
              return t == 0 ? 0 : c * centre(t - 1);
            }));
  for (std::size_t t = 0; t < rounds; ++t) {
    out.scale.push_back(std::max(std::sqrt(variance[t][0]), 1e-6));
    double* situation = out.shared[t].data() + kSituation;
    situation[0] = std::log(n);
    situation[1] = std::log1p(std::min(static_cast<double>(t + 1), double{kLongestMemory}));
    situation[2] = std::log(played.mean_square[t][0] + 1e-3);
    situation[3] = std::log(centre_square[t][0] + 1e-3);
    situation[4] = std::clamp(3 * successive[t][0], -5.0, 5.0);
    situation[5] = std::log(out.scale[t]);
  }
  return out;
}

}  // namespace pcgs::reference
