#include "trainer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/seed_seq.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <set>

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

// The mean training loss of the batch; its gradient is left in the parameters, the same in every
// process. A tensor, so that nobody waits for it.
torch::Tensor add_gradients(const ControllerNet& net, const AdamW& optimiser,
                            const TrainerOptions& options, const Pool& pool,
                            const torch::Tensor& indices, const Processes& processes) {
  const auto part = processes.part_of(indices.size(0));
  const auto mine = indices.slice(0, part.begin, part.end);
  auto value = torch::zeros({}, pool.oracle.options());
  if (mine.size(0) > 0) {
    auto loss = training_loss(
        options.recipe, controls_on(net, pool, mine, options.maps, options.narrow), pool, mine);
    if (processes.count() > 1) {
      loss = loss * (static_cast<double>(mine.size(0)) / static_cast<double>(indices.size(0)));
    }
    loss.backward();
    value = loss.detach();
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
  return processes.sum(value);
}

}  // namespace

double learning_rate(const TrainerOptions& options, std::int64_t step, double done) {
  constexpr double kLast = 0.02;
  const auto s = static_cast<double>(step);
  const double warm = (s + 1) / static_cast<double>(std::max<std::int64_t>(options.warm_up, 1));
  const double cosine = kLast + (1 - kLast) * (1 + std::cos(std::numbers::pi * done)) / 2;
  return options.rate * std::min(warm, 1.0) * cosine;
}

namespace {

// "embed, head, layers, norm, pool"
std::string beginnings_of_names(ControllerNet& net) {
  std::set<std::string> beginnings;
  for (const auto& named : net.tensors()) {
    beginnings.insert(named.first.substr(0, named.first.find('.')));
  }
  return fmt::format("{}", fmt::join(beginnings, ", "));
}

// Everything that a step depends on; not how long it goes on, nor when it is looked at.
Belonging belonging_of(const infer::Config& config, const TrainerOptions& options) {
  Belonging all = options.data;
  const auto add = [&](const char* name, const auto& value) {
    all[name] = fmt::format("{}", value);
  };
  add("features", config.features);
  add("shared features", config.shared);
  add("side features", config.side);
  add("width", config.width);
  add("layers", config.layers);
  add("heads", config.heads);
  add("hidden", config.hidden);
  add("attention", name_of(config.attention));
  add("inducing", config.inducing);
  add("memory", config.memory);
  add("recipe's weight of regret", options.recipe.regret);
  add("recipe's weight of the oracle", options.recipe.oracle);
  add("recipe's weight of switches", options.recipe.switch_weight);
  for (const auto& [name, value] : constants_of(options.maps)) add(name.c_str(), value);
  add("tokens per step", options.tokens_per_step);
  add("rate", options.rate);
  add("warm-up", options.warm_up);
  add("weight decay", options.weight_decay);
  add("clip", options.clip);
  add("seed", options.seed);
  add("bfloat16", options.narrow);
  all["list of frozen tensors"] = fmt::format("{}", fmt::join(options.frozen, ","));
  return all;
}

}  // namespace

std::vector<torch::Tensor> choose_trained(ControllerNet& net,
                                          const std::vector<std::string>& frozen) {
  for (const auto& part : frozen) {
    const auto& all = net.tensors();
    if (std::none_of(all.begin(), all.end(), [&](const auto& named) {
          return named.first.find(part) != std::string::npos;
        })) {
      throw Error(fmt::format("no tensor to freeze has {} in its name; their names begin with {}",
                              part, beginnings_of_names(net)));
    }
  }
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
      const auto indices = torch::arange(from, to, pool.losses.options().dtype(torch::kLong));
      total.slice(0, from, to)
          .copy_(
              paid(controls_on(net, pool, indices, options.maps, options.narrow), pool, indices));
    }
    total = processes.sum(total);
    const auto best = pool.candidates.mean(0).argmin();
    const auto tuned = pool.candidates.select(1, best.item<std::int64_t>());
    const auto everything = torch::arange(pool.size(), pool.losses.options().dtype(torch::kLong));
    scores.push_back({one.name, (total - pool.oracle).mean().item<double>(),
                      (tuned - pool.oracle).mean().item<double>(),
                      (total < tuned).to(torch::kDouble).mean().item<double>(),
                      beyond_tuned(total, pool, everything).mean().item<double>(),
                      pool.combines()});
    if (!one.limit.empty()) {
      scores.back().has_limit = true;
      scores.back().limit = (torch::tensor(one.limit, torch::kDouble) - pool.oracle.to(torch::kCPU))
                                .mean()
                                .item<double>();
    }
  }
  return scores;
}

Report train(ControllerNet& net, const TrainerOptions& options, Supply& supply,
             const std::vector<HeldOut>& held_out,
             const std::function<void(const Report&)>& reported,
             const std::function<void()>& stepped, const Processes& processes) {
  AdamW optimiser(choose_trained(net, options.frozen), options.weight_decay);
  const Belonging belonging = belonging_of(net.config(), options);
  Trained trained{{}, {}, optimiser};
  auto &weights = trained.weights, &best = trained.best;
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
    standing = load_checkpoint(options.checkpoint, belonging, trained);
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
  auto summed = torch::zeros({}, torch::kDouble);  // goes where the losses are
  auto since = Clock::now();
  const auto began = since - std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(standing.seconds));
  bool last = standing.step >= options.steps || enough();
  while (!last) {
    const auto& [pools, shares] = supply.at(standing.step);
    const Batch batch = batch_of(options, pools, shares, standing.step);
    const auto loss =
        add_gradients(net, optimiser, options, pools[batch.pool], batch.indices, processes);
    // The first process's clock is everybody's.
    const double clock = processes.first() ? part_done(options, standing.step, began) : 0;
    const double done = processes.sum(torch::tensor(clock, torch::kDouble)).item<double>();
    if (optimiser.step(learning_rate(options, standing.step, done), options.clip)) {
      summed = summed.to(loss.device()) + loss;
      ++taken;
    } else {
      ++standing.skipped;
    }
    sequences += batch.indices.size(0);
    ++standing.step;
    stepped();

    last = standing.step >= options.steps || done >= 1;
    if (standing.step % options.check_every != 0 && !last) continue;
    report.loss = summed.item<double>() / static_cast<double>(taken);
    report.sequences_per_second = static_cast<double>(sequences) / seconds_since(since);
    check();
    standing.seconds = seconds_since(began);
    if (!options.checkpoint.empty() && processes.first()) {
      save_checkpoint(options.checkpoint, belonging, standing, trained);
    }
    summed.zero_();
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
