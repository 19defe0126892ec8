// softmax(q k^T / sqrt(d / heads)) v over heads, for many small sets of tokens at once. On a GPU one
// kernel does it, without writing the scores down or turning heads and tokens about.
#pragma once

#include <torch/torch.h>

namespace pcgs::train {

// q, k and v beside each other, [N,K,3 d], float or bfloat16; what comes back is [N,K,d].
torch::Tensor self_attention(const torch::Tensor& qkv, std::int64_t heads);

// q [N,I,d] or, the same for all, [I,d]; k and v [N,J,d]; what comes back is [N,I,d].
torch::Tensor attention_to(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                           std::int64_t heads);

#ifdef PCGS_CUDA
bool has_self_attention_cuda(const torch::Tensor& qkv, std::int64_t heads);
// `level` [N,heads,K] float: the logarithm of each query's sum of exponentials.
void self_attention_forward_cuda(const torch::Tensor& qkv, std::int64_t heads,
                                 const torch::Tensor& out, const torch::Tensor& level);
void self_attention_backward_cuda(const torch::Tensor& qkv, std::int64_t heads,
                                  const torch::Tensor& out, const torch::Tensor& level,
                                  const torch::Tensor& upstream, const torch::Tensor& gradient);
#endif

}  // namespace pcgs::train
