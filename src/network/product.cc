#include "network/product.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "network/product.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set; must come first
#include "network/product_inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace pcgs::infer::HWY_NAMESPACE {

void MultiplyAll(const Product& product) { Multiply(product); }

}  // namespace pcgs::infer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::infer {

HWY_EXPORT(MultiplyAll);

void multiply(const Product& product) { HWY_DYNAMIC_DISPATCH(MultiplyAll)(product); }

}  // namespace pcgs::infer
#endif
