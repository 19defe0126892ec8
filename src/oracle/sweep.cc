#include "oracle/sweep.h"

#include <algorithm>
#include <limits>

#include "oracle/sweep_kernel.h"

namespace pcgs::oracle {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A chunk of losses stays in the second-level cache while every block of rows goes over it, and a
// block of rows in the first.
constexpr std::size_t kChunkBytes = std::size_t{128} << 10;
constexpr std::size_t kBlockBytes = std::size_t{16} << 10;

}  // namespace

void MatrixRows::read(std::size_t first, std::size_t count, double* out, std::size_t stride) const {
  for (std::size_t t = 0; t < count; ++t) {
    const auto row = matrix_.row(first + t);
    std::copy(row.begin(), row.end(), out + t * stride);
  }
}

Sweep::Sweep(const LossRows& losses, std::size_t budgets)
    : losses_(losses),
      stride_(padded(losses.columns())),
      chunk_(std::clamp<std::size_t>(
          kChunkBytes / (std::max(stride_, budgets + 1) * sizeof(double)), 8, 1024)),
      rows_(budgets * stride_),
      best_(budgets, kInfinity),
      buffer_(chunk_ * stride_, kInfinity),
      bests_(chunk_ * (budgets + 1)) {}

void Sweep::advance(std::size_t first, std::size_t count, std::size_t budgets, double* bests) {
  const std::size_t fitting = kBlockBytes / (stride_ * sizeof(double));
  const std::size_t block_rows = std::clamp<std::size_t>(fitting, 1, kBlockRows);
  const std::size_t step = budgets + 1;
  for (std::size_t done = 0; done < count; done += chunk_) {
    const std::size_t rounds = std::min(chunk_, count - done);
    losses_.read(first + done, rounds, buffer_.data(), stride_);
    double* const before = bests != nullptr ? bests + done * step : bests_.data();
    for (std::size_t t = 0; t < rounds; ++t) before[t * step] = kInfinity;
    for (std::size_t s = 0; s < budgets; s += block_rows) {
      Block block{};
      block.rows = rows_.data() + s * stride_;
      block.count = std::min(block_rows, budgets - s);
      block.stride = stride_;
      block.best = best_.data() + s;
      block.losses = buffer_.data();
      block.rounds = rounds;
      block.before = before + 1 + s;
      block.before_step = step;
      carry(block);
    }
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
