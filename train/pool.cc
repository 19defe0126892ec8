#include "pool.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "combine/hindsight_methods.h"
#include "data/parallel.h"
#include "network/token_stream.h"
#include "network/transformer.h"
#include "pcgs/oracle.h"
#include "research/tournament.h"

namespace pcgs::train {

namespace {

// What differences in loss are measured in, so that no sequence drowns the others: a tenth of what
// Fixed Share has to lose, and a little of the spread between experts.
double unit_of(MatrixView losses, double tuned) {
  double least = 0, spread = 0;
  for (std::size_t t = 0; t < losses.rows; ++t) {
    const auto row = losses.row(t);
    least += *std::min_element(row.begin(), row.end());
    double mean = 0, square = 0;
    for (const double l : row) mean += l / static_cast<double>(losses.columns);
    for (const double l : row) square += (l - mean) * (l - mean);
    spread += std::sqrt(square / static_cast<double>(losses.columns));
  }
  return 0.1 * (tuned - least) + 0.02 * spread + 1e-3;
}

}  // namespace

Pool make_pool(std::size_t count, const MakeSequence& make, std::size_t switches,
               std::size_t threads, torch::Device device,
               const std::function<void()>& finished_one) {
  const Material material = make(0);
  const Matrix& first = material.losses;
  const auto n = static_cast<std::int64_t>(count);
  const auto rounds = static_cast<std::int64_t>(first.rows);
  const auto experts = static_cast<std::int64_t>(first.columns);
  const auto grid = candidates_of(kTunedFixedShare);
  constexpr auto kOwn = static_cast<std::int64_t>(tokens::kExpertFeatures);
  const std::size_t side_count = material.side.columns;
  const auto all_shared = static_cast<std::int64_t>(tokens::kSharedFeatures + side_count);

  Pool pool;
  pool.rounds = rounds;
  pool.experts = experts;
  // Filled on the device sequence by sequence: the host need not hold them all.
  pool.own = torch::empty({n, rounds, experts, kOwn}, torch::dtype(torch::kHalf).device(device));
  pool.shared = torch::empty({n, rounds, all_shared}, torch::dtype(torch::kHalf).device(device));
  pool.scale = torch::empty({n, rounds}, torch::dtype(torch::kFloat32).device(device));
  pool.losses = torch::empty({n, rounds, experts}, torch::dtype(torch::kFloat32).device(device));
  pool.path = torch::empty({n, rounds}, torch::kLong);
  pool.oracle = torch::empty({n}, torch::kDouble);
  pool.tuned = torch::empty({n}, torch::kDouble);
  pool.candidates = torch::empty({n, static_cast<std::int64_t>(grid.size())}, torch::kDouble);
  pool.unit = torch::empty({n}, torch::kDouble);

  std::mutex one_at_a_time;
  parallel_for(count, threads, [&](std::size_t i) {
    torch::NoGradGuard no_gradients;
    const auto [losses, side] = make(i);
    TORCH_CHECK(losses.rows == first.rows && losses.columns == first.columns &&
                    side.columns == side_count && (side_count == 0 || side.rows == first.rows),
                "sequences of one pool have one shape");
    const auto at = static_cast<std::int64_t>(i);
    auto own = torch::empty({rounds, experts, kOwn});
    auto shared = torch::empty({rounds, all_shared});
    auto scale = torch::empty({rounds});
    auto as_float = torch::empty({rounds, experts});
    tokens::TokenStream stream(losses.columns);
    float* own_out = own.data_ptr<float>();
    float* shared_out = shared.data_ptr<float>();
    for (std::size_t t = 0; t < losses.rows; ++t) {
      stream.observe(losses.row(t));
      own_out = std::copy(stream.tokens().begin(), stream.tokens().end(), own_out);
      shared_out = std::copy(stream.shared().begin(), stream.shared().end(), shared_out);
      if (side_count > 0) {
        tokens::side_features(side.row(t), {shared_out, side_count});
        shared_out += side_count;
      }
      for (std::size_t k = 0; k < losses.columns; ++k) {
        as_float.data_ptr<float>()[t * losses.columns + k] = static_cast<float>(losses.row(t)[k]);
      }
      scale.data_ptr<float>()[t] = static_cast<float>(stream.scale());
    }
    const auto half_own = own.to(torch::kHalf), half_shared = shared.to(torch::kHalf);

    const SwitchingPath path = switching_path(losses, switches);
    double tuned = 1e300;
    double* candidates = pool.candidates.data_ptr<double>() + i * grid.size();
    for (std::size_t c = 0; c < grid.size(); ++c) {
      candidates[c] = suite::play(grid[c], losses);
      tuned = std::min(tuned, candidates[c]);
    }
    for (std::size_t t = 0; t < losses.rows; ++t) {
      pool.path.data_ptr<std::int64_t>()[i * losses.rows + t] = path.experts[t];
    }
    pool.oracle.data_ptr<double>()[i] = path.loss;
    pool.tuned.data_ptr<double>()[i] = tuned;
    pool.unit.data_ptr<double>()[i] = unit_of(losses, tuned);

    const std::lock_guard lock(one_at_a_time);
    pool.own[at].copy_(half_own);
    pool.shared[at].copy_(half_shared);
    pool.scale[at].copy_(scale);
    pool.losses[at].copy_(as_float);
    finished_one();
  });
  pool.path = pool.path.to(device);
  for (auto* x : {&pool.oracle, &pool.tuned, &pool.candidates, &pool.unit}) *x = x->to(device);
  return pool;
}

}  // namespace pcgs::train
