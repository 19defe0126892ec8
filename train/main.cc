// pcgs-train: trains or fine-tunes a controller for the share recursion.
#include <fmt/format.h>
#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "../cli/progress.h"
#include "controller_net.h"
#include "core/whole_file.h"
#include "infer/model_file.h"
#include "io/npy.h"
#include "pcgs/error.h"
#include "pcgs/suite.h"
#include "pool.h"
#include "suite/prior.h"
#include "tokens/token_schema.h"
#include "trainer.h"

namespace pcgs::train {

namespace {

using nlohmann::ordered_json;

struct Options {
  std::string out, init, losses, device = "auto", recipe = "regret", attention = "induced";
  std::size_t width = 64, layers = 2, heads = 4, hidden = 128, inducing = 16, pool_hidden = 64;
  std::size_t sequences = 20000, held_out = 32, switches = 12, window = 600, threads = 0;
  double families = 0.6;  // share of training sequences that are of the families
  double oracle_weight = 1;
  TrainerOptions trainer;
  bool quiet = false;
};

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
struct PoolPlan {
  std::size_t rounds, experts;
  double sequences, steps;
  bool only_prior;
};
constexpr PoolPlan kPlans[] = {
    {600, 32, 0.60, 0.54, false}, {600, 16, 0.11, 0.09, false},  {600, 8, 0.08, 0.05, false},
    {600, 48, 0.10, 0.10, false}, {600, 128, 0.03, 0.06, false}, {2400, 20, 0.06, 0.10, true},
    {6000, 16, 0.02, 0.06, true},
};

void make_pools(const Options& options, torch::Device device, std::vector<Pool>& pools,
                std::vector<double>& shares) {
  cli::Progress progress("sequences", options.sequences, options.quiet);
  std::size_t first = 0;
  for (const PoolPlan& plan : kPlans) {
    const auto count = std::max<std::size_t>(
        1, static_cast<std::size_t>(plan.sequences * static_cast<double>(options.sequences)));
    const auto make = [&, first](std::size_t i) {
      const std::uint64_t seed = suite::training_seed(options.trainer.seed, first + i);
      // A lot that is as good as random: seeds are mixed already.
      const double lot = static_cast<double>(seed % 1000) / 1000;
      return (!plan.only_prior && lot < options.families
                  ? suite::make_varied_family(plan.rounds, plan.experts, seed)
                  : suite::make_prior_sequence(plan.rounds, plan.experts, seed))
          .losses;
    };
    pools.push_back(make_pool(count, make, options.switches, options.threads, device,
                              [&] { progress.advance(); }));
    shares.push_back(plan.steps);
    first += count;
  }
}

// Windows of the user's own losses, half overlapping.
Matrix window_of(const Matrix& losses, std::size_t from, std::size_t rounds) {
  Matrix out(rounds, losses.columns);
  std::copy_n(losses.row(from).begin(), rounds * losses.columns, out.values.begin());
  return out;
}

void make_own_pool(const Options& options, torch::Device device, std::vector<Pool>& pools,
                   std::vector<double>& shares, std::vector<HeldOut>& held_out) {
  const auto bytes = read_whole_file(options.losses);
  const Matrix losses = io::read_npy(bytes, options.losses);
  for (const double l : losses.values) {
    if (!(l >= 0 && l <= 1)) {
      throw Error(fmt::format("{} holds {}; losses to train on lie in [0, 1]", options.losses, l));
    }
  }
  const std::size_t rounds = std::min(options.window, losses.rows / 3);
  if (rounds < 50) {
    throw Error(fmt::format("{} has {} rounds; give at least 150 to train on", options.losses,
                            losses.rows));
  }
  // The last window is held out, and nothing that is trained on reaches into it.
  const std::size_t end = losses.rows - rounds, step = std::max<std::size_t>(1, rounds / 4);
  const std::size_t count = (end - rounds) / step + 1;
  pools.push_back(make_pool(
      count, [&](std::size_t i) { return window_of(losses, i * step, rounds); }, options.switches,
      options.threads, device));
  shares.push_back(1);
  held_out.push_back(
      {"last window", make_pool(
                          1, [&](std::size_t) { return window_of(losses, end, rounds); },
                          options.switches, options.threads, device)});
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
  all.push_back({"prior", make_pool(
                              options.held_out,
                              [&](std::size_t i) {
                                return suite::make_prior_sequence(
                                           2400, 20, suite::training_seed(other, 100000 + i))
                                    .losses;
                              },
                              options.switches, options.threads, device)});
  return all;
}

void say(const Report& report) {
  std::string line =
      fmt::format("step {:6}  loss {:+.4f}  {:.0f} sequences/s  held out {:+.4f}", report.step,
                  report.loss, report.sequences_per_second, report.score);
  if (report.skipped > 0) line += fmt::format("  {} steps skipped", report.skipped);
  for (const auto& s : report.scores) {
    line += fmt::format(
        "\n    {:<12} regret {:8.2f}  tuned fixed share {:8.2f}  won {:3.0f} %  "
        "beyond {:+.3f}",
        s.name, s.regret, s.tuned, 100 * s.wins, s.beyond);
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

infer::Config fresh_config(const Options& options) {
  infer::Config config;
  config.features = tokens::kFeatures;
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

void run(Options& options) {
  const auto start = std::chrono::steady_clock::now();
  if (options.threads == 0) options.threads = std::max(1U, std::thread::hardware_concurrency());
  const torch::Device device = device_of(options.device);
  options.trainer.recipe.regret = options.recipe == "oracle" ? 0 : 1;
  options.trainer.recipe.oracle = options.recipe == "regret" ? 0 : options.oracle_weight;
  WholeFile file(options.out);  // refused before the work

  std::unique_ptr<ControllerNet> net;
  if (options.init.empty()) {
    net = std::make_unique<ControllerNet>(fresh_config(options), options.trainer.seed, device);
  } else {
    const auto model = infer::read_model_file(options.init);
    infer::require_token_schema(model, tokens::schema_name(), options.init);
    net = std::make_unique<ControllerNet>(model, device);
    ControlMaps& maps = options.trainer.maps;
    for (const auto& [name, value] : model.config.controls) {
      if (name == "rho_max") maps.rho_max = value;
      if (name == "uniform") maps.uniform = value;
      if (name == "least_rate") maps.least_rate = value;
      if (name == "constant_eta") maps.constant_eta = value;
    }
  }

  std::vector<Pool> pools;
  std::vector<double> shares;
  std::vector<HeldOut> held_out;
  if (options.losses.empty()) {
    make_pools(options, device, pools, shares);
    held_out = make_held_out(options, device);
  } else {
    make_own_pool(options, device, pools, shares, held_out);
  }
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (!options.quiet) fmt::print(stderr, "sequences ready after {:.0f} s\n", seconds());

  cli::Progress progress("training", static_cast<std::size_t>(options.trainer.steps),
                         options.quiet);
  const Report last = train(
      *net, options.trainer, pools, shares, held_out,
      [&](const Report& report) {
        if (!options.quiet) say(report);
      },
      [&] { progress.advance(); });

  const TrainerOptions& t = options.trainer;
  const ordered_json provenance = {
      {"recipe", options.recipe},
      {"oracle_weight", t.recipe.oracle},
      {"init", options.init.empty() ? "random" : options.init},
      {"data", options.losses.empty() ? "families and prior" : options.losses},
      {"sequences", options.losses.empty() ? options.sequences : 0},
      {"seed", t.seed},
      {"steps", last.step},
      {"tokens_per_step", t.tokens_per_step},
      {"rate", t.rate},
      {"weight_decay", t.weight_decay},
      {"skipped_steps", last.skipped},
      {"seconds", std::round(seconds())},
      {"device", device.is_cuda() ? "cuda" : "cpu"},
      {"torch", TORCH_VERSION},
      {"held_out", scores_json(last)}};
  const auto bytes =
      infer::model_bytes(net->model(tokens::schema_name(), {{"provenance", provenance.dump()}}));
  file.write(bytes.data(), bytes.size());
  file.commit();
  fmt::print("{}\n", provenance.dump(1));
}

void declare(CLI::App& app, Options& options) {
  TrainerOptions& t = options.trainer;
  app.add_option("--out", options.out, "Model file to write (.safetensors)")->required();
  app.add_option("--recipe", options.recipe,
                 "regret: through the recursion; oracle: towards the oracle's path; both")
      ->check(CLI::IsMember({"regret", "oracle", "both"}))
      ->capture_default_str();
  app.add_option("--oracle-weight", options.oracle_weight, "Of the oracle's part")
      ->capture_default_str();
  app.add_option("--switch-weight", t.recipe.switch_weight, "Of restarts in the oracle's part")
      ->capture_default_str();
  app.add_option("--init", options.init, "Go on from this model's weights");
  app.add_option("--losses", options.losses,
                 "Train on this T x K loss matrix (.npy) instead of made-up sequences");
  app.add_option("--window", options.window, "Rounds of a piece of it")->capture_default_str();
  app.add_option("--steps", t.steps, "Training steps")->capture_default_str();
  app.add_option("--minutes", t.minutes, "Be done within; the schedule follows the clock")
      ->check(CLI::PositiveNumber);
  app.add_option("--sequences", options.sequences, "Made-up sequences")->capture_default_str();
  app.add_option("--families", options.families, "Share of them that are of the seven families")
      ->capture_default_str();
  app.add_option("--held-out", options.held_out, "Held-out sequences of each kind")
      ->capture_default_str();
  app.add_option("--switches", options.switches, "Switches of the oracle")->capture_default_str();
  app.add_option("--tokens-per-step", t.tokens_per_step, "Sequences x rounds x experts of a step")
      ->capture_default_str();
  app.add_option("--rate", t.rate, "Highest learning rate")->capture_default_str();
  app.add_option("--warm-up", t.warm_up, "Steps until it is reached")->capture_default_str();
  app.add_option("--weight-decay", t.weight_decay, "Weight decay")->capture_default_str();
  app.add_option("--clip", t.clip, "Largest norm of a gradient")->capture_default_str();
  app.add_option("--seed", t.seed, "Seed of sequences, weights and batches")->capture_default_str();
  app.add_option("--check-every", t.check_every, "Steps between held-out scores")
      ->capture_default_str();
  app.add_option("--patience", t.patience,
                 "Checks without a better score before stopping; 0: never")
      ->capture_default_str();
  app.add_option("--checkpoint", t.checkpoint,
                 "File to continue from if it exists, and to write at every check");
  app.add_option("--freeze", t.frozen, "Leave tensors whose name contains this as they are")
      ->delimiter(',');
  app.add_option("--rho-max", t.maps.rho_max, "Largest restart")->capture_default_str();
  app.add_option("--eta", t.maps.constant_eta,
                 "Constant learning rate of the recursion; 0: learned")
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
  app.add_option("--threads", options.threads, "Threads that make sequences; 0: one on each core")
      ->capture_default_str();
  app.add_flag("--quiet", options.quiet, "No progress");
}

}  // namespace

}  // namespace pcgs::train

int main(int argc, char** argv) {
  CLI::App app("pcgs-train trains the controller of the share recursion.");
  pcgs::train::Options options;
  pcgs::train::declare(app, options);
  try {
    app.parse(argc, argv);
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
