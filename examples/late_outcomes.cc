// Day-ahead forecasts: the outcome of a round arrives while the next ones are already open. The
// state is saved in between, as a service would over a restart.
#include <pcgs/pcgs.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

int main() {
  constexpr std::int64_t kDelay = 24;
  const auto truth = [](std::int64_t t) { return 0.5 + 0.4 * std::sin(0.26 * double(t)); };
  const double missing = std::numeric_limits<double>::quiet_NaN();

  auto aggregator = pcgs::make_aggregator("fixed-share{eta=8,rho=0.001}", 2);
  for (std::int64_t t = 1; t <= 500; ++t) {
    // The second forecaster is better, but takes every tenth round off.
    const std::array<double, 2> forecasts = {0.5, t % 10 == 0 ? missing : truth(t) + 0.05};
    aggregator.predict(forecasts);
    if (t > kDelay) aggregator.learn(t - kDelay, truth(t - kDelay));
    if (t == 250) {
      aggregator.save("late_outcomes.state");
      aggregator = pcgs::load_aggregator("late_outcomes.state");
    }
  }
  std::printf("%zu rounds still open, weight of the better forecaster %.3f\n",
              aggregator.open_rounds(), aggregator.weights()[1]);
  return aggregator.open_rounds() == kDelay && aggregator.weights()[1] > 0.9 ? 0 : 1;
}
