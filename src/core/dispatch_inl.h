// Compiles a file of kernels once per instruction set, and names the registers of each.
//
// The file defines HWY_TARGET_INCLUDE, its own path, and includes this before anything else of
// Highway. Hence the toggle in place of an include guard.
#include <hwy/foreach_target.h>  // must come first
#include <hwy/highway.h>

#if defined(PCGS_CORE_DISPATCH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PCGS_CORE_DISPATCH_INL_H
#undef PCGS_CORE_DISPATCH_INL_H
#else
#define PCGS_CORE_DISPATCH_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace pcgs::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using F = hn::ScalableTag<float>;
using VF = hn::Vec<F>;

}  // namespace pcgs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
