#include "research/mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "research/tournament.h"

namespace pcgs::suite {

namespace {

struct Mean {
  double sum = 0;
  std::size_t count = 0;
  void add(double x) {
    sum += x;
    ++count;
  }
  double value() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

}  // namespace

double entropy(std::span<const double> q) {
  double nats = 0;
  for (const double p : q) nats -= p > 0 ? p * std::log(p) : 0;
  return nats;
}

double deviation(std::span<const double> x) {
  Mean mean, square;
  for (const double y : x) mean.add(y);
  for (const double y : x) square.add((y - mean.value()) * (y - mean.value()));
  return std::sqrt(square.value());
}

namespace {

double correlation(std::span<const double> x, std::span<const double> y) {
  Mean mx, my, xy;
  for (const double a : x) mx.add(a);
  for (const double b : y) my.add(b);
  for (std::size_t i = 0; i < x.size(); ++i) xy.add((x[i] - mx.value()) * (y[i] - my.value()));
  const double spread = deviation(x) * deviation(y);
  // Rounding leaves a constant series a spread of 1e-17; it correlates with nothing.
  return spread > 1e-14 ? xy.value() / spread : 0;
}

}  // namespace

Mechanism examine(std::string_view method, MatrixView losses, std::size_t switches) {
  auto player = make_method(method, losses.columns);
  if (player->share() == nullptr) {
    throw Error(
        fmt::format("{} has no restarts to look at; choose a method of the share form", method));
  }
  Trace trace;
  play(std::move(player), losses, &trace);
  const auto& rows = trace.rows();
  const auto path = switching_path(losses, switches).experts;

  Mechanism out;
  Mean after, elsewhere, on_next, all_entropy;
  std::vector<double> learner, rho, volatility;
  std::size_t since = kAfterSwitch;  // rounds since the last switch round
  for (std::size_t t = 0; t < rows.size(); ++t) {
    (since < kAfterSwitch ? after : elsewhere).add(rows[t].rho);
    ++since;
    all_entropy.add(entropy(rows[t].q));
    learner.push_back(rows[t].mixture_loss);
    if (t + 1 >= kVolatilityRounds) {
      rho.push_back(rows[t].rho);
      volatility.push_back(deviation(std::span(learner).last(kVolatilityRounds)));
    }
    if (t + 1 == rows.size() || path[t + 1] == path[t]) continue;
    since = 0;
    ++out.switches;
    const double mass = rows[t].q[path[t + 1]];
    on_next.add(mass);
    out.effective_complexity -= std::log(mass);
  }
  out.rho_after_switch = after.value();
  out.rho_elsewhere = elsewhere.value();
  out.q_on_next = on_next.value();
  out.q_entropy = all_entropy.value();
  out.rho_volatility = correlation(rho, volatility);
  out.uniform_complexity =
      static_cast<double>(out.switches) * std::log(static_cast<double>(losses.columns));
  return out;
}

}  // namespace pcgs::suite
