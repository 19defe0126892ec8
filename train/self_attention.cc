#include "self_attention.h"

#include <cmath>

namespace pcgs::train {

torch::Tensor attention_to(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                           std::int64_t heads) {
  const auto width = k.size(2);
  const auto split = [&](const torch::Tensor& x) {  // [N,J,d] -> [N,h,J,d/h]
    return x.reshape({x.size(0), x.size(1), heads, width / heads}).transpose(1, 2);
  };
  const auto asked = q.dim() == 2 ? q.unsqueeze(0) : q;
  const auto scores = torch::matmul(split(asked) / std::sqrt(static_cast<double>(width / heads)),
                                    split(k).transpose(2, 3));
  const auto mixed = torch::matmul(torch::softmax(scores, -1), split(v));
  return mixed.transpose(1, 2).reshape({mixed.size(0), mixed.size(2), width});
}

#ifdef PCGS_CUDA

namespace {

class SelfAttention : public torch::autograd::Function<SelfAttention> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, torch::Tensor qkv,
                               std::int64_t heads) {
    qkv = qkv.contiguous();
    const auto n = qkv.size(0), tokens = qkv.size(1), width = qkv.size(2) / 3;
    const auto out = torch::empty({n, tokens, width}, qkv.options());
    const auto level = torch::empty({n, heads, tokens}, qkv.options().dtype(torch::kFloat32));
    self_attention_forward_cuda(qkv, heads, out, level);
    context->save_for_backward({qkv, out, level});
    context->saved_data["heads"] = heads;
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list upstream) {
    const auto saved = context->get_saved_variables();
    const auto gradient = torch::empty_like(saved[0]);
    self_attention_backward_cuda(saved[0], context->saved_data["heads"].toInt(), saved[1], saved[2],
                                 upstream[0].contiguous(), gradient);
    return {gradient, torch::Tensor()};
  }
};

}  // namespace

#endif

torch::Tensor self_attention(const torch::Tensor& qkv, std::int64_t heads) {
#ifdef PCGS_CUDA
  if (has_self_attention_cuda(qkv, heads)) return SelfAttention::apply(qkv, heads);
#endif
  const auto parts = qkv.chunk(3, 2);
  return attention_to(parts[0], parts[1], parts[2], heads);
}

}  // namespace pcgs::train
