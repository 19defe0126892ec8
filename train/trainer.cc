#include "trainer.h"

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/seed_seq.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <sstream>

#include "core/whole_file.h"
#include "pcgs/error.h"

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

// What a checkpoint holds beside tensors, so that going on is as if nothing had happened.
struct Standing {
  std::int64_t step = 0;
  std::int64_t best_step = 0;
  std::int64_t without_better = 0;  // checks
  std::int64_t skipped = 0;
  double best_score = kNoScore;
  double seconds = 0;

  static constexpr double kNoScore = 1e300;
};

constexpr double kCheckpointVersion = 2;

torch::Tensor numbers_of(const Standing& s) {
  return torch::tensor({kCheckpointVersion, static_cast<double>(s.step),
                        static_cast<double>(s.best_step), static_cast<double>(s.without_better),
                        static_cast<double>(s.skipped), s.best_score, s.seconds},
                       torch::kDouble);
}

// The tensors of a checkpoint, in their order: the numbers above, the weights, the best weights,
// the optimiser's state.
std::vector<torch::Tensor> checkpoint_of(const Standing& standing,
                                         const std::vector<torch::Tensor>& weights,
                                         const std::vector<torch::Tensor>& best,
                                         const AdamW& optimiser) {
  std::vector<torch::Tensor> all = {numbers_of(standing)};
  for (const auto& tensor : weights) all.push_back(tensor.detach());
  all.insert(all.end(), best.begin(), best.end());
  for (const auto& tensor : optimiser.state()) all.push_back(tensor);
  return all;
}

void save_checkpoint(const std::string& path, const std::vector<torch::Tensor>& tensors) {
  std::ostringstream bytes;
  torch::save(tensors, bytes);
  WholeFile file(path);
  file.write(bytes.str());
  file.commit();
}

Standing load_checkpoint(const std::string& path, std::vector<torch::Tensor>& weights,
                         std::vector<torch::Tensor>& best, AdamW& optimiser) {
  const auto bytes = read_whole_file(path);
  std::istringstream stream(std::string(bytes.begin(), bytes.end()));
  std::vector<torch::Tensor> all;
  try {
    torch::load(all, stream);
  } catch (const std::exception&) {
    throw Error(path + " is not a checkpoint of pcgs-train; give another --checkpoint");
  }
  const auto expected = checkpoint_of({}, weights, best, optimiser);
  bool fits = all.size() == expected.size();
  for (std::size_t i = 0; fits && i < all.size(); ++i) {
    fits = all[i].sizes() == expected[i].sizes() && all[i].dtype() == expected[i].dtype();
  }
  if (!fits || all[0][0].item<double>() != kCheckpointVersion) {
    throw Error(path + " is a checkpoint of another network; give another --checkpoint");
  }
  torch::NoGradGuard no_gradients;
  const std::size_t n = weights.size();
  for (std::size_t i = 0; i < n; ++i) {
    weights[i].copy_(all[1 + i]);
    best[i].copy_(all[1 + n + i]);
  }
  optimiser.restore({all.begin() + static_cast<std::ptrdiff_t>(1 + 2 * n), all.end()});
  const double* numbers = all[0].data_ptr<double>();
  const auto count = [&](int i) { return static_cast<std::int64_t>(numbers[i]); };
  return {count(1), count(2), count(3), count(4), numbers[5], numbers[6]};
}

// The mean training loss of the batch; its gradient is left in the parameters, the same in every
// process.
double add_gradients(const ControllerNet& net, const AdamW& optimiser,
                     const TrainerOptions& options, const Pool& pool, const torch::Tensor& indices,
                     const Processes& processes) {
  const auto part = processes.part_of(indices.size(0));
  const auto mine = indices.slice(0, part.begin, part.end);
  double value = 0;
  if (mine.size(0) > 0) {
    auto loss = training_loss(
        options.recipe, controls_on(net, pool, mine, options.maps, options.narrow), pool, mine);
    if (processes.count() > 1) {
      loss = loss * (static_cast<double>(mine.size(0)) / static_cast<double>(indices.size(0)));
    }
    loss.backward();
    value = loss.item<double>();
  }
  if (processes.count() == 1) return value;

  torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> flat;
  for (const auto& p : optimiser.parameters()) {
    flat.push_back(p.grad().defined() ? p.grad().flatten() : torch::zeros_like(p).flatten());
  }
  const auto summed = processes.sum(torch::cat(flat));
  std::int64_t at = 0;
  for (auto p : optimiser.parameters()) {
    p.mutable_grad() = summed.slice(0, at, at + p.numel()).reshape(p.sizes()).clone();
    at += p.numel();
  }
  return processes.sum(torch::tensor(value, torch::kDouble)).item<double>();
}

}  // namespace

double learning_rate(const TrainerOptions& options, std::int64_t step, double done) {
  constexpr double kLast = 0.02;
  const auto s = static_cast<double>(step);
  const double warm = (s + 1) / static_cast<double>(std::max<std::int64_t>(options.warm_up, 1));
  const double cosine = kLast + (1 - kLast) * (1 + std::cos(std::numbers::pi * done)) / 2;
  return options.rate * std::min(warm, 1.0) * cosine;
}

std::vector<torch::Tensor> choose_trained(ControllerNet& net,
                                          const std::vector<std::string>& frozen) {
  std::vector<torch::Tensor> trained;
  for (auto& [name, tensor] : net.tensors()) {
    const bool stays = std::any_of(frozen.begin(), frozen.end(), [&](const std::string& part) {
      return name.find(part) != std::string::npos;
    });
    tensor.requires_grad_(!stays);
    if (!stays) trained.push_back(tensor);
  }
  if (trained.empty()) throw Error("all tensors are frozen; leave some to be trained");
  return trained;
}

std::vector<HeldOutScore> held_out_scores(const ControllerNet& net, const TrainerOptions& options,
                                          const std::vector<HeldOut>& held_out,
                                          const Processes& processes) {
  torch::NoGradGuard no_gradients;
  std::vector<HeldOutScore> scores;
  for (const auto& one : held_out) {
    const Pool& pool = one.pool;
    auto total = torch::zeros_like(pool.oracle);
    const std::int64_t most =
        std::max<std::int64_t>(1, options.tokens_per_step / (pool.rounds * pool.experts));
    const auto part = processes.part_of(pool.size());
    for (std::int64_t from = part.begin; from < part.end; from += most) {
      const std::int64_t to = std::min(from + most, part.end);
      const auto indices = torch::arange(from, to, pool.path.options());
      total.slice(0, from, to)
          .copy_(
              paid(controls_on(net, pool, indices, options.maps, options.narrow), pool, indices));
    }
    total = processes.sum(total);
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
             const std::function<void()>& stepped, const Processes& processes) {
  AdamW optimiser(choose_trained(net, options.frozen), options.weight_decay);
  std::vector<torch::Tensor> weights, best;
  for (const auto& named : net.tensors()) {
    weights.push_back(named.second);
    best.push_back(named.second.detach().clone());
  }

  Standing standing;
  Report report;
  const auto check = [&] {
    report.step = standing.step;
    report.skipped = standing.skipped;
    report.scores = held_out_scores(net, options, held_out, processes);
    report.score = 0;
    for (const auto& s : report.scores) {
      report.score += s.beyond / static_cast<double>(report.scores.size());
    }
    ++standing.without_better;
    if (report.score < standing.best_score) {
      standing.best_score = report.score;
      standing.best_step = standing.step;
      standing.without_better = 0;
      torch::NoGradGuard no_gradients;
      for (std::size_t i = 0; i < weights.size(); ++i) best[i].copy_(weights[i]);
    }
    report.best_step = standing.best_step;
    reported(report);
  };
  const auto enough = [&] {
    return options.patience > 0 && standing.without_better >= options.patience;
  };
  if (!options.checkpoint.empty() && std::filesystem::exists(options.checkpoint)) {
    standing = load_checkpoint(options.checkpoint, weights, best, optimiser);
    report.step = standing.step;
    report.skipped = standing.skipped;
    report.best_step = standing.best_step;
  } else {
    if (!options.checkpoint.empty() && processes.first()) {
      const WholeFile probe(options.checkpoint);  // refused before the work
    }
    check();
  }

  std::int64_t sequences = 0, taken = 0;
  double summed = 0;
  auto since = Clock::now();
  const auto began = since - std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(standing.seconds));
  bool last = standing.step >= options.steps || enough();
  while (!last) {
    const Batch batch = batch_of(options, pools, shares, standing.step);
    const double loss =
        add_gradients(net, optimiser, options, pools[batch.pool], batch.indices, processes);
    // The first process's clock is everybody's.
    const double clock = processes.first() ? part_done(options, standing.step, began) : 0;
    const double done = processes.sum(torch::tensor(clock, torch::kDouble)).item<double>();
    if (optimiser.step(learning_rate(options, standing.step, done), options.clip)) {
      summed += loss;
      ++taken;
    } else {
      ++standing.skipped;
    }
    sequences += batch.indices.size(0);
    ++standing.step;
    stepped();

    last = standing.step >= options.steps || done >= 1;
    if (standing.step % options.check_every != 0 && !last) continue;
    report.loss = summed / static_cast<double>(taken);
    report.sequences_per_second = static_cast<double>(sequences) / seconds_since(since);
    check();
    standing.seconds = seconds_since(began);
    if (!options.checkpoint.empty() && processes.first()) {
      save_checkpoint(options.checkpoint, checkpoint_of(standing, weights, best, optimiser));
    }
    summed = 0;
    sequences = taken = 0;
    since = Clock::now();
    last = last || enough();
  }
  torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i].copy_(best[i]);
  report.scores = held_out_scores(net, options, held_out, processes);
  report.score = standing.best_score;
  return report;
}

}  // namespace pcgs::train
