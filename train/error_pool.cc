#include "error_pool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <string_view>

#include "data/parallel.h"
#include "network/error_stream.h"
#include "pcgs/aggregator.h"
#include "pcgs/loss_scale.h"
#include "pcgs/registry.h"

namespace pcgs::train {

namespace {

using tokens::ErrorStream;

// What a network has to beat: the peers' best, and following the best expert.
constexpr std::array<std::string_view, 4> kCandidates = {
    "ml-poly", "boa", "fixed-share{eta=2,rho=0.01,gradient=1}", "fixed-share{eta=4,rho=0.02}"};

// Sum of the squared errors of the combined forecast.
double squared_error(std::string_view spec, const Matrix& errors) {
  Aggregator aggregator = make_aggregator(spec, errors.columns);
  double total = 0;
  for (std::size_t t = 0; t < errors.rows; ++t) {
    const double combined = aggregator.predict(errors.row(t));  // of an outcome that is always 0
    total += combined * combined;
    aggregator.learn(0.0);
  }
  return total;
}

}  // namespace

Pool make_error_pool(std::size_t count, const MakeErrors& make, std::size_t threads,
                     torch::Device device, const std::function<void()>& finished_one) {
  const Matrix first = make(0);
  const auto n = static_cast<std::int64_t>(count);
  const auto rounds = static_cast<std::int64_t>(first.rows);
  const auto experts = static_cast<std::int64_t>(first.columns);
  constexpr auto kOwn = static_cast<std::int64_t>(ErrorStream::kExpertFeatures);
  constexpr auto kShared = static_cast<std::int64_t>(ErrorStream::kSharedFeatures);
  const auto half = torch::dtype(torch::kHalf).device(device);
  const auto single = torch::dtype(torch::kFloat32).device(device);

  Pool pool;
  pool.rounds = rounds;
  pool.experts = experts;
  pool.own = torch::empty({n, rounds, experts, kOwn}, half);
  pool.shared = torch::empty({n, rounds, kShared}, half);
  pool.anchor = torch::empty({n, rounds, experts}, half);
  pool.scale = torch::empty({n, rounds}, single);
  pool.losses = torch::empty({n, rounds, experts}, single);
  pool.errors = torch::empty({n, rounds, experts}, single);
  pool.oracle = torch::zeros({n}, torch::kDouble);
  pool.unit = torch::ones({n}, torch::kDouble);
  pool.tuned = torch::full({n}, static_cast<double>(rounds), torch::kDouble);
  pool.candidates =
      torch::empty({n, static_cast<std::int64_t>(kCandidates.size())}, torch::kDouble);

  std::mutex one_at_a_time;
  parallel_for(count, threads, [&](std::size_t i) {
    torch::NoGradGuard no_gradients;
    const Matrix errors = make(i);
    TORCH_CHECK(errors.rows == first.rows && errors.columns == first.columns,
                "sequences of one pool have one shape");
    double* candidates = pool.candidates.data_ptr<double>() + i * kCandidates.size();
    for (std::size_t c = 0; c < kCandidates.size(); ++c) {
      candidates[c] = squared_error(kCandidates[c], errors);
    }
    const double best = *std::min_element(candidates, candidates + kCandidates.size());
    for (std::size_t c = 0; c < kCandidates.size(); ++c) {
      candidates[c] *= static_cast<double>(rounds) / best;
    }
    const double unit = std::sqrt(best / static_cast<double>(rounds));

    auto own = torch::empty({rounds, experts, kOwn});
    auto shared = torch::empty({rounds, kShared});
    auto anchor = torch::empty({rounds, experts});
    auto scale = torch::empty({rounds});
    auto losses = torch::empty({rounds, experts});
    auto scaled = torch::empty({rounds, experts});
    float *own_out = own.data_ptr<float>(), *shared_out = shared.data_ptr<float>(),
          *anchor_out = anchor.data_ptr<float>();
    ErrorStream stream(errors.columns);
    LossScale loss_scale;
    std::vector<double> row_losses(errors.columns);
    for (std::size_t t = 0; t < errors.rows; ++t) {
      const auto row = errors.row(t);
      for (std::size_t k = 0; k < row.size(); ++k) row_losses[k] = row[k] * row[k];
      const double c = loss_scale.advance(row_losses, {}, LossSource::kForecasts);
      for (double& l : row_losses) l = std::min(l / c, 1.0);
      stream.observe(row, row_losses);
      own_out = std::copy(stream.tokens().begin(), stream.tokens().end(), own_out);
      shared_out = std::copy(stream.shared().begin(), stream.shared().end(), shared_out);
      anchor_out = std::copy(stream.anchor().begin(), stream.anchor().end(), anchor_out);
      scale.data_ptr<float>()[t] = static_cast<float>(stream.scale());
      for (std::size_t k = 0; k < row.size(); ++k) {
        losses.data_ptr<float>()[t * row.size() + k] = static_cast<float>(row_losses[k]);
        scaled.data_ptr<float>()[t * row.size() + k] = static_cast<float>(row[k] / unit);
      }
    }
    const auto half_own = own.to(torch::kHalf), half_shared = shared.to(torch::kHalf),
               half_anchor = anchor.to(torch::kHalf);
    const std::lock_guard lock(one_at_a_time);
    const auto at = static_cast<std::int64_t>(i);
    pool.own[at].copy_(half_own);
    pool.shared[at].copy_(half_shared);
    pool.anchor[at].copy_(half_anchor);
    pool.scale[at].copy_(scale);
    pool.losses[at].copy_(losses);
    pool.errors[at].copy_(scaled);
    finished_one();
  });
  for (auto* x : {&pool.oracle, &pool.tuned, &pool.candidates, &pool.unit}) *x = x->to(device);
  return pool;
}

}  // namespace pcgs::train
