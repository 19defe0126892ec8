#define HWY_TARGET_INCLUDE "network/pointwise.cc"
#include "network/pointwise.h"

#include <algorithm>
#include <cmath>

#include "core/dispatch_inl.h"
#include "network/exp_inl.h"

HWY_BEFORE_NAMESPACE();
namespace pcgs::infer::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

constexpr std::size_t kFloats = hn::MaxLanes(F());

// f(row) summed over the rows, in four sums so that an addition need not wait for the last.
template <class Function>
HWY_INLINE VF SumOverRows(F d, std::size_t rows, const Function& f) {
  VF sum[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    for (std::size_t i = 0; i < 4; ++i) sum[i] = f(sum[i], r + i);
  }
  for (; r < rows; ++r) sum[0] = f(sum[0], r);
  return hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
}

void Normalise(const float* x, std::size_t panels, std::size_t rows,
               const float* HWY_RESTRICT weight, const float* HWY_RESTRICT bias, float* out) {
  const F d;
  const VF share = hn::Set(d, 1.0f / static_cast<float>(rows));
  const VF epsilon = hn::Set(d, 1e-5f);
  for (std::size_t panel = 0; panel < panels; ++panel, x += rows * kPanel, out += rows * kPanel) {
    for (std::size_t lane = 0; lane < kPanel; lane += kFloats) {
      const auto at = [&](std::size_t r) HWY_ATTR { return hn::Load(d, x + r * kPanel + lane); };
      const VF total =
          SumOverRows(d, rows, [&](VF sum, std::size_t r) HWY_ATTR { return hn::Add(sum, at(r)); });
      const VF mean = hn::Mul(total, share);
      const VF squares = SumOverRows(d, rows, [&](VF sum, std::size_t r) HWY_ATTR {
        const VF off = hn::Sub(at(r), mean);
        return hn::MulAdd(off, off, sum);
      });
      const VF deviation = hn::Sqrt(hn::MulAdd(squares, share, epsilon));
      const VF scale = hn::Div(hn::Set(d, 1.0f), deviation);
      for (std::size_t r = 0; r < rows; ++r) {
        const VF normal = hn::Mul(hn::Sub(at(r), mean), scale);
        hn::Store(hn::MulAdd(normal, hn::Set(d, weight[r]), hn::Set(d, bias[r])), d,
                  out + r * kPanel + lane);
      }
    }
  }
}

// Phi(x) = 1/2 + x P(t), t = x^2 * 2 / 5.3^2 - 1, for |x| < 5.3; 0 and 1 beyond. P is a
// least-maximum fit of degree 13; in t, which lies in [-1, 1], its terms do not cancel.
HWY_INLINE VF Gelu(F d, VF x) {
  constexpr float kEnd = 5.3f;
  constexpr float kTerms[] = {0x1.9821420p-10f, -0x1.d2c3acp-10f, 0x1.21dff6p-9f, -0x1.4f4942p-8f,
                              0x1.31a760p-7f,   -0x1.bc41dap-7f,  0x1.33e19cp-6f, -0x1.9d01d4p-6f,
                              0x1.06ee10p-5f,   -0x1.446356p-5f,  0x1.9390f6p-5f, -0x1.107570p-4f,
                              0x1.113020p-3f};
  const VF square = hn::Mul(x, x);
  const VF t = hn::MulAdd(square, hn::Set(d, 2 / (kEnd * kEnd)), hn::Set(d, -1.0f));
  VF p = hn::Set(d, -0x1.11766cp-11f);
  for (const float term : kTerms) p = hn::MulAdd(p, t, hn::Set(d, term));
  const VF half = hn::Set(d, 0.5f);
  const VF above_half =
      hn::IfThenElse(hn::Lt(square, hn::Set(d, kEnd * kEnd)), hn::Mul(x, p), hn::CopySign(half, x));
  return hn::Mul(x, hn::Add(half, above_half));
}

void GeluAll(float* HWY_RESTRICT x, std::size_t n) {
  const F d;
  for (std::size_t i = 0; i < n; i += kPanel) {
    for (std::size_t lane = 0; lane < kPanel; lane += kFloats) {
      hn::Store(Gelu(d, hn::Load(d, x + i + lane)), d, x + i + lane);
    }
  }
}

// With an absolute error of 2e-7.
HWY_INLINE VF Sigmoid(F d, VF x) {
  const VF one = hn::Set(d, 1.0f);
  const VF e = ExpOfNegative(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

void Remember(const float* HWY_RESTRICT packed, std::size_t panels, std::size_t rows,
              float* HWY_RESTRICT memory, float* HWY_RESTRICT out) {
  const F d;
  const std::size_t size = rows * kPanel;  // of one panel's memory
  for (std::size_t panel = 0; panel < panels; ++panel) {
    for (std::size_t i = 0; i < size; i += kFloats) {
      const VF keep = Sigmoid(d, hn::Load(d, packed + i));
      const VF fresh = hn::Load(d, packed + size + i);
      const VF show = hn::Load(d, packed + 2 * size + i);
      const VF now = hn::MulAdd(keep, hn::Sub(hn::Load(d, memory + i), fresh), fresh);
      hn::Store(now, d, memory + i);
      hn::Store(hn::Mul(now, hn::Mul(show, Sigmoid(d, show))), d, out + i);
    }
    packed += 3 * size;
    memory += size;
    out += size;
  }
}

void Pool(const float* HWY_RESTRICT x, std::size_t count, std::size_t rows,
          float* HWY_RESTRICT mean, float* HWY_RESTRICT largest) {
  const F d;
  const float share = 1.0f / static_cast<float>(count);
  for (std::size_t r = 0; r < rows; ++r) {
    const float* const row = x + r * kPanel;
    VF sum = hn::Zero(d);
    VF most = hn::Set(d, row[0]);
    for (std::size_t token = 0; token < count; token += kFloats) {
      const float* const at = row + token / kPanel * rows * kPanel + token % kPanel;
      const auto there = hn::FirstN(d, count - token);
      const VF value = hn::Load(d, at);
      sum = hn::Add(sum, hn::IfThenElseZero(there, value));
      most = hn::Max(most, hn::IfThenElse(there, value, most));
    }
    mean[r] = hn::GetLane(hn::SumOfLanes(d, sum)) * share;
    largest[r] = hn::GetLane(hn::MaxOfLanes(d, most));
  }
}

}  // namespace pcgs::infer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::infer {

HWY_EXPORT(Normalise);
HWY_EXPORT(GeluAll);
HWY_EXPORT(Remember);
HWY_EXPORT(Pool);

void lay_side_by_side(const float* tokens, std::size_t count, std::size_t features, float* out) {
  for (std::size_t first = 0; first < count; first += kPanel, out += features * kPanel) {
    const std::size_t here = std::min(kPanel, count - first);
    if (here < kPanel) std::fill_n(out, features * kPanel, 0.0f);
    for (std::size_t i = 0; i < here; ++i) {
      const float* const token = tokens + (first + i) * features;
      for (std::size_t f = 0; f < features; ++f) {
        out[f * kPanel + i] = std::clamp(token[f], -kLargestToken, kLargestToken);
      }
    }
  }
}

void normalise(const float* x, std::size_t panels, std::span<const float> weight,
               std::span<const float> bias, float* out) {
  HWY_DYNAMIC_DISPATCH(Normalise)(x, panels, weight.size(), weight.data(), bias.data(), out);
}

void gelu(float* x, std::size_t n) { HWY_DYNAMIC_DISPATCH(GeluAll)(x, n); }

void remember(const float* packed, std::size_t panels, std::size_t rows, float* memory,
              float* out) {
  HWY_DYNAMIC_DISPATCH(Remember)(packed, panels, rows, memory, out);
}

void pool(const float* x, std::size_t count, std::size_t rows, float* mean, float* largest) {
  HWY_DYNAMIC_DISPATCH(Pool)(x, count, rows, mean, largest);
}

}  // namespace pcgs::infer
#endif
