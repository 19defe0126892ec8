// What the share recursion pays, as a function that can be differentiated: the heart of the
// "regret" recipe.
//
//     pays <w_t,l_t>,   v = w_t exp(-eta_t l_t) / Z,   w_{t+1} = (1 - rho_t) v + rho_t q_t
//
// The adjoint of one round, with g = d/dw_{t+1} and c = d/d(total):
//
//     d/drho = <g, q - v>      d/dq = rho g      h = (1 - rho) g
//     a = <h,v>   m = <v,l>    d/deta = - sum_k (h_k - a) v_k (l_k - m)
//     d/dw_t(k) = (h_k - a) v_k / w_t(k) + c l_t(k)
//
// Where the squared error of the combination is paid, (sum_k w_t(k) e_t(k))^2, its derivative
// 2 <w_t,e_t> e_t(k) takes the place of l_t(k) in the last line.
//
// One pass forwards keeps the weights, one pass backwards uses them. In double throughout, on the
// CPU or, one block for each sequence, in one CUDA kernel.
#pragma once

#include <torch/torch.h>

namespace pcgs::train {

// losses [B,T,K], eta [B,T], rho [B,T], q [B,T,K], all double and on one device; total loss [B].
// Starts uniform. The last round's controls have no effect. With errors [B,T,K], what is paid is the
// squared error of the combination.
torch::Tensor share_loss(const torch::Tensor& losses, const torch::Tensor& eta,
                         const torch::Tensor& rho, const torch::Tensor& q,
                         const torch::Tensor& errors = {});

// The passes themselves, on the device of their tensors.
struct ShareProblem {
  const double *losses, *eta, *rho, *q;
  std::int64_t batch, rounds, experts;
  const double* errors = nullptr;  // null: the mixture loss is paid
};
struct ShareGradients {
  double *eta, *rho, *q;
};
void share_forward(const ShareProblem& problem, double* weights, double* total);
void share_backward(const ShareProblem& problem, const double* weights, const double* upstream,
                    const ShareGradients& gradients);
#ifdef PCGS_CUDA
void share_forward_cuda(const ShareProblem& problem, double* weights, double* total);
void share_backward_cuda(const ShareProblem& problem, const double* weights, const double* upstream,
                         const ShareGradients& gradients);
#endif

}  // namespace pcgs::train
