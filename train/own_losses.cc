#include "own_losses.h"

#include <fmt/format.h>

#include <algorithm>

#include "pcgs/error.h"

namespace pcgs::train {

namespace {

Matrix rounds_of(const Matrix& losses, std::size_t from, std::size_t rounds) {
  Matrix out(rounds, losses.columns);
  std::copy_n(losses.row(from).begin(), rounds * losses.columns, out.values.begin());
  return out;
}

void check(const Matrix& losses, const std::string& origin) {
  for (std::size_t t = 0; t < losses.rows; ++t) {
    for (const double l : losses.row(t)) {
      if (l >= 0 && l <= 1) continue;
      throw Error(
          fmt::format("{}: row {} holds {}; losses to train on lie in [0, 1]", origin, t + 1, l));
    }
  }
  if (losses.rows < kFewestRounds) {
    throw Error(fmt::format("{} has {} rounds; give at least {} to train on", origin, losses.rows,
                            kFewestRounds));
  }
}

}  // namespace

OwnLosses own_losses(const Matrix& losses, const std::string& origin, std::size_t window,
                     std::size_t switches, std::size_t threads, torch::Device device) {
  check(losses, origin);
  const std::size_t held_out = std::max(losses.rows / 5, kFewestRounds / 3);
  const std::size_t past = losses.rows - held_out;
  const std::size_t rounds = std::min(window, past / 2);
  const std::size_t step = std::max<std::size_t>(1, rounds / 4);
  const std::size_t count = (past - rounds) / step + 1;
  return {
      make_pool(
          count,
          // Counted from the end: the most recent past is never left out.
          [&](std::size_t i) { return rounds_of(losses, past - rounds - i * step, rounds); },
          switches, threads, device),
      {"last fifth", make_pool(
                         1, [&](std::size_t) { return rounds_of(losses, past, held_out); },
                         std::max<std::size_t>(1, switches * held_out / rounds), threads, device)}};
}

}  // namespace pcgs::train
