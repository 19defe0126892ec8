// pcgs-train: trains or fine-tunes a controller for the share recursion.
#include <fmt/format.h>
#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "../cli/json_text.h"
#include "../cli/progress.h"
#include "blas.h"
#include "control/transformer.h"
#include "controller_net.h"
#include "core/whole_file.h"
#include "forecast_losses.h"
#include "infer/model_file.h"
#include "io/npy.h"
#include "own_losses.h"
#include "pcgs/error.h"
#include "pcgs/suite.h"
#include "pool.h"
#include "processes.h"
#include "side_columns.h"
#include "suite/prior.h"
#include "tokens/token_schema.h"
#include "trainer.h"

namespace pcgs::train {

namespace {

using nlohmann::ordered_json;

struct Options {
  std::string out, init, losses, side, device = "auto", recipe = "regret", attention = "induced";
  std::size_t width = 64, layers = 2, heads = 4, hidden = 128, inducing = 16, pool_hidden = 64;
  std::size_t sequences = 20000, held_out = 32, switches = 12, window = 600, threads = 0;
  double families = 0.6;  // share of training sequences that are of the families
  double oracle_weight = 1;
  std::int64_t processes = 1, rank = 0;
  std::string rendezvous;
  TrainerOptions trainer;
  bool quiet = false;
};

// Where nothing else is asked for. Somebody's own losses are few, and not far from what the weights
// have seen: small steps, few of them, often looked at. 14,000 rounds of 24 experts then take five
// minutes of a processor's time, less on several cores.
constexpr double kGentleRate = 3e-4;
constexpr std::int64_t kOwnSteps = 80, kOwnTokens = 8 * 600 * 24, kOwnWarmUp = 10,
                       kOwnCheckEvery = 10, kOwnPatience = 4;

torch::Device device_of(const std::string& name) {
  if (name == "cuda" || (name == "auto" && torch::cuda::is_available())) {
    if (!torch::cuda::is_available()) throw Error("there is no CUDA device here; use --device cpu");
#ifndef PCGS_CUDA
    throw Error("this pcgs-train was built without CUDA; use --device cpu");
#endif
    return torch::Device(torch::kCUDA);
  }
  return torch::Device(torch::kCPU);
}

// What is trained on: shapes, and what part of the sequences and of the steps each takes.
enum class Kind {
  kMixed,     // families and prior
  kPrior,     // suite/prior.h
  kForecasts  // forecast_losses.h
};
struct PoolPlan {
  std::size_t rounds, experts;
  double sequences, steps;
  Kind kind;
};
constexpr PoolPlan kPlans[] = {
    {600, 32, 0.500, 0.46, Kind::kMixed},      {600, 16, 0.090, 0.07, Kind::kMixed},
    {600, 8, 0.060, 0.04, Kind::kMixed},       {600, 48, 0.080, 0.08, Kind::kMixed},
    {600, 128, 0.025, 0.05, Kind::kMixed},     {250, 64, 0.060, 0.05, Kind::kPrior},
    {2400, 20, 0.050, 0.06, Kind::kPrior},     {6000, 16, 0.015, 0.04, Kind::kPrior},
    {2000, 21, 0.085, 0.09, Kind::kForecasts}, {6000, 21, 0.035, 0.06, Kind::kForecasts},
};

Matrix made_up(const PoolPlan& plan, double families, std::uint64_t seed) {
  // A lot that is as good as random: seeds are mixed already.
  const double lot = static_cast<double>(seed % 1000) / 1000;
  if (plan.kind == Kind::kForecasts) return make_forecast_losses(plan.rounds, plan.experts, seed);
  return (plan.kind == Kind::kMixed && lot < families
              ? suite::make_varied_family(plan.rounds, plan.experts, seed)
              : suite::make_prior_sequence(plan.rounds, plan.experts, seed))
      .losses;
}

void make_pools(const Options& options, torch::Device device, std::vector<Pool>& pools,
                std::vector<double>& shares) {
  cli::Progress progress("sequences", options.sequences, options.quiet);
  std::size_t first = 0;
  for (const PoolPlan& plan : kPlans) {
    const auto count = std::max<std::size_t>(
        1, static_cast<std::size_t>(plan.sequences * static_cast<double>(options.sequences)));
    const auto make = [&, first](std::size_t i) {
      return made_up(plan, options.families, suite::training_seed(options.trainer.seed, first + i));
    };
    pools.push_back(make_pool(count, make, options.switches, options.threads, device,
                              [&] { progress.advance(); }));
    shares.push_back(plan.steps);
    first += count;
  }
}

std::vector<HeldOut> make_held_out(const Options& options, torch::Device device) {
  // Training seeds of another run seed: never trained on, and never an evaluation seed.
  const std::uint64_t other = options.trainer.seed + 1'000'003;
  std::vector<HeldOut> all;
  for (const auto& family : suite::families()) {
    all.push_back(
        {std::string(family.name),
         make_pool(
             options.held_out,
             [&](std::size_t i) {
               return suite::generate(family.name, 600, 32, suite::training_seed(other, i)).losses;
             },
             options.switches, options.threads, device)});
  }
  for (const auto& [name, plan] : {std::pair{"prior", PoolPlan{2400, 20, 0, 0, Kind::kPrior}},
                                   {"forecasts", PoolPlan{6000, 21, 0, 0, Kind::kForecasts}}}) {
    all.push_back({name, make_pool(
                             options.held_out,
                             [&](std::size_t i) {
                               return made_up(plan, 0, suite::training_seed(other, 100000 + i));
                             },
                             options.switches, options.threads, device)});
  }
  return all;
}

void say(const Report& report) {
  std::string line =
      report.step == 0
          ? fmt::format("as given     held out {:+.4f}", report.score)
          : fmt::format("step {:6}  loss {:+.4f}  {:.{}f} sequences/s  held out {:+.4f}",
                        report.step, report.loss, report.sequences_per_second,
                        report.sequences_per_second < 100 ? 1 : 0, report.score);
  if (report.skipped > 0) line += fmt::format("  {} steps skipped", report.skipped);
  for (const auto& s : report.scores) {
    line +=
        fmt::format("\n    {:<12} regret {:8.2f}  fixed-share* {:8.2f}", s.name, s.regret, s.tuned);
    if (s.tuned > 0) line += fmt::format("  ({:+.1f} %)", 100 * (s.regret / s.tuned - 1));
    line += fmt::format("  won {:3.0f} %  beyond {:+.3f}", 100 * s.wins, s.beyond);
  }
  fmt::print(stderr, "{}\n", line);
}

ordered_json scores_json(const Report& report) {
  ordered_json out = ordered_json::object();
  for (const auto& s : report.scores) {
    out[s.name] = {{"regret", s.regret}, {"tuned_fixed_share", s.tuned}, {"won", s.wins}};
  }
  return out;
}

infer::Config fresh_config(const Options& options, std::size_t side_features) {
  infer::Config config;
  config.features = tokens::kExpertFeatures;
  config.shared = tokens::kSharedFeatures;
  config.side = side_features;
  config.width = options.width;
  config.layers = options.layers;
  config.heads = options.heads;
  config.hidden = options.hidden;
  config.attention = options.attention == "none"   ? infer::AttentionKind::kNone
                     : options.attention == "full" ? infer::AttentionKind::kFull
                                                   : infer::AttentionKind::kInduced;
  config.inducing = config.attention == infer::AttentionKind::kInduced ? options.inducing : 0;
  config.pool_hidden = options.pool_hidden;
  const ControlMaps& maps = options.trainer.maps;
  config.controls = {{"rho_max", maps.rho_max},
                     {"uniform", maps.uniform},
                     {"least_rate", maps.least_rate},
                     {"constant_eta", maps.constant_eta}};
  if (const auto problem = infer::problem_with(config); !problem.empty()) throw Error(problem);
  return config;
}

infer::Model given_model(Options& options, std::size_t side_features) {
  infer::Model model = infer::read_model_file(options.init);
  const TransformerModel usable(model, options.init);  // or an Error says why not
  if (usable.side() > side_features) {
    throw Error(
        fmt::format("{} takes {} numbers of side information in every round, and here are "
                    "{}; give a --side with at least as many columns",
                    options.init, usable.side(), side_features));
  }
  add_side_columns(model, side_features);
  ControlMaps& maps = options.trainer.maps;
  maps.rho_max = usable.rho_max();
  maps.uniform = usable.uniform();
  maps.least_rate = usable.least_rate();
  maps.constant_eta = usable.constant_eta();
  return model;
}

OwnFile own_file(const std::string& path) {
  if (path.empty()) return {};
  return {io::read_npy(read_whole_file(path), path), path};
}

void run(Options& options) {
  const auto start = std::chrono::steady_clock::now();
  if (options.threads == 0) {
    options.threads = std::max(1U, std::thread::hardware_concurrency());
  } else {
    set_threads(static_cast<int>(options.threads));
  }
  if (options.rank >= options.processes) {
    throw Error(fmt::format("--rank {} is not below --processes {}; ranks count from 0",
                            options.rank, options.processes));
  }
  if (options.processes > 1 && options.rendezvous.empty()) {
    throw Error("several processes need a --rendezvous: a file that is not there yet");
  }
  const torch::Device device = device_of(options.device);
  options.trainer.recipe.regret = options.recipe == "oracle" ? 0 : 1;
  options.trainer.recipe.oracle = options.recipe == "regret" ? 0 : options.oracle_weight;
  const bool first = options.rank == 0;  // only the first process speaks and writes
  options.quiet = options.quiet || !first;
  std::optional<WholeFile> file;
  if (first) file.emplace(options.out);  // refused before the work

  const OwnFile own = own_file(options.losses), side = own_file(options.side);
  const std::size_t side_features = side.values.columns;
  const auto net =
      options.init.empty()
          ? std::make_unique<ControllerNet>(fresh_config(options, side_features),
                                            options.trainer.seed, device)
          : std::make_unique<ControllerNet>(given_model(options, side_features), device);
  choose_trained(*net, options.trainer.frozen);  // refused before the work
  std::vector<Pool> pools;
  std::vector<double> shares;
  std::vector<HeldOut> held_out;
  if (options.losses.empty()) {
    make_pools(options, device, pools, shares);
    held_out = make_held_out(options, device);
  } else {
    OwnLosses pieces =
        own_losses(own, side, options.window, options.switches, options.threads, device);
    pools.push_back(std::move(pieces.windows));
    shares.push_back(1);
    held_out.push_back(std::move(pieces.held_out));
  }
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (!options.quiet) fmt::print(stderr, "sequences ready after {:.0f} s\n", seconds());

  const Processes processes(options.rank, options.processes, options.rendezvous);
  cli::Progress progress("training", static_cast<std::size_t>(options.trainer.steps),
                         options.quiet);
  const Report last = train(
      *net, options.trainer, pools, shares, held_out,
      [&](const Report& report) {
        if (!options.quiet) say(report);
      },
      [&] { progress.advance(); }, processes);
  if (!first) return;
  if (!options.quiet && last.best_step == 0) {
    fmt::print(stderr, "nothing was better on held-out sequences: the weights are those given\n");
  }

  const TrainerOptions& t = options.trainer;
  const ordered_json provenance = {
      {"recipe", options.recipe},
      {"oracle_weight", t.recipe.oracle},
      {"init", options.init.empty() ? "random" : options.init},
      {"data", options.losses.empty() ? "families and prior" : options.losses},
      {"side", options.side},
      {"side_features", side_features},
      {"sequences", options.losses.empty() ? options.sequences : 0},
      {"seed", t.seed},
      {"steps", last.step},
      {"best_step", last.best_step},
      {"tokens_per_step", t.tokens_per_step},
      {"rate", t.rate},
      {"weight_decay", t.weight_decay},
      {"skipped_steps", last.skipped},
      {"seconds", std::round(seconds())},
      {"device", device.is_cuda() ? "cuda" : "cpu"},
      {"processes", options.processes},
      {"torch", TORCH_VERSION},
      {"held_out", scores_json(last)}};
  const auto bytes = infer::model_bytes(
      net->model(tokens::schema_name(), {{"provenance", cli::json_text(provenance)}}));
  file->write(bytes.data(), bytes.size());
  file->commit();
  fmt::print("{}\n", cli::json_text(provenance, 1));
}

void declare(CLI::App& app, Options& options) {
  TrainerOptions& t = options.trainer;
  const CLI::Range from_one(1.0, 1e9, "a number from 1");
  const CLI::Range from_zero(0.0, 1e9, "a number from 0");
  const CLI::Range part(0.0, 1.0, "a number in [0, 1]");
  app.add_option("--out", options.out, "Model file to write (.safetensors)")->required();
  app.add_option("--recipe", options.recipe,
                 "regret: through the recursion; oracle: towards the oracle's path; both")
      ->check(CLI::IsMember({"regret", "oracle", "both"}))
      ->capture_default_str();
  app.add_option("--oracle-weight", options.oracle_weight, "Of the oracle's part")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--switch-weight", t.recipe.switch_weight, "Of restarts in the oracle's part")
      ->check(from_zero)
      ->capture_default_str();
  app.add_option("--init", options.init, "Go on from this model's weights");
  app.add_option("--losses", options.losses,
                 "Train on this T x K loss matrix (.npy) instead of made-up sequences");
  app.add_option(
         "--side", options.side,
         "Side information of its rounds, T x M (.npy); pcgs run then needs it too. A model "
         "given with --init learns to use what it does not know yet")
      ->needs("--losses");
  app.add_option("--window", options.window, "Rounds of a piece of it")
      ->check(CLI::Range(50.0, 1e9, "a number from 50"))
      ->capture_default_str();
  app.add_option("--steps", t.steps, fmt::format("Training steps; {} with --losses", kOwnSteps))
      ->check(from_one)
      ->capture_default_str();
  app.add_option("--minutes", t.minutes, "Be done within; the schedule follows the clock")
      ->check(CLI::PositiveNumber);
  app.add_option("--sequences", options.sequences, "Made-up sequences")
      ->check(from_one)
      ->capture_default_str();
  app.add_option("--families", options.families, "Share of them that are of the seven families")
      ->check(part)
      ->capture_default_str();
  app.add_option("--held-out", options.held_out, "Held-out sequences of each kind")
      ->check(from_one)
      ->capture_default_str();
  app.add_option("--switches", options.switches, "Switches of the oracle")
      ->check(from_zero)
      ->capture_default_str();
  app.add_option(
         "--tokens-per-step", t.tokens_per_step,
         fmt::format("Sequences x rounds x experts of a step; {} with --losses", kOwnTokens))
      ->check(from_one)
      ->capture_default_str();
  app.add_option("--rate", t.rate,
                 fmt::format("Highest learning rate; {} with --init", kGentleRate))
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--warm-up", t.warm_up,
                 fmt::format("Steps until it is reached; {} with --losses", kOwnWarmUp))
      ->check(from_zero)
      ->capture_default_str();
  app.add_option("--weight-decay", t.weight_decay, "Weight decay")
      ->check(from_zero)
      ->capture_default_str();
  app.add_option("--clip", t.clip, "Largest norm of a gradient")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", t.seed, "Seed of sequences, weights and batches")->capture_default_str();
  app.add_option("--check-every", t.check_every,
                 fmt::format("Steps between held-out scores; {} with --losses", kOwnCheckEvery))
      ->check(from_one)
      ->capture_default_str();
  app.add_option("--patience", t.patience,
                 fmt::format("Checks without a better score before stopping, 0: never; {} with "
                             "--losses",
                             kOwnPatience))
      ->check(from_zero)
      ->capture_default_str();
  app.add_option("--checkpoint", t.checkpoint,
                 "File to continue from if it exists, and to write at every check");
  app.add_option("--freeze", t.frozen, "Leave tensors whose name contains this as they are")
      ->delimiter(',');
  app.add_option("--rho-max", t.maps.rho_max, "Largest restart")
      ->check(CLI::Range(0.001, 0.999, "a number in [0.001, 0.999]"))
      ->capture_default_str();
  app.add_option("--eta", t.maps.constant_eta,
                 "Constant learning rate of the recursion; 0: learned")
      ->check(CLI::Range(0.0, 1e4, "a number in [0, 10000]"))
      ->capture_default_str();
  app.add_option("--width", options.width, "Width of the network")->capture_default_str();
  app.add_option("--layers", options.layers, "Layers")->capture_default_str();
  app.add_option("--heads", options.heads, "Attention heads")->capture_default_str();
  app.add_option("--hidden", options.hidden, "Hidden width of a layer")->capture_default_str();
  app.add_option("--attention", options.attention, "full, induced or none")
      ->check(CLI::IsMember({"full", "induced", "none"}))
      ->capture_default_str();
  app.add_option("--inducing", options.inducing, "Learned queries of induced attention")
      ->capture_default_str();
  app.add_option("--device", options.device, "auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_flag("--bfloat16", t.narrow, "Calculate in bfloat16");
  app.add_option("--threads", options.threads, "Threads; 0: one on each core")
      ->check(CLI::Range(0.0, 1024.0, "a number in [0, 1024]"))
      ->capture_default_str();
  app.add_option("--processes", options.processes,
                 "Processes that share every batch, all started with the same options but --rank")
      ->check(CLI::Range(1.0, 1024.0, "a number in [1, 1024]"))
      ->capture_default_str();
  app.add_option("--rank", options.rank, "Which of them this is, from 0; only the first writes")
      ->check(from_zero)
      ->capture_default_str();
  app.add_option("--rendezvous", options.rendezvous,
                 "File where they meet: on a disk that all see, and not there yet");
  app.add_flag("--quiet", options.quiet, "No progress");
  // A model brings these with it.
  for (const char* fixed : {"--rho-max", "--eta", "--width", "--layers", "--heads", "--hidden",
                            "--attention", "--inducing"}) {
    app.get_option("--init")->excludes(app.get_option(fixed));
  }
}

// What was not asked for depends on what was.
void choose_defaults(const CLI::App& app, Options& options) {
  TrainerOptions& t = options.trainer;
  const auto unless_given = [&](const char* name, auto& option, auto value) {
    if (app.count(name) == 0) option = value;
  };
  if (!options.init.empty()) unless_given("--rate", t.rate, kGentleRate);
  if (!options.losses.empty()) {
    unless_given("--steps", t.steps, kOwnSteps);
    unless_given("--tokens-per-step", t.tokens_per_step, kOwnTokens);
    unless_given("--warm-up", t.warm_up, kOwnWarmUp);
    unless_given("--check-every", t.check_every, kOwnCheckEvery);
    unless_given("--patience", t.patience, kOwnPatience);
  }
}

}  // namespace

}  // namespace pcgs::train

int main(int argc, char** argv) {
  pcgs::train::let_blas_use_this_processor(argv);
  CLI::App app("pcgs-train trains the controller of the share recursion.");
  pcgs::train::Options options;
  pcgs::train::declare(app, options);
  try {
    app.parse(argc, argv);
    pcgs::train::choose_defaults(app, options);
    pcgs::train::run(options);
    return 0;
  } catch (const CLI::ParseError& wrong) {
    if (wrong.get_exit_code() == 0) return app.exit(wrong);
    fmt::print(stderr, "pcgs-train: {}; pcgs-train --help shows what there is\n", wrong.what());
    return 2;
  } catch (const pcgs::Error& bad_input) {
    fmt::print(stderr, "pcgs-train: {}\n", bad_input.what());
    return 2;
  } catch (const std::exception& fault) {
    fmt::print(stderr, "pcgs-train: this should not happen, please report it: {}\n", fault.what());
    return 1;
  }
}
