#define HWY_TARGET_INCLUDE "methods/filter_kernels.cc"

#include "core/simd_inl.h"
#include "methods/filter_bank.h"

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
#endif
