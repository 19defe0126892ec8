#include "own_losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pcgs/error.h"

namespace pcgs::train {

namespace {

Matrix rows_of(const Matrix& all, std::size_t from, std::size_t rows) {
  if (all.columns == 0) return {};
  Matrix out(rows, all.columns);
  std::copy_n(all.row(from).begin(), rows * all.columns, out.values.begin());
  return out;
}

void check_losses(const OwnFile& losses) {
  for (std::size_t t = 0; t < losses.values.rows; ++t) {
    for (const double l : losses.values.row(t)) {
      if (l >= 0 && l <= 1) continue;
      throw Error(fmt::format("{}: row {} holds {}; losses to train on lie in [0, 1]",
                              losses.origin, t + 1, l));
    }
  }
  if (losses.values.rows < kFewestRounds) {
    throw Error(fmt::format("{} has {} rounds; give at least {} to train on", losses.origin,
                            losses.values.rows, kFewestRounds));
  }
}

void check_side(const OwnFile& side, const OwnFile& losses) {
  if (side.values.columns == 0) return;
  if (side.values.rows != losses.values.rows) {
    throw Error(
        fmt::format("{} has {} rows and {} has {}; give a row of side information for "
                    "every round",
                    side.origin, side.values.rows, losses.origin, losses.values.rows));
  }
  for (std::size_t t = 0; t < side.values.rows; ++t) {
    for (const double x : side.values.row(t)) {
      if (std::isfinite(x)) continue;
      throw Error(fmt::format("{}: row {} holds {}; side information is finite numbers",
                              side.origin, t + 1, x));
    }
  }
}

}  // namespace

OwnLosses own_losses(const OwnFile& losses, const OwnFile& side, std::size_t window,
                     std::size_t switches, std::size_t threads, torch::Device device,
                     const io::Monitor& monitor) {
  check_losses(losses);
  check_side(side, losses);
  const std::size_t held_out = std::max(losses.values.rows / 5, kFewestRounds / 3);
  const std::size_t past = losses.values.rows - held_out;
  const std::size_t rounds = std::min(window, past / 2);
  const std::size_t step = std::max<std::size_t>(1, rounds / 4);
  const std::size_t windows = (past - rounds) / step + 1;
  const auto piece = [&](std::size_t from, std::size_t count) {
    return Material(rows_of(losses.values, from, count), rows_of(side.values, from, count));
  };
  const io::Advance advance = monitor("windows", windows + 1);
  const auto finished_one = [&] { advance(1); };
  return {make_pool(
              windows,
              // Counted from the end: the most recent past is never left out.
              [&](std::size_t i) { return piece(past - rounds - i * step, rounds); }, switches,
              threads, device, finished_one),
          {"last fifth", make_pool(
                             1, [&](std::size_t) { return piece(past, held_out); },
                             std::max<std::size_t>(1, switches * held_out / rounds), threads,
                             device, finished_one)}};
}

}  // namespace pcgs::train
