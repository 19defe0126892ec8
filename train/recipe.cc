#include "recipe.h"

#include "share_loss.h"

namespace pcgs::train {

Controls controls_on(const ControllerNet& net, const Pool& pool, const torch::Tensor& indices,
                     const ControlMaps& maps, bool narrow) {
  const auto batch = indices.size(0), rounds = pool.rounds, experts = pool.experts;
  const auto own = pool.own.index_select(0, indices);
  const auto shared = pool.shared.index_select(0, indices);
  const auto out = net.forward(own.reshape({batch * rounds, experts, own.size(3)}),
                               shared.reshape({batch * rounds, shared.size(2)}), narrow, rounds);
  Controls controls;
  controls.restart = out.restart.reshape({batch, rounds});
  auto logits = out.logits.reshape({batch, rounds, experts});
  if (pool.combines()) logits = logits + pool.anchor.index_select(0, indices).to(torch::kFloat32);
  const auto q =
      (1 - maps.uniform) * torch::softmax(logits, -1) + maps.uniform / static_cast<double>(experts);
  controls.log_q = torch::log(q);
  controls.q = q.to(torch::kDouble);
  controls.rho = maps.rho_max * torch::sigmoid(controls.restart.to(torch::kDouble));
  if (maps.constant_rho > 0) controls.rho = torch::full_like(controls.rho, maps.constant_rho);
  if (maps.constant_eta > 0) {
    controls.eta = torch::full_like(controls.rho, maps.constant_eta);
  } else {
    const auto rate = torch::softplus(out.rate.reshape({batch, rounds}).to(torch::kDouble));
    const auto scale = pool.scale.index_select(0, indices).to(torch::kDouble);
    controls.eta = ((maps.least_rate + rate) / scale).clamp_max(kLargestEta);
  }
  return controls;
}

torch::Tensor paid(const Controls& controls, const Pool& pool, const torch::Tensor& indices) {
  const auto chosen = [&](const torch::Tensor& all) {
    return all.index_select(0, indices).to(torch::kDouble);
  };
  return share_loss(chosen(pool.losses), controls.eta, controls.rho, controls.q,
                    pool.combines() ? chosen(pool.errors) : torch::Tensor());
}

torch::Tensor beyond_tuned(const torch::Tensor& paid, const Pool& pool,
                           const torch::Tensor& indices) {
  const auto tuned = pool.tuned.index_select(0, indices);
  if (pool.combines()) return torch::log(paid / tuned);
  return (paid - tuned) / pool.unit.index_select(0, indices);
}

torch::Tensor training_loss(const Recipe& recipe, const Controls& controls, const Pool& pool,
                            const torch::Tensor& indices) {
  auto total = torch::zeros({}, controls.rho.options());
  if (pool.combines()) {
    return beyond_tuned(paid(controls, pool, indices), pool, indices).mean();
  }
  if (recipe.regret > 0) {
    const auto beyond = beyond_tuned(paid(controls, pool, indices), pool, indices);
    const auto weighed = beyond + recipe.caution * torch::relu(beyond);
    total = total + recipe.regret * weighed.mean();
  }
  if (recipe.oracle > 0) {
    // y_t = p*_{t+1}, z_t = [p*_{t+1} != p*_t]; the last round has no next.
    const auto last = pool.rounds - 1;
    const auto path = pool.path.index_select(0, indices);
    const auto next = path.slice(1, 1);
    const auto switched = (next != path.slice(1, 0, last)).to(torch::kFloat32);
    const auto q_cost = -controls.log_q.slice(1, 0, last).gather(2, next.unsqueeze(2)).mean();
    const auto restart_cost =
        torch::binary_cross_entropy_with_logits(controls.restart.slice(1, 0, last), switched);
    total =
        total + recipe.oracle * (q_cost + recipe.switch_weight * restart_cost).to(torch::kDouble);
  }
  return total;
}

}  // namespace pcgs::train
