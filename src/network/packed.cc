#include "network/packed.h"

namespace pcgs::infer {

Packed packed(const Tensor& weight, const Tensor& bias, std::size_t group, float scale) {
  Packed result;
  result.out = weight.shape[0];
  result.in = weight.shape[1];
  result.group = group;
  const std::size_t groups = (result.out + group - 1) / group;
  result.weight.resize(groups * result.in * group);
  result.bias.resize(groups * group);
  for (std::size_t o = 0; o < result.out; ++o) {
    for (std::size_t i = 0; i < result.in; ++i) {
      result.weight[(o / group * result.in + i) * group + o % group] =
          scale * weight.values[o * result.in + i];
    }
    result.bias[o] = scale * bias.values[o];
  }
  return result;
}

Tensor columns_of(const Tensor& weight, std::size_t begin, std::size_t end) {
  Tensor result;
  result.shape = {weight.shape[0], end - begin};
  for (std::size_t row = 0; row < weight.shape[0]; ++row) {
    const auto first = weight.values.begin() + static_cast<std::ptrdiff_t>(row * weight.shape[1]);
    result.values.insert(result.values.end(), first + static_cast<std::ptrdiff_t>(begin),
                         first + static_cast<std::ptrdiff_t>(end));
  }
  return result;
}

}  // namespace pcgs::infer
