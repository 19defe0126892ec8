#include "share_loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pcgs::train {

namespace {

// exp(-eta l) up to a factor that cancels; returns Z = <w, tilt>, so that v = w tilt / Z.
double tilt_of(const double* w, const double* l, double eta, std::int64_t experts, double* tilt) {
  const double least = *std::min_element(l, l + experts);
  double z = 0;
  for (std::int64_t k = 0; k < experts; ++k) {
    z += w[k] * (tilt[k] = std::exp(-eta * (l[k] - least)));
  }
  return z;
}

// What the weights pay in round `at`.
double paid(const ShareProblem& p, std::int64_t at, const double* w) {
  const double* x = (p.errors != nullptr ? p.errors : p.losses) + at * p.experts;
  double sum = 0;
  for (std::int64_t k = 0; k < p.experts; ++k) sum += w[k] * x[k];
  return p.errors != nullptr ? sum * sum : sum;
}

// Adds `c` times its derivative.
void add_derivative(const ShareProblem& p, std::int64_t at, const double* w, double c, double* g) {
  const double* x = (p.errors != nullptr ? p.errors : p.losses) + at * p.experts;
  if (p.errors != nullptr) {
    double sum = 0;
    for (std::int64_t k = 0; k < p.experts; ++k) sum += w[k] * x[k];
    c *= 2 * sum;
  }
  for (std::int64_t k = 0; k < p.experts; ++k) g[k] += c * x[k];
}

void forward_one(const ShareProblem& p, std::int64_t b, double* weights, double& total) {
  std::vector<double> tilt(static_cast<std::size_t>(p.experts));
  double* w = weights + b * p.rounds * p.experts;
  std::fill_n(w, p.experts, 1.0 / static_cast<double>(p.experts));
  total = 0;
  for (std::int64_t t = 0; t < p.rounds; ++t, w += p.experts) {
    const std::int64_t at = b * p.rounds + t;
    const double* l = p.losses + at * p.experts;
    total += paid(p, at, w);
    if (t + 1 == p.rounds) break;
    const double z = tilt_of(w, l, p.eta[at], p.experts, tilt.data());
    for (std::int64_t k = 0; k < p.experts; ++k) {
      w[p.experts + k] = (1 - p.rho[at]) * w[k] * tilt[static_cast<std::size_t>(k)] / z +
                         p.rho[at] * p.q[at * p.experts + k];
    }
  }
}

void backward_one(const ShareProblem& p, const double* weights, const double* upstream,
                  const ShareGradients& out, std::int64_t b) {
  const auto experts = static_cast<std::size_t>(p.experts);
  std::vector<double> tilt(experts), g(experts, 0.0);
  const double c = upstream[b];
  for (std::int64_t t = p.rounds - 1; t >= 0; --t) {
    const std::int64_t at = b * p.rounds + t;
    const double* l = p.losses + at * p.experts;
    const double* w = weights + at * p.experts;
    const double* q = p.q + at * p.experts;
    double* dq = out.q + at * p.experts;
    const double z = tilt_of(w, l, p.eta[at], p.experts, tilt.data());
    double drho = 0, a = 0, m = 0, deta = 0;
    for (std::size_t k = 0; k < experts; ++k) {
      const double v = w[k] * tilt[k] / z;
      drho += g[k] * (q[k] - v);
      a += (1 - p.rho[at]) * g[k] * v;
      m += v * l[k];
      dq[k] = p.rho[at] * g[k];
    }
    for (std::size_t k = 0; k < experts; ++k) {
      const double beyond = (1 - p.rho[at]) * g[k] - a;
      const double v_by_w = tilt[k] / z;  // also where w has left the range of a double
      deta -= beyond * w[k] * v_by_w * (l[k] - m);
      g[k] = beyond * v_by_w;
    }
    add_derivative(p, at, w, c, g.data());
    out.rho[at] = drho;
    out.eta[at] = deta;
  }
}

class ShareLoss : public torch::autograd::Function<ShareLoss> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, torch::Tensor losses,
                               torch::Tensor eta, torch::Tensor rho, torch::Tensor q,
                               torch::Tensor errors) {
    losses = losses.contiguous();
    errors = errors.contiguous();
    eta = eta.contiguous();
    rho = rho.contiguous();
    q = q.contiguous();
    const auto weights = torch::empty_like(losses);
    const auto total = torch::empty({losses.size(0)}, losses.options());
    run(
        losses,
        [&](const ShareProblem& problem, bool cuda) {
#ifdef PCGS_CUDA
          if (cuda) {
            share_forward_cuda(problem, weights.data_ptr<double>(), total.data_ptr<double>());
            return;
          }
#endif
          (void)cuda;
          share_forward(problem, weights.data_ptr<double>(), total.data_ptr<double>());
        },
        eta, rho, q, errors);
    context->save_for_backward({losses, eta, rho, q, weights, errors});
    return total;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list upstream) {
    const auto saved = context->get_saved_variables();
    const auto &losses = saved[0], &eta = saved[1], &rho = saved[2], &q = saved[3],
               &weights = saved[4];
    const auto c = upstream[0].contiguous();
    const auto deta = torch::empty_like(eta), drho = torch::empty_like(rho),
               dq = torch::empty_like(q);
    const ShareGradients out = {deta.data_ptr<double>(), drho.data_ptr<double>(),
                                dq.data_ptr<double>()};
    run(
        losses,
        [&](const ShareProblem& problem, bool cuda) {
#ifdef PCGS_CUDA
          if (cuda) {
            share_backward_cuda(problem, weights.data_ptr<double>(), c.data_ptr<double>(), out);
            return;
          }
#endif
          (void)cuda;
          share_backward(problem, weights.data_ptr<double>(), c.data_ptr<double>(), out);
        },
        eta, rho, q, saved[5]);
    return {torch::Tensor(), deta, drho, dq, torch::Tensor()};
  }

 private:
  template <class F>
  static void run(const torch::Tensor& losses, const F& f, const torch::Tensor& eta,
                  const torch::Tensor& rho, const torch::Tensor& q, const torch::Tensor& errors) {
    f({losses.data_ptr<double>(), eta.data_ptr<double>(), rho.data_ptr<double>(),
       q.data_ptr<double>(), losses.size(0), losses.size(1), losses.size(2),
       errors.numel() > 0 ? errors.data_ptr<double>() : nullptr},
      losses.is_cuda());
  }
};

}  // namespace

void share_forward(const ShareProblem& problem, double* weights, double* total) {
  at::parallel_for(0, problem.batch, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) forward_one(problem, b, weights, total[b]);
  });
}

void share_backward(const ShareProblem& problem, const double* weights, const double* upstream,
                    const ShareGradients& gradients) {
  at::parallel_for(0, problem.batch, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      backward_one(problem, weights, upstream, gradients, b);
    }
  });
}

torch::Tensor share_loss(const torch::Tensor& losses, const torch::Tensor& eta,
                         const torch::Tensor& rho, const torch::Tensor& q,
                         const torch::Tensor& errors) {
  // Not every version of libtorch takes a tensor that is not defined.
  return ShareLoss::apply(losses, eta, rho, q,
                          errors.defined() ? errors : torch::empty({0}, losses.options()));
}

}  // namespace pcgs::train
