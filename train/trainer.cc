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
#include <limits>
#include <numbers>
#include <set>

#include "data/whole_file.h"
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
  for (const auto& size : infer::kConfigSizes) add(size.name, config.*size.value);
  add("attention", name_of(config.attention));
  add("recipe's weight of regret", options.recipe.regret);
  add("recipe's weight of the oracle", options.recipe.oracle);
  add("recipe's weight of switches", options.recipe.switch_weight);
  add("caution", options.recipe.caution);
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
                                          const Processes& processes,
                                          const std::function<void(std::int64_t)>& judged) {
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
      judged(to - from);
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

namespace {

class Training {
 public:
  Training(ControllerNet& net, const TrainerOptions& options, Supply& supply,
           const std::vector<HeldOut>& held_out, const Watcher& watcher, const Processes& processes)
      : net_(net),
        options_(options),
        supply_(supply),
        held_out_(held_out),
        watcher_(watcher),
        processes_(processes),
        optimiser_(choose_trained(net, options.frozen), options.weight_decay),
        belonging_(belonging_of(net.config(), options)) {
    for (const auto& named : net.tensors()) {
      trained_.weights.push_back(named.second);
      trained_.best.push_back(named.second.detach().clone());
    }
  }

  TrainingOutcome run() {
    begin();
    bool last = standing_.step >= options_.steps || enough();
    while (!last) {
      const double done = step();
      last = standing_.step >= options_.steps || done >= 1;
      if (standing_.step % options_.check_every != 0 && !last) continue;
      report_.loss = since_check_.loss / static_cast<double>(since_check_.taken);
      report_.sequences_per_second =
          static_cast<double>(since_check_.sequences) / seconds_since(since_check_.start);
      check();
      standing_.seconds = seconds_since(began_);
      save();
      since_check_ = {};
      last = last || enough();
    }
    keep_best();
    return {report_, course_.course(), seconds_before_};
  }

 private:
  // What a report says of the steps since the one before it.
  struct SinceCheck {
    double loss = 0;  // sum
    std::int64_t sequences = 0, taken = 0;
    Clock::time_point start = Clock::now();
  };

  bool has_checkpoint() const { return !options_.checkpoint.empty(); }
  bool enough() const {
    return options_.patience > 0 && standing_.without_better >= options_.patience;
  }

  // Goes on from the checkpoint, or looks at the weights as they were given.
  void begin() {
    if (has_checkpoint() && std::filesystem::exists(options_.checkpoint)) {
      auto resumed = load_checkpoint(options_.checkpoint, belonging_, trained_);
      standing_ = resumed.standing;
      seconds_before_ = standing_.seconds;
      course_ = CourseKeeper(std::move(resumed.course));
      report_.step = standing_.step;
      report_.skipped = standing_.skipped;
      report_.best_step = standing_.best_step;
    } else {
      if (has_checkpoint() && processes_.first()) {
        const WholeFile probe(options_.checkpoint);  // refused before the work
      }
      check();
    }
    since_check_ = {};
    began_ = since_check_.start - std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(standing_.seconds));
  }

  // How much of the training was over before it.
  double step() {
    const auto& [pools, shares] = supply_.at(standing_.step);
    const Batch batch = batch_of(options_, pools, shares, standing_.step);
    const auto loss =
        add_gradients(net_, optimiser_, options_, pools[batch.pool], batch.indices, processes_);
    // The first process's clock is everybody's.
    const double clock = processes_.first() ? part_done(options_, standing_.step, began_) : 0;
    const double done = processes_.sum(torch::tensor(clock, torch::kDouble)).item<double>();
    const double rate = learning_rate(options_, standing_.step, done);
    Step told{++standing_.step, std::numeric_limits<double>::quiet_NaN(), rate, done};
    if (optimiser_.step(rate, options_.clip)) {
      told.loss = loss.item<double>();
      since_check_.loss += told.loss;
      ++since_check_.taken;
    } else {
      ++standing_.skipped;
    }
    since_check_.sequences += batch.indices.size(0);
    course_.add(told);
    watcher_.stepped(told);
    return done;
  }

  void check() {
    report_.step = standing_.step;
    report_.skipped = standing_.skipped;
    report_.scores = held_out_scores(net_, options_, held_out_, processes_, watcher_.judged);
    report_.score = 0;
    for (const auto& s : report_.scores) {
      report_.score += s.beyond / static_cast<double>(report_.scores.size());
    }
    ++standing_.without_better;
    if (report_.score < standing_.best_score) {
      standing_.best_score = report_.score;
      standing_.best_step = standing_.step;
      standing_.without_better = 0;
      copy(trained_.weights, trained_.best);
    }
    report_.best_step = standing_.best_step;
    report_.best_score = standing_.best_score;
    course_.add(report_);
    watcher_.checked(report_);
  }

  void save() const {
    if (!has_checkpoint() || !processes_.first()) return;
    save_checkpoint(options_.checkpoint, belonging_, standing_, course_.course(), trained_);
  }

  void keep_best() {
    copy(trained_.best, trained_.weights);
    report_.scores = held_out_scores(net_, options_, held_out_, processes_, watcher_.judged);
    report_.score = standing_.best_score;
  }

  static void copy(const std::vector<torch::Tensor>& from, std::vector<torch::Tensor>& to) {
    torch::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < from.size(); ++i) to[i].copy_(from[i]);
  }

  ControllerNet& net_;
  const TrainerOptions& options_;
  Supply& supply_;
  const std::vector<HeldOut>& held_out_;
  const Watcher& watcher_;
  const Processes& processes_;
  AdamW optimiser_;
  Belonging belonging_;
  Trained trained_{{}, {}, optimiser_};
  Standing standing_;
  Report report_;
  CourseKeeper course_;
  SinceCheck since_check_;
  double seconds_before_ = 0;
  Clock::time_point began_;
};

}  // namespace

TrainingOutcome train(ControllerNet& net, const TrainerOptions& options, Supply& supply,
                      const std::vector<HeldOut>& held_out, const Watcher& watcher,
                      const Processes& processes) {
  return Training(net, options, supply, held_out, watcher, processes).run();
}

}  // namespace pcgs::train
