// Layer norm over rows of up to a thousand numbers, for GPUs: libtorch's own takes many times as
// long as the memory needs where there are a million short rows.
#pragma once

#include <torch/torch.h>

namespace pcgs::train {

// (x - mean) / sqrt(variance + 1e-5) * weight + bias over the last dimension; x in float or
// bfloat16, weight and bias in float.
torch::Tensor row_norm(const torch::Tensor& x, const torch::Tensor& weight,
                       const torch::Tensor& bias);

#ifdef PCGS_CUDA
inline constexpr std::int64_t kLongestRow = 1024;
void row_norm_forward_cuda(const torch::Tensor& x, const torch::Tensor& weight,
                           const torch::Tensor& bias, const torch::Tensor& out);
// What weight and bias are owed, by many parts of the rows: [2, parts, width].
torch::Tensor row_norm_backward_cuda(const torch::Tensor& x, const torch::Tensor& weight,
                                     const torch::Tensor& upstream, const torch::Tensor& dx);
#endif

}  // namespace pcgs::train
