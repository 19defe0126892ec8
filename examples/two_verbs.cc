// The whole loop: three forecasters of one quantity, the best of which changes halfway.
#include <pcgs/pcgs.h>

#include <array>
#include <cmath>
#include <cstdio>

int main() {
  auto aggregator = pcgs::make_aggregator(3);
  double own = 0;
  std::array<double, 3> theirs = {};
  for (int t = 0; t < 200; ++t) {
    const double truth = 0.5 + 0.3 * std::sin(0.1 * t);
    const double drift = t < 100 ? 0.0 : 0.4;
    const std::array<double, 3> forecasts = {truth + drift, truth + 0.4 - drift, 0.5};

    const double combined = aggregator.predict(forecasts);
    aggregator.learn(truth);

    own += std::pow(combined - truth, 2);
    for (std::size_t k = 0; k < 3; ++k) theirs[k] += std::pow(forecasts[k] - truth, 2);
  }
  std::printf("squared error: combined %.2f; the forecasters %.2f, %.2f, %.2f\n", own, theirs[0],
              theirs[1], theirs[2]);
  const bool better = own < theirs[0] && own < theirs[1] && own < theirs[2];
  return better ? 0 : 1;
}
