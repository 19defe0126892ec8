#define HWY_TARGET_INCLUDE "methods/filter_bank.cc"
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/simd_inl.h"
#include "methods/guard.h"

HWY_BEFORE_NAMESPACE();
namespace pcgs::kernels::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

void RowLosses(const double* HWY_RESTRICT table, std::size_t rows, std::size_t stride,
               const double* HWY_RESTRICT losses, double* HWY_RESTRICT out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t m = 0; m < rows; ++m) {
    const double* row = table + m * stride;
    V sum = hn::Zero(d);
    for (std::size_t k = 0; k < stride; k += lanes) {
      sum = hn::MulAdd(hn::Load(d, row + k), hn::Load(d, losses + k), sum);
    }
    out[m] = hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

void MixRows(const double* HWY_RESTRICT table, std::size_t rows, std::size_t stride,
             const double* HWY_RESTRICT shares, double* HWY_RESTRICT out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t k = 0; k < stride; k += lanes) hn::Store(hn::Zero(d), d, out + k);
  for (std::size_t m = 0; m < rows; ++m) {
    if (shares[m] == 0) continue;  // most of them, once it is clear who is good
    const double* row = table + m * stride;
    const V share = hn::Set(d, shares[m]);
    for (std::size_t k = 0; k < stride; k += lanes) {
      hn::Store(hn::MulAdd(share, hn::Load(d, row + k), hn::Load(d, out + k)), d, out + k);
    }
  }
}

// row *= factors; returns the sum.
HWY_INLINE double Reweigh(D d, double* HWY_RESTRICT row, const double* HWY_RESTRICT factors,
                          std::size_t stride) {
  const std::size_t lanes = hn::Lanes(d);
  V sum = hn::Zero(d);
  for (std::size_t k = 0; k < stride; k += lanes) {
    const V u = hn::Mul(hn::Load(d, row + k), hn::Load(d, factors + k));
    hn::Store(u, d, row + k);
    sum = hn::Add(sum, u);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void StepFilters(const FilterRows& rows, const double* HWY_RESTRICT losses, double eta,
                 double* HWY_RESTRICT factors, double* HWY_RESTRICT z) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t stride = rows.stride;
  // One exponential serves every filter of this rate.
  const V minus_eta = hn::Set(d, -eta);
  const V lowest = hn::Set(d, -700.0);
  for (std::size_t k = 0; k < stride; k += lanes) {
    hn::Store(ExpOrZero(d, hn::Mul(minus_eta, hn::Load(d, losses + k)), lowest), d, factors + k);
  }
  for (std::size_t i = 0; i < rows.uniform_rows; ++i) {
    double* HWY_RESTRICT row = rows.uniform + i * stride;
    z[i] = Reweigh(d, row, factors, stride);
    const V keep = hn::Set(d, (1 - rows.rho[i]) / z[i]);
    const V rho = hn::Set(d, rows.rho[i]);
    for (std::size_t k = 0; k < stride; k += lanes) {
      const V restart = hn::Mul(rho, hn::Load(d, rows.flat + k));
      hn::Store(hn::MulAdd(keep, hn::Load(d, row + k), restart), d, row + k);
    }
  }
  const V step = hn::Set(d, rows.step);
  for (std::size_t i = 0; i < rows.past_rows; ++i) {
    double* HWY_RESTRICT row = rows.past + i * stride;
    double* HWY_RESTRICT mean = rows.means + i * stride;
    const V normalise = hn::Set(d, 1 / Reweigh(d, row, factors, stride));
    const V keep = hn::Set(d, 1 - rows.past_rho[i]);
    const V rho = hn::Set(d, rows.past_rho[i]);
    for (std::size_t k = 0; k < stride; k += lanes) {
      const V v = hn::Mul(normalise, hn::Load(d, row + k));
      const V before = hn::Load(d, mean + k);
      const V q = hn::MulAdd(step, hn::Sub(v, before), before);
      hn::Store(q, d, mean + k);
      hn::Store(hn::MulAdd(keep, v, hn::Mul(rho, q)), d, row + k);
    }
  }
}

}  // namespace pcgs::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::kernels {

HWY_EXPORT(RowLosses);
HWY_EXPORT(MixRows);
HWY_EXPORT(StepFilters);

void row_losses(const double* table, std::size_t rows, std::size_t stride, const double* losses,
                double* out) {
  HWY_DYNAMIC_DISPATCH(RowLosses)(table, rows, stride, losses, out);
}

void mix_rows(const double* table, std::size_t rows, std::size_t stride, const double* shares,
              double* out) {
  HWY_DYNAMIC_DISPATCH(MixRows)(table, rows, stride, shares, out);
}

void step_filters(const FilterRows& rows, const double* losses, double eta, double* factors,
                  double* z) {
  HWY_DYNAMIC_DISPATCH(StepFilters)(rows, losses, eta, factors, z);
}

}  // namespace pcgs::kernels

namespace pcgs {

namespace {

// Far below any weight of a filter that restarts, and far above where products underflow.
constexpr double kLeastWeight = 1e-100;
// When experts change, of every row: a step of a restart that small lengthens a code by as much.
constexpr double kSharedAnew = 1e-16;
// In the place of a sum of gaps: no path can be compared with. Whatever is added later changes nothing.
constexpr double kNothingKnown = 1e200;

}  // namespace

FilterBank::FilterBank(std::size_t experts, double* table)
    : experts_(experts),
      stride_(padded(experts)),
      behind_(experts, 0.0),
      log_sum_{},
      gap_sum_{},
      means_(kEtas * kPast.size() * stride_),
      flat_(stride_),
      factors_(stride_) {
  std::fill_n(flat_.begin(), experts, 1.0 / static_cast<double>(experts));
  for (std::size_t m = 0; m < kFilters; ++m) {
    std::copy(flat_.begin(), flat_.end(), table + m * stride_);
  }
  for (std::size_t i = 0; i < kEtas * kPast.size(); ++i) {
    std::copy(flat_.begin(), flat_.end(), means_.data() + i * stride_);
  }
  log_sum_.fill(std::log(static_cast<double>(experts)));
}

void FilterBank::learn(const double* losses, std::span<const double> mixtures, double* table) {
  ++rounds_;
  const double next = static_cast<double>(rounds_) + 1;
  std::array<double, kPast.size()> past_rho;
  for (std::size_t j = 0; j < kPast.size(); ++j) past_rho[j] = kPast[j] / next;

  for (std::size_t k = 0; k < experts_; ++k) behind_[k] += losses[k];
  const double leader = *std::min_element(behind_.begin(), behind_.end());
  for (double& b : behind_) b -= leader;

  for (std::size_t i = 0; i < kEtas; ++i) {
    const double eta = kEtaGrid[i];
    double* gaps = gap_sum_.data() + i * kRhoGrid.size();
    const double* mixture = mixtures.data() + i * kStyles;
    std::array<double, kUniform> z;
    kernels::step_filters({stride_, row(table, i, 1), kUniform, kRhoGrid.data() + 1,
                           row(table, i, 1 + kUniform), means_.data() + i * kPast.size() * stride_,
                           kPast.size(), past_rho.data(), 1 / next, flat_.data()},
                          losses, eta, factors_.data(), z.data());
    for (std::size_t j = 0; j < kUniform; ++j) {
      gaps[1 + j] += std::max(0.0, mixture[1 + j] + std::log(z[j]) / eta);
    }
    const double before = log_sum_[i];
    hedge(i, table);
    gaps[0] += std::max(0.0, mixture[0] - (leader - (log_sum_[i] - before) / eta));
  }
}

void FilterBank::excess(std::size_t switches, std::span<double> out) const {
  std::fill(out.begin(), out.end(), std::numeric_limits<double>::infinity());
  const auto experts = static_cast<double>(experts_);
  const double steps = rounds_ > 0 ? static_cast<double>(rounds_ - 1) : 0;
  const double most = std::min(static_cast<double>(switches), experts_ > 1 ? steps : 0.0);
  for (std::size_t i = 0; i < kEtas; ++i) {
    for (std::size_t j = 0; j < kRhoGrid.size(); ++j) {
      const double rho = kRhoGrid[j];
      if (rho == 0 && most > 0) continue;
      if (gap_sum_[i * kRhoGrid.size() + j] >= kNothingKnown) continue;
      const double stays = -(steps - most) * std::log1p(-rho * (1 - 1 / experts));
      const double changes = most > 0 ? most * std::log(experts / rho) : 0;
      out[i * kStyles + j] =
          gap_sum_[i * kRhoGrid.size() + j] + (std::log(experts) + stays + changes) / kEtaGrid[i];
    }
  }
}

// The weights of Hedge from the cumulative losses: none is ever lost to underflow.
void FilterBank::hedge(std::size_t i, double* table) {
  log_sum_[i] = kernels::softmin(behind_, kEtaGrid[i], {row(table, i, 0), experts_}).log_sum;
}

FilterBank::Sums FilterBank::sums_after(const ExpertChange& change) const {
  std::vector<double> left;  // of those that stay, less the least
  for (std::size_t k = 0; k < change.after(); ++k) {
    if (!change.is_new(k)) left.push_back(behind_[change.from(k)]);
  }
  if (left.empty()) left.push_back(0);
  const double leader = *std::min_element(left.begin(), left.end());
  for (double& b : left) b -= leader;
  std::vector<double> shares(left.size());
  const auto log_mean = [&](double eta) {
    return kernels::softmin(left, eta, shares).log_sum - std::log(static_cast<double>(left.size()));
  };
  const double newcomer = -log_mean(1);
  Sums after{change.moved<double>(behind_, leader + newcomer), gap_sum_};
  for (double& b : after.behind) b = std::max(0.0, b - leader);
  const auto newcomers = static_cast<double>(change.after() - change.stayers());
  for (std::size_t i = 0; i < kEtas; ++i) {
    // Relative to the mean weight of those that stay; 1 would be as much as they have.
    const double each = std::exp(-kEtaGrid[i] * newcomer - log_mean(kEtaGrid[i]));
    const double even = newcomers / static_cast<double>(left.size());
    const double paid = std::log1p(newcomers * each / static_cast<double>(left.size()));
    after.gap_sum[i * kRhoGrid.size()] += std::max(0.0, paid - std::log1p(even)) / kEtaGrid[i];
  }
  if (change.anybody_leaves()) after.gap_sum.fill(kNothingKnown);
  return after;
}

// Where most leave again and again, what is left of the past of those that stay would shrink without
// end: a part that no bound notices is shared out anew.
void FilterBank::save_row(StateWriter& out, std::span<const double> row) const {
  if (out.change() == nullptr) return out.f64s(row);
  std::vector<double> after = out.change()->shared_out(row);
  for (double& w : after)
    w = (1 - kSharedAnew) * w + kSharedAnew / static_cast<double>(after.size());
  out.f64s(after);
}

void FilterBank::save(StateWriter& out, const double* table) const {
  const Sums sums = out.change() == nullptr ? Sums{behind_, gap_sum_} : sums_after(*out.change());
  out.u64(rounds_);
  out.f64s(sums.behind);
  out.f64s(sums.gap_sum);
  for (std::size_t m = 0; m < kFilters; ++m) {
    if (m % kStyles > 0) save_row(out, {table + m * stride_, experts_});
  }
  for (std::size_t i = 0; i < kEtas * kPast.size(); ++i) {
    save_row(out, {means_.data() + i * stride_, experts_});
  }
}

void FilterBank::load(StateReader& in, double* table) {
  rounds_ = in.u64();
  if (rounds_ >= std::uint64_t{1} << 62) in.fail("a count of rounds in it is out of range");
  load_finite(in, behind_, 0, "a cumulative loss");
  load_finite(in, gap_sum_, 0, "a sum of mixability gaps");
  const auto load_row = [&](std::span<double> row) {
    load_weights(in, row);
    if (*std::min_element(row.begin(), row.end()) < kLeastWeight) {
      in.fail("a weight in it is smaller than a restart leaves it");
    }
  };
  for (std::size_t m = 0; m < kFilters; ++m) {
    if (m % kStyles > 0) load_row({table + m * stride_, experts_});
  }
  for (std::size_t i = 0; i < kEtas * kPast.size(); ++i) {
    load_row({means_.data() + i * stride_, experts_});
  }
  for (std::size_t i = 0; i < kEtas; ++i) hedge(i, table);
}

}  // namespace pcgs
#endif
