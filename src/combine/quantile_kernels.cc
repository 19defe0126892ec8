#define HWY_TARGET_INCLUDE "combine/quantile_kernels.cc"
#include "combine/quantile_kernels.h"

#include "core/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace pcgs::levels::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

void SortColumns(double* HWY_RESTRICT rows, std::size_t count, std::size_t stride) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t top = 1;
  while (2 * top < count) top *= 2;
  for (std::size_t p = top; p > 0 && count > 1; p /= 2) {
    for (std::size_t q = top, r = 0, apart = p;; apart = q - p, q /= 2, r = p) {
      for (std::size_t i = 0; i + apart < count; ++i) {
        if ((i & p) != r) continue;
        double* const a = rows + i * stride;
        double* const b = rows + (i + apart) * stride;
        for (std::size_t c = 0; c < stride; c += lanes) {
          const V x = hn::Load(d, a + c), y = hn::Load(d, b + c);
          hn::Store(hn::Min(x, y), d, a + c);
          hn::Store(hn::Max(x, y), d, b + c);
        }
      }
      if (q == p) break;
    }
  }
}

void FourthRoots(const double* HWY_RESTRICT numbers, std::size_t count, double* HWY_RESTRICT out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const hn::CappedTag<double, 1> one;
  const auto root = [](auto tag, auto x)
                        HWY_ATTR { return hn::Sqrt(hn::Sqrt(hn::Max(x, hn::Zero(tag)))); };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(root(d, hn::LoadU(d, numbers + i)), d, out + i);
  for (; i < count; ++i) hn::StoreU(root(one, hn::LoadU(one, numbers + i)), one, out + i);
}

}  // namespace pcgs::levels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::levels {

HWY_EXPORT(SortColumns);
HWY_EXPORT(FourthRoots);

void sort_columns(double* rows, std::size_t count, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(SortColumns)(rows, count, stride);
}

void fourth_roots(std::span<const double> numbers, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(FourthRoots)(numbers.data(), numbers.size(), out.data());
}

}  // namespace pcgs::levels
#endif
