#define HWY_TARGET_INCLUDE "proof/sweep.cc"
#include "proof/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <system_error>
#include <thread>

#include "core/simd_inl.h"
#include "data/invariant.h"
#include "pcgs/error.h"

HWY_BEFORE_NAMESPACE();
namespace pcgs::oracle::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

double Least(V values) {
  const D d;
#if HWY_TARGET == HWY_EMU128
  // Its MinOfLanes never exceeds the largest finite number, but everybody may be asleep.
  HWY_ALIGN double lanes[HWY_MAX_BYTES / sizeof(double)];
  hn::Store(values, d, lanes);
  double least = lanes[0];
  for (std::size_t i = 1; i < hn::Lanes(d); ++i) least = lanes[i] < least ? lanes[i] : least;
  return least;
#else
  return hn::GetLane(hn::MinOfLanes(d, values));
#endif
}

// Adding a cost of 0 would change nothing but the time, between two rounds of few experts.
template <std::size_t kRows, bool kCosts>
void CarryRows(const Block& block) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t stride = block.stride;
  double* const rows = block.rows;
  const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  double best[kRows];
  for (std::size_t i = 0; i < kRows; ++i) best[i] = block.best[i];
  const auto switched = [&](double from) {
    return hn::Set(d, kCosts ? from + block.switch_cost : from);
  };

  for (std::size_t t = 0; t < block.rounds; ++t) {
    const double* HWY_RESTRICT losses = block.losses + t * stride;
    double* before = block.before + t * block.before_step;
    V from_below[kBlockRows] = {switched(before[-1]), infinity, infinity, infinity};
    V least[kBlockRows] = {infinity, infinity, infinity, infinity};
    for (std::size_t i = 0; i < kRows; ++i) {
      before[i] = best[i];
      if (i > 0) from_below[i] = switched(best[i - 1]);
    }
    for (std::size_t k = 0; k < stride; k += lanes) {
      const V loss = hn::Load(d, losses + k);
      for (std::size_t i = 0; i < kRows; ++i) {
        double* HWY_RESTRICT at = rows + i * stride + k;
        const V value = hn::Add(hn::Min(hn::Load(d, at), from_below[i]), loss);
        hn::Store(value, d, at);
        least[i] = hn::Min(least[i], value);
      }
    }
    for (std::size_t i = 0; i < kRows; ++i) best[i] = Least(least[i]);
  }
  for (std::size_t i = 0; i < kRows; ++i) block.best[i] = best[i];
}

template <bool kCosts>
void CarryBlock(const Block& block) {
  switch (block.count) {
    case 1:
      return CarryRows<1, kCosts>(block);
    case 2:
      return CarryRows<2, kCosts>(block);
    case 3:
      return CarryRows<3, kCosts>(block);
    default:
      return CarryRows<4, kCosts>(block);
  }
}

void Carry(const Block& block) {
  if (block.switch_cost > 0) return CarryBlock<true>(block);
  CarryBlock<false>(block);
}

}  // namespace pcgs::oracle::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::oracle {

HWY_EXPORT(Carry);

void carry(const Block& block) {
  invariant(block.count >= 1 && block.count <= kBlockRows, "a block of one to four rows");
  HWY_DYNAMIC_DISPATCH(Carry)(block);
}

}  // namespace pcgs::oracle

namespace pcgs {

void LossRows::read_column(std::size_t column, std::size_t first, std::size_t count,
                           double* out) const {
  std::vector<double> row(columns());
  for (std::size_t t = 0; t < count; ++t) {
    read(first + t, 1, row.data(), row.size());
    out[t] = row[column];
  }
}

}  // namespace pcgs

namespace pcgs::oracle {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A chunk of losses stays in the second-level cache while every block of rows goes over it, and a
// block of rows in the first. Threads take larger chunks, so that they meet less often.
constexpr std::size_t kChunkBytes = std::size_t{128} << 10;
constexpr std::size_t kBlockBytes = std::size_t{16} << 10;
// States below which starting threads takes longer than they save.
constexpr std::size_t kWorthThreads = 2'000'000;

}  // namespace

void MatrixRows::read(std::size_t first, std::size_t count, double* out, std::size_t stride) const {
  for (std::size_t t = 0; t < count; ++t) {
    const auto row = matrix_.row(first + t);
    std::copy(row.begin(), row.end(), out + t * stride);
  }
}

void MatrixRows::read_column(std::size_t column, std::size_t first, std::size_t count,
                             double* out) const {
  for (std::size_t t = 0; t < count; ++t) out[t] = matrix_.row(first + t)[column];
}

double checked_switch_cost(double cost) {
  if (!(cost >= 0 && cost <= kMostSwitchCost)) {
    throw Error(
        ErrorKind::kValue, {.field = "switch_cost"},
        fmt::format("a switch cannot cost {}; give a number from 0 to {}", cost, kMostSwitchCost));
  }
  return cost;
}

Sweep::Sweep(const LossRows& losses, std::size_t budgets, std::size_t threads, double switch_cost)
    : losses_(losses),
      switch_cost_(checked_switch_cost(switch_cost)),
      stride_(padded(losses.columns())),
      chunk_(std::clamp<std::size_t>(
          (threads > 1 ? 4 : 1) * kChunkBytes / (std::max(stride_, budgets + 1) * sizeof(double)),
          8, 4096)),
      block_rows_(std::clamp<std::size_t>(kBlockBytes / (stride_ * sizeof(double)), 1, kBlockRows)),
      stages_(std::clamp<std::size_t>(threads, 1, (budgets + block_rows_ - 1) / block_rows_)),
      slots_(stages_ == 1 ? 1 : stages_ + 1),
      rows_(budgets * stride_),
      best_(budgets, kInfinity),
      buffer_(slots_ * chunk_ * stride_, kInfinity),
      bests_(slots_ * chunk_ * (budgets + 1)) {}

void Sweep::advance(std::size_t first, std::size_t count, std::size_t budgets, double* bests) {
  const Work work{first, count, budgets, bests};
  const std::size_t chunks = (count + chunk_ - 1) / chunk_;
  const std::size_t blocks = (budgets + block_rows_ - 1) / block_rows_;
  if (stages_ > 1 && blocks >= stages_ && count * budgets * stride_ >= kWorthThreads) {
    if (advance_in_stages(work, chunks, blocks)) return;
  }
  for (std::size_t c = 0; c < chunks; ++c) {
    load_chunk(work, c);
    carry_chunk(work, c, 0, blocks);
  }
}

// Row s needs the best of row s - 1 before the round and nothing else of it, so blocks of rows form
// a pipeline: a stage carries its blocks through chunk c once the stage below has, each on a thread
// of its own. The answer does not depend on how many there are. False, with nothing done, if there are
// no such threads to be had.
bool Sweep::advance_in_stages(const Work& work, std::size_t chunks, std::size_t blocks) {
  constexpr std::size_t kStopped = std::numeric_limits<std::size_t>::max();
  std::vector<std::atomic<std::size_t>> done(stages_);  // [stage] chunks, kStopped to give up
  const auto wait_for = [&](std::size_t stage, std::size_t target) {
    std::size_t seen = done[stage].load(std::memory_order_acquire);
    while (seen < target) {
      done[stage].wait(seen, std::memory_order_acquire);
      seen = done[stage].load(std::memory_order_acquire);
    }
    return seen != kStopped;
  };
  const auto report = [&](std::size_t stage, std::size_t value) {
    done[stage].store(value, std::memory_order_release);
    done[stage].notify_all();
  };
  const auto carry_stage = [&](std::size_t stage, std::size_t c) {
    carry_chunk(work, c, stage * blocks / stages_, (stage + 1) * blocks / stages_);
    report(stage, c + 1);
  };

  std::vector<std::jthread> threads;  // joined on the way out
  try {
    for (std::size_t stage = 1; stage < stages_; ++stage) {
      threads.emplace_back([&, stage] {
        for (std::size_t c = 0; c < chunks; ++c) {
          if (!wait_for(stage - 1, c + 1)) {
            report(stage, kStopped);
            return;
          }
          carry_stage(stage, c);
        }
      });
    }
  } catch (const std::system_error&) {  // there are no more threads to be had, and none has begun
    report(0, kStopped);
    return false;
  }
  try {
    for (std::size_t c = 0; c < chunks; ++c) {
      if (c >= slots_) wait_for(stages_ - 1, c - slots_ + 1);  // until the slot is free again
      load_chunk(work, c);
      carry_stage(0, c);
    }
  } catch (...) {  // reading the losses may fail
    report(0, kStopped);
    throw;
  }
  return true;
}

// The bests of chunk c: where the caller wants them, or in the slot of the chunk.
double* Sweep::bests_of(const Work& work, std::size_t c) {
  const std::size_t rounds = work.bests != nullptr ? c * chunk_ : c % slots_ * chunk_;
  return (work.bests != nullptr ? work.bests : bests_.data()) + rounds * (work.budgets + 1);
}

void Sweep::load_chunk(const Work& work, std::size_t c) {
  const std::size_t rounds = std::min(chunk_, work.count - c * chunk_);
  double* const losses = buffer_.data() + c % slots_ * chunk_ * stride_;
  losses_.read(work.first + c * chunk_, rounds, losses, stride_);
  double* const before = bests_of(work, c);
  for (std::size_t t = 0; t < rounds; ++t) before[t * (work.budgets + 1)] = kInfinity;
}

void Sweep::carry_chunk(const Work& work, std::size_t c, std::size_t first_block,
                        std::size_t last_block) {
  for (std::size_t b = first_block; b < last_block; ++b) {
    const std::size_t s = b * block_rows_;
    Block block{};
    block.rows = rows_.data() + s * stride_;
    block.count = std::min(block_rows_, work.budgets - s);
    block.stride = stride_;
    block.best = best_.data() + s;
    block.losses = buffer_.data() + c % slots_ * chunk_ * stride_;
    block.rounds = std::min(chunk_, work.count - c * chunk_);
    block.before = bests_of(work, c) + 1 + s;
    block.before_step = work.budgets + 1;
    block.switch_cost = switch_cost_;
    carry(block);
  }
}

std::size_t Sweep::best_expert(std::size_t s) const {
  const auto row = rows_.begin() + static_cast<std::ptrdiff_t>(s * stride_);
  return static_cast<std::size_t>(
      std::find(row, row + static_cast<std::ptrdiff_t>(stride_), best_[s]) - row);
}

std::vector<double> Sweep::checkpoint() const {
  std::vector<double> out;
  out.reserve(rows_.size() + best_.size());
  out.insert(out.end(), rows_.begin(), rows_.end());
  out.insert(out.end(), best_.begin(), best_.end());
  return out;
}

void Sweep::restore(std::span<const double> checkpoint) {
  std::copy_n(checkpoint.begin(), rows_.size(), rows_.begin());
  std::copy_n(checkpoint.begin() + static_cast<std::ptrdiff_t>(rows_.size()), best_.size(),
              best_.begin());
}

}  // namespace pcgs::oracle
#endif
