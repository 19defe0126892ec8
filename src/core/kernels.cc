#define HWY_TARGET_INCLUDE "core/kernels.cc"
#include "core/kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/simd_inl.h"
#include "data/invariant.h"

HWY_BEFORE_NAMESPACE();
namespace pcgs::kernels::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

// The largest register any target has, in doubles; the padding of our arrays is a multiple of it.
constexpr std::size_t kMaxLanes = 8;

// Copies the entries from i on into a register's worth of memory, zeros behind them.
HWY_INLINE V LoadTail(D d, const double* p, std::size_t i, std::size_t n) {
  HWY_ALIGN double buffer[kMaxLanes] = {};
  for (std::size_t j = i; j < n; ++j) buffer[j - i] = p[j];
  return hn::Load(d, buffer);
}

// The same value in the lanes of the entries from i on, zeros behind them.
HWY_INLINE V SetTail(D d, double value, std::size_t i, std::size_t n) {
  return hn::IfThenElseZero(hn::FirstN(d, n - i), hn::Set(d, value));
}

// The step without debts, in two passes; see share_step_plain. Nothing is subtracted in the
// exponent: the conditions checked after the first pass say whether that was safe.
bool ShareStepPlain(double* HWY_RESTRICT weights, double* HWY_RESTRICT scratch,
                    const double* HWY_RESTRICT losses, std::size_t n, double eta, double rho,
                    const double* HWY_RESTRICT q, ShareSums& sums) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t whole = n - n % lanes;
  const V zero = hn::Zero(d);
  const V minus_eta = hn::Set(d, -eta);
  const V lowest = hn::Set(d, -700.0);
  V sum = zero;
  V mean = zero;
  V least_loss = zero;
  V least_u = hn::Set(d, 1.0);
  const auto reweigh = [&](std::size_t j, V loss) HWY_ATTR {
    const V w = hn::Load(d, weights + j);
    const V u = hn::Mul(w, ExpOrZero(d, hn::Mul(minus_eta, loss), lowest));
    hn::Store(u, d, scratch + j);
    sum = hn::Add(sum, u);
    mean = hn::MulAdd(w, loss, mean);
    least_loss = hn::Min(least_loss, loss);
    return u;
  };
  std::size_t i = 0;
  for (; i < whole; i += lanes) {
    least_u = hn::Min(least_u, reweigh(i, hn::LoadU(d, losses + i)));
  }
  if (i < n) {
    const V u = reweigh(i, LoadTail(d, losses, i, n));
    const auto inside = hn::FirstN(d, n - i);
    least_u = hn::Min(least_u, hn::IfThenElse(inside, u, least_u));
  }
  const double z = hn::GetLane(hn::SumOfLanes(d, sum));
  const double keep = (1 - rho) / z;
  const double uniform = 1.0 / static_cast<double>(n);
  const double least_weight =
      keep * hn::GetLane(hn::MinOfLanes(d, least_u)) + (q == nullptr ? rho * uniform : 0);
  const bool safe = hn::GetLane(hn::MinOfLanes(d, least_loss)) >= 0 && z >= kSmallestPlain &&
                    least_weight >= 2 * kSmallestPlain;  // 2: it is a bound, and rounded
  if (!safe) return false;

  const V v_keep = hn::Set(d, keep);
  const V v_rho = hn::Set(d, rho);
  const V v_uniform = hn::Set(d, uniform);
  V total = zero;
  const auto restart = [&](std::size_t j, V restart_to) HWY_ATTR {
    const V w = hn::MulAdd(v_keep, hn::Load(d, scratch + j), hn::Mul(v_rho, restart_to));
    hn::Store(w, d, weights + j);
    total = hn::Add(total, w);
  };
  for (i = 0; i < whole; i += lanes) restart(i, q != nullptr ? hn::LoadU(d, q + i) : v_uniform);
  if (i < n) restart(i, q != nullptr ? LoadTail(d, q, i, n) : SetTail(d, uniform, i, n));
  sums = {-std::log(z), hn::GetLane(hn::SumOfLanes(d, mean)), hn::GetLane(hn::SumOfLanes(d, total)),
          least_weight};
  return true;
}

// The step for any weights and losses.
ShareSums ShareStep(const ShareArrays& arrays, const double* HWY_RESTRICT losses, std::size_t n,
                    double eta, double rho, const double* HWY_RESTRICT q) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t whole = n - n % lanes;
  const V zero = hn::Zero(d);
  const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());

  // 1. Charge every expert eta * loss, and find what the heaviest is charged relative to its weight.
  //    A weight counts as the power of two below it, read off its exponent bits.
  const V v_eta = hn::Set(d, eta);
  const V ln2 = hn::Set(d, 0x1.62e42fefa39efp-1);
  const V two_to_52 = hn::Set(d, 0x1p52);
  const V unbias = hn::Set(d, 0x1p52 + 1023);
  const hn::RebindToUnsigned<D> du;
  V least = infinity;
  V mean = zero;
  const auto charge = [&](std::size_t j, V loss) HWY_ATTR {
    const V mantissa = hn::Load(d, arrays.mantissa + j);
    const V debt = hn::MulAdd(v_eta, loss, hn::Load(d, arrays.debt + j));
    hn::Store(debt, d, arrays.debt + j);
    mean = hn::MulAdd(hn::Load(d, arrays.weights + j), loss, mean);
    // The exponent as an integer in the low bits of 2^52, which is then that integer as a double.
    const auto exponent = hn::ShiftRight<52>(hn::BitCast(du, mantissa));
    const V log2 = hn::Sub(hn::BitCast(d, hn::Or(exponent, hn::BitCast(du, two_to_52))), unbias);
    const V charged = hn::NegMulAdd(log2, ln2, debt);
    least = hn::Min(least, hn::IfThenElse(hn::Gt(mantissa, zero), charged, infinity));
  };
  std::size_t i = 0;
  for (; i < whole; i += lanes) charge(i, hn::LoadU(d, losses + i));
  if (i < n) charge(i, LoadTail(d, losses, i, n));
  const double shift = hn::GetLane(hn::MinOfLanes(d, least));
  const V v_shift = hn::Set(d, shift);

  // 2. Unnormalised posterior and its sum, relative to the heaviest expert, who gets from 1 to 2: the
  //    sum cannot be 0, and an expert that is cut off here has less than 1e-138 of it.
  const V lowest = hn::Set(d, -320.0);
  V sum = zero;
  for (i = 0; i < n; i += lanes) {
    const V mantissa = hn::Load(d, arrays.mantissa + i);
    const V power = hn::Sub(v_shift, hn::Load(d, arrays.debt + i));
    const V u =
        hn::IfThenElseZero(hn::Gt(mantissa, zero), hn::Mul(mantissa, ExpOrZero(d, power, lowest)));
    hn::Store(u, d, arrays.weights + i);
    sum = hn::Add(sum, u);
  }
  const double z = hn::GetLane(hn::SumOfLanes(d, sum));
  const double log_z = std::log(z);

  // 3. Normalise, restart, and decide where each weight is kept.
  const V keep = hn::Set(d, (1 - rho) / z);
  const V v_rho = hn::Set(d, rho);
  const V smallest = hn::Set(d, kSmallestPlain);
  const V to_debt = hn::Set(d, log_z - shift - std::log1p(-rho));
  V total = zero;
  V least_weight = hn::Set(d, 2.0);
  const auto restart = [&](std::size_t j, V restart_to) HWY_ATTR {
    const V w = hn::MulAdd(keep, hn::Load(d, arrays.weights + j), hn::Mul(v_rho, restart_to));
    const V mantissa = hn::Load(d, arrays.mantissa + j);
    const auto plain = hn::Ge(w, smallest);
    hn::Store(hn::IfThenElse(plain, w, mantissa), d, arrays.mantissa + j);
    const V debt = hn::Add(hn::Load(d, arrays.debt + j), to_debt);
    const auto owes = hn::AndNot(plain, hn::Gt(mantissa, zero));
    hn::Store(hn::IfThenElseZero(owes, debt), d, arrays.debt + j);
    // What is not plain is shown as 0, always: what is played is then a function of the exact weights.
    hn::Store(hn::IfThenElseZero(plain, w), d, arrays.weights + j);
    total = hn::Add(total, w);
    return w;
  };
  const double uniform = 1.0 / static_cast<double>(n);
  const V v_uniform = hn::Set(d, uniform);
  for (i = 0; i < whole; i += lanes) {
    const V w = restart(i, q != nullptr ? hn::LoadU(d, q + i) : v_uniform);
    least_weight = hn::Min(least_weight, w);
  }
  if (i < n) {
    const V w = restart(i, q != nullptr ? LoadTail(d, q, i, n) : SetTail(d, uniform, i, n));
    least_weight = hn::Min(least_weight, hn::IfThenElse(hn::FirstN(d, n - i), w, least_weight));
  }
  return {shift - log_z, hn::GetLane(hn::SumOfLanes(d, mean)),
          hn::GetLane(hn::SumOfLanes(d, total)), hn::GetLane(hn::MinOfLanes(d, least_weight))};
}

double Dot(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b, std::size_t n) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V sum0 = hn::Zero(d);
  V sum1 = sum0;
  V sum2 = sum0;
  V sum3 = sum0;
  const auto add = [&](V& sum, std::size_t i) HWY_ATTR {
    sum = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum);
  };
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {  // four sums, or each addition waits for the last
    add(sum0, i);
    add(sum1, i + lanes);
    add(sum2, i + 2 * lanes);
    add(sum3, i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) add(sum0, i);
  if (i < n) sum1 = hn::MulAdd(LoadTail(d, a, i, n), LoadTail(d, b, i, n), sum1);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

bool AllWithin(const double* x, std::size_t n, double low, double high) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V v_low = hn::Set(d, low);
  const V v_high = hn::Set(d, high);
  const auto inside = [&](V value) HWY_ATTR {  // false for NaN
    return hn::And(hn::Ge(value, v_low), hn::Le(value, v_high));
  };
  auto all = inside(v_low);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) all = hn::And(all, inside(hn::LoadU(d, x + i)));
  bool tail = true;
  for (; i < n; ++i) tail = tail && x[i] >= low && x[i] <= high;
  return tail && hn::AllTrue(d, all);
}

Range RangeOf(const double* x, std::size_t n) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V low = hn::Set(d, x[0]);
  V high = low;
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V value = hn::LoadU(d, x + i);
    low = hn::Min(low, value);
    high = hn::Max(high, value);
  }
  Range range{hn::GetLane(hn::MinOfLanes(d, low)), hn::GetLane(hn::MaxOfLanes(d, high))};
  for (; i < n; ++i) {
    range.low = x[i] < range.low ? x[i] : range.low;
    range.high = x[i] > range.high ? x[i] : range.high;
  }
  return range;
}

SoftminSums Softmin(const double* x, std::size_t n, double scale, double* out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t whole = n - n % lanes;
  V least = hn::Set(d, x[0]);
  std::size_t i = 0;
  for (; i < whole; i += lanes) least = hn::Min(least, hn::LoadU(d, x + i));
  double minimum = hn::GetLane(hn::MinOfLanes(d, least));
  for (; i < n; ++i) minimum = x[i] < minimum ? x[i] : minimum;

  const V v_minimum = hn::Set(d, minimum);
  const V v_scale = hn::Set(d, scale);
  const V lowest = hn::Set(d, -700.0);
  const auto weigh = [&](V value) HWY_ATTR {
    return ExpOrZero(d, hn::Mul(v_scale, hn::Sub(v_minimum, value)), lowest);
  };
  V sum = hn::Zero(d);
  for (i = 0; i < whole; i += lanes) {
    const V u = weigh(hn::LoadU(d, x + i));
    hn::StoreU(u, d, out + i);
    sum = hn::Add(sum, u);
  }
  double z = hn::GetLane(hn::SumOfLanes(d, sum));
  if (i < n) {
    HWY_ALIGN double tail[kMaxLanes] = {};
    hn::Store(weigh(LoadTail(d, x, i, n)), d, tail);
    for (std::size_t j = i; j < n; ++j) {
      out[j] = tail[j - i];
      z += out[j];
    }
  }
  const double inverse = 1 / z;
  const V v_inverse = hn::Set(d, inverse);
  for (i = 0; i < whole; i += lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(d, out + i), v_inverse), d, out + i);
  }
  for (; i < n; ++i) out[i] *= inverse;
  return {minimum, std::log(z)};
}

}  // namespace pcgs::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs {

// As Highway chooses: the best that is compiled and that the machine has, which is the lowest bit.
std::string instruction_set() {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable & -usable);
}

}  // namespace pcgs

namespace pcgs::kernels {

HWY_EXPORT(ShareStep);
HWY_EXPORT(ShareStepPlain);
HWY_EXPORT(Dot);
HWY_EXPORT(AllWithin);
HWY_EXPORT(RangeOf);
HWY_EXPORT(Softmin);

ShareSums share_step(const ShareArrays& arrays, const double* losses, std::size_t experts,
                     double eta, double rho, const double* q) {
  return HWY_DYNAMIC_DISPATCH(ShareStep)(arrays, losses, experts, eta, rho, q);
}

bool share_step_plain(double* weights, double* scratch, const double* losses, std::size_t experts,
                      double eta, double rho, const double* q, ShareSums& sums) {
  return HWY_DYNAMIC_DISPATCH(ShareStepPlain)(weights, scratch, losses, experts, eta, rho, q, sums);
}

double dot(std::span<const double> a, std::span<const double> b) {
  invariant(a.size() == b.size(), "dot of arrays of one length");
  return HWY_DYNAMIC_DISPATCH(Dot)(a.data(), b.data(), a.size());
}

bool all_within(std::span<const double> x, double low, double high) {
  return HWY_DYNAMIC_DISPATCH(AllWithin)(x.data(), x.size(), low, high);
}

Range range_of(std::span<const double> x) {
  invariant(!x.empty(), "a range of something");
  return HWY_DYNAMIC_DISPATCH(RangeOf)(x.data(), x.size());
}

SoftminSums softmin(std::span<const double> x, double scale, std::span<double> out) {
  invariant(!x.empty() && x.size() == out.size(), "softmin into an array of the same length");
  return HWY_DYNAMIC_DISPATCH(Softmin)(x.data(), x.size(), scale, out.data());
}

}  // namespace pcgs::kernels

namespace pcgs {

ForecastRange::ForecastRange(std::span<const double> forecasts) {
  const auto [low, high] = kernels::range_of(forecasts);
  low_ = low;
  high_ = high;
}

double combined_forecast(std::span<const double> weights, std::span<const double> forecasts,
                         std::span<const std::uint8_t> awake) {
  invariant(awake.size() == forecasts.size(), "who is awake, for each forecast");
  const double combination = kernels::dot(weights, forecasts);
  const bool all_awake = std::memchr(awake.data(), 0, awake.size()) == nullptr;
  if (all_awake) return ForecastRange(forecasts).hold(combination);
  ForecastRange range;
  for (std::size_t k = 0; k < forecasts.size(); ++k) {
    if (awake[k] != 0) range.add(forecasts[k]);
  }
  return range.hold(combination);
}

namespace {

// So few are sorted faster.
constexpr std::size_t kFew = 8;

double middle_of(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// Moves those that belong to the front, and says how many. Every number is moved, whether it belongs
// or not: there is no branch to be guessed wrong.
template <class Belongs>
std::size_t partition(std::span<double> numbers, const Belongs& belongs) {
  std::size_t front = 0;
  for (double& here : numbers) {
    const double x = here;
    here = numbers[front];
    numbers[front] = x;
    front += belongs(x) ? 1U : 0U;
  }
  return front;
}

}  // namespace

double order_statistic(std::span<double> numbers, std::size_t n) {
  // A pivot leaves half of them, more or less; where pivots are bad again and again, others do better.
  auto tries = 2 * std::bit_width(numbers.size());
  for (; tries > 0 && numbers.size() > kFew; --tries) {
    const double pivot = middle_of(numbers.front(), numbers[numbers.size() / 2], numbers.back());
    const std::size_t below = partition(numbers, [&](double x) { return x < pivot; });
    if (n < below) {
      numbers = numbers.first(below);
      continue;
    }
    numbers = numbers.subspan(below);
    n -= below;
    if (below > 0) continue;
    // The pivot is the least, and may stand there many times.
    const std::size_t equal = partition(numbers, [&](double x) { return x == pivot; });
    if (n < equal) return pivot;
    numbers = numbers.subspan(equal);
    n -= equal;
  }
  const auto place = numbers.begin() + static_cast<std::ptrdiff_t>(n);
  std::nth_element(numbers.begin(), place, numbers.end());
  return *place;
}

}  // namespace pcgs
#endif
