#include "trainer.h"

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/seed_seq.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>

namespace pcgs::train {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// How much of the training is over, in [0,1].
double part_done(const TrainerOptions& options, std::int64_t step, Clock::time_point start) {
  const double steps = static_cast<double>(step) / static_cast<double>(options.steps);
  const double time = options.minutes > 0 ? seconds_since(start) / (60 * options.minutes) : 0;
  return std::min(1.0, std::max(steps, time));
}

double rate_at(const TrainerOptions& options, std::int64_t step, double done) {
  constexpr double kLast = 0.02;
  const auto s = static_cast<double>(step);
  const double warm = (s + 1) / static_cast<double>(std::max<std::int64_t>(options.warm_up, 1));
  const double cosine = kLast + (1 - kLast) * (1 + std::cos(std::numbers::pi * done)) / 2;
  return options.rate * std::min(warm, 1.0) * cosine;
}

// A step's batch is a function of (seed, step): going on from a checkpoint needs no random state.
struct Batch {
  std::size_t pool;
  torch::Tensor indices;
};

Batch batch_of(const TrainerOptions& options, const std::vector<Pool>& pools,
               const std::vector<double>& shares, std::int64_t step) {
  boost::random::seed_seq mixed{static_cast<std::uint32_t>(options.seed),
                                static_cast<std::uint32_t>(options.seed >> 32),
                                static_cast<std::uint32_t>(step)};
  boost::random::mt19937_64 bits(mixed);
  double left = boost::random::uniform_01<double>()(bits);
  std::size_t pool = 0;
  while (pool + 1 < pools.size() && left >= shares[pool]) left -= shares[pool++];
  const Pool& chosen = pools[pool];
  const std::int64_t size = std::clamp<std::int64_t>(
      options.tokens_per_step / (chosen.rounds * chosen.experts), 1, chosen.size());
  std::vector<std::int64_t> indices(static_cast<std::size_t>(size));
  for (auto& i : indices) {
    i = boost::random::uniform_int_distribution<std::int64_t>(0, chosen.size() - 1)(bits);
  }
  return {pool, torch::tensor(indices).to(chosen.losses.device())};
}

void save_checkpoint(const std::string& path, ControllerNet& net, const AdamW& optimiser,
                     const std::vector<torch::Tensor>& best, double best_score, std::int64_t step) {
  std::vector<torch::Tensor> all = {torch::tensor(step), torch::tensor(best_score, torch::kDouble)};
  for (const auto& named : net.tensors()) all.push_back(named.second.detach());
  for (const auto& tensor : best) all.push_back(tensor);
  for (const auto& tensor : optimiser.state()) all.push_back(tensor);
  const std::string partial = path + ".partial";
  torch::save(all, partial);
  std::filesystem::rename(partial, path);
}

}  // namespace

std::vector<HeldOutScore> held_out_scores(const ControllerNet& net, const TrainerOptions& options,
                                          const std::vector<HeldOut>& held_out) {
  torch::NoGradGuard no_gradients;
  std::vector<HeldOutScore> scores;
  for (const auto& one : held_out) {
    const Pool& pool = one.pool;
    std::vector<torch::Tensor> parts;
    const std::int64_t most =
        std::max<std::int64_t>(1, options.tokens_per_step / (pool.rounds * pool.experts));
    for (std::int64_t from = 0; from < pool.size(); from += most) {
      const auto indices =
          torch::arange(from, std::min(from + most, pool.size()), pool.path.options());
      parts.push_back(
          paid(controls_on(net, pool, indices, options.maps, options.narrow), pool, indices));
    }
    const auto total = torch::cat(parts);
    const auto best = pool.candidates.mean(0).argmin();
    const auto tuned = pool.candidates.select(1, best.item<std::int64_t>());
    scores.push_back({one.name, (total - pool.oracle).mean().item<double>(),
                      (tuned - pool.oracle).mean().item<double>(),
                      (total < tuned).to(torch::kDouble).mean().item<double>(),
                      ((total - pool.tuned) / pool.unit).mean().item<double>()});
  }
  return scores;
}

Report train(ControllerNet& net, const TrainerOptions& options, const std::vector<Pool>& pools,
             const std::vector<double>& shares, const std::vector<HeldOut>& held_out,
             const std::function<void(const Report&)>& reported,
             const std::function<void()>& stepped) {
  std::vector<torch::Tensor> weights, trained;
  for (auto& [name, tensor] : net.tensors()) {
    weights.push_back(tensor);
    const bool frozen =
        std::any_of(options.frozen.begin(), options.frozen.end(),
                    [&](const std::string& part) { return name.find(part) != std::string::npos; });
    if (frozen) {
      tensor.requires_grad_(false);
    } else {
      trained.push_back(tensor);
    }
  }
  AdamW optimiser(trained, options.weight_decay);
  std::vector<torch::Tensor> best;
  for (const auto& w : weights) best.push_back(w.detach().clone());
  double best_score = 1e300;
  std::int64_t start = 0;
  if (!options.checkpoint.empty() && std::filesystem::exists(options.checkpoint)) {
    torch::NoGradGuard no_gradients;
    std::vector<torch::Tensor> all;
    torch::load(all, options.checkpoint);
    TORCH_CHECK(all.size() > 2 + 2 * weights.size(), "a checkpoint of another network");
    start = all[0].item<std::int64_t>();
    best_score = all[1].item<double>();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i].copy_(all[2 + i]);
      best[i].copy_(all[2 + weights.size() + i]);
    }
    optimiser.restore(
        {all.begin() + static_cast<std::ptrdiff_t>(2 + 2 * weights.size()), all.end()});
  }

  Report report;
  std::int64_t without_better = 0, sequences = 0, since = 0;
  const auto began = Clock::now();
  auto clock = began;
  auto summed = torch::zeros({}, torch::kDouble);
  for (std::int64_t step = start; step < options.steps; ++step) {
    const Batch batch = batch_of(options, pools, shares, step);
    const Pool& pool = pools[batch.pool];
    const auto loss = training_loss(
        options.recipe, controls_on(net, pool, batch.indices, options.maps, options.narrow), pool,
        batch.indices);
    loss.backward();
    const double done = part_done(options, step, began);
    if (!optimiser.step(rate_at(options, step, done), options.clip)) ++report.skipped;
    summed = summed.to(loss.device()) + loss.detach();
    sequences += batch.indices.size(0);
    ++since;
    stepped();

    const bool last = step + 1 == options.steps || done >= 1;
    if ((step + 1) % options.check_every != 0 && !last) continue;
    report.step = step + 1;
    report.loss = summed.item<double>() / static_cast<double>(since);
    report.sequences_per_second = static_cast<double>(sequences) / seconds_since(clock);
    report.scores = held_out_scores(net, options, held_out);
    report.score = 0;
    for (const auto& s : report.scores) {
      report.score += s.beyond / static_cast<double>(report.scores.size());
    }
    ++without_better;
    if (report.score < best_score) {
      best_score = report.score;
      without_better = 0;
      torch::NoGradGuard no_gradients;
      for (std::size_t i = 0; i < weights.size(); ++i) best[i].copy_(weights[i]);
    }
    reported(report);
    if (!options.checkpoint.empty()) {
      save_checkpoint(options.checkpoint, net, optimiser, best, best_score, step + 1);
    }
    summed.zero_();
    sequences = since = 0;
    clock = Clock::now();
    if (last || (options.patience > 0 && without_better >= options.patience)) break;
  }
  torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i].copy_(best[i]);
  report.scores = held_out_scores(net, options, held_out);
  report.score = best_score;
  return report;
}

}  // namespace pcgs::train
