// A memory along time: each of an expert's channels keeps a part of itself in every round, and a
// gate says how much of it is shown,
//
//     h_t = a_t h_{t-1} + (1 - a_t) v_t     a_t = sigmoid(z_t),   h_0 = 0
//     y_t = h_t silu(g_t)
//
// as a function that can be differentiated. With G_t = dy_t silu(g_t) + a_{t+1} G_{t+1}:
//
//     dv_t = (1 - a_t) G_t     dz_t = a_t (1 - a_t) (h_{t-1} - v_t) G_t     dg_t = dy_t h_t silu'(g_t)
//
// A loop over rounds, on the CPU or, one thread for each channel, in one CUDA kernel.
#pragma once

#include <torch/torch.h>

namespace pcgs::train {

// z, v and g beside each other, [B,T,K,3 channels], float or bfloat16; y is [B,T,K,channels].
torch::Tensor gated_memory(const torch::Tensor& keep_value_gate);

#ifdef PCGS_CUDA
void gated_memory_forward_cuda(const torch::Tensor& packed, const torch::Tensor& held,
                               const torch::Tensor& shown);
void gated_memory_backward_cuda(const torch::Tensor& packed, const torch::Tensor& held,
                                const torch::Tensor& upstream, const torch::Tensor& gradient);
#endif

}  // namespace pcgs::train
