#include "options.h"

#include <fmt/format.h>

namespace pcgs::train {

namespace {

// Where nothing else is asked for. Somebody's own losses are few, and not far from what the weights
// have seen: small steps, few of them, often looked at. 14,000 rounds of 24 experts then take five
// minutes of a processor's time, less on several cores.
constexpr double kGentleRate = 3e-4;
constexpr std::int64_t kOwnSteps = 80, kOwnTokens = 8 * 600 * 24, kOwnWarmUp = 10,
                       kOwnCheckEvery = 10, kOwnPatience = 4;

}  // namespace

void declare(CLI::App& app, Options& options) {
  TrainerOptions& t = options.trainer;
  const CLI::Range from_one(1.0, 1e9, "a number from 1");
  const CLI::Range from_zero(0.0, 1e9, "a number from 0");
  const CLI::Range part(0.0, 1.0, "a number in [0, 1]");
  app.add_option("--out", options.out, "Model file to write (.safetensors)")->required();
  app.add_option("--recipe", options.recipe,
                 "regret: through the recursion; oracle: towards the oracle's path; both; combine: "
                 "the squared error of the combined forecast, for pcgs-tf:combine")
      ->check(CLI::IsMember({"regret", "oracle", "both", "combine"}))
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
  app.add_option("--renew", options.renew,
                 "Steps after which others take their place, made meanwhile; 0: never")
      ->check(from_zero)
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
                 "Constant learning rate of the recursion, 0: learned; as it is in the model with "
                 "--init")
      ->check(CLI::Range(0.0, 1e4, "a number in [0, 10000]"))
      ->capture_default_str();
  app.add_option("--rho", t.maps.constant_rho, "Constant restart rate; 0: learned")
      ->check(CLI::Range(0.0, 0.999, "a number in [0, 0.999]"))
      ->capture_default_str();
  CLI::Option* uniform =
      app.add_option("--uniform", t.maps.uniform, "Share of restarts that goes to all alike")
          ->check(CLI::Range(1e-9, 1.0, "a number in [1e-9, 1]"))
          ->capture_default_str();
  app.add_flag_callback(
         "--uniform-q", [&t] { t.maps.uniform = 1; }, "All of it: where to is not learned")
      ->excludes(uniform);
  app.add_option("--width", options.width, "Width of the network")->capture_default_str();
  app.add_option("--layers", options.layers, "Layers")->capture_default_str();
  app.add_option("--heads", options.heads, "Attention heads")->capture_default_str();
  app.add_option("--hidden", options.hidden, "Hidden width of a layer")->capture_default_str();
  app.add_option("--attention", options.attention, "full, induced or none")
      ->check(CLI::IsMember({"full", "induced", "none"}))
      ->capture_default_str();
  app.add_option("--inducing", options.inducing, "Learned queries of induced attention")
      ->capture_default_str();
  app.add_option("--memory", options.memory, "Channels that each layer of an expert remembers")
      ->capture_default_str();
  app.add_option("--family", options.family, "Train on this family of losses alone")
      ->excludes("--losses");
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
  for (const char* fixed : {"--rho-max", "--rho", "--uniform", "--uniform-q", "--width", "--layers",
                            "--heads", "--hidden", "--attention", "--inducing", "--memory"}) {
    app.get_option("--init")->excludes(app.get_option(fixed));
  }
}

void choose_defaults(const CLI::App& app, Options& options) {
  TrainerOptions& t = options.trainer;
  const auto unless_given = [&](const char* name, auto& option, auto value) {
    if (app.count(name) == 0) option = value;
  };
  options.eta_given = app.count("--eta") > 0;
  if (!options.init.empty()) unless_given("--rate", t.rate, kGentleRate);
  if (!options.losses.empty()) {
    unless_given("--steps", t.steps, kOwnSteps);
    unless_given("--tokens-per-step", t.tokens_per_step, kOwnTokens);
    unless_given("--warm-up", t.warm_up, kOwnWarmUp);
    unless_given("--check-every", t.check_every, kOwnCheckEvery);
    unless_given("--patience", t.patience, kOwnPatience);
  }
}

}  // namespace pcgs::train
