#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "pcgs/error.h"

namespace pcgs::train {

namespace {

// Where nothing else is asked for. Somebody's own losses are few, and not far from what the weights
// have seen: small steps, few of them, often looked at. 14,000 rounds of 24 experts then take five
// minutes of a processor's time, less on several cores.
constexpr double kGentleRate = 3e-4;
constexpr std::int64_t kOwnSteps = 80, kOwnTokens = 8 * 600 * 24, kOwnWarmUp = 10,
                       kOwnCheckEvery = 10, kOwnPatience = 4;

const CLI::Range kFromOne(1.0, 1e9, "a number from 1");
const CLI::Range kFromZero(0.0, 1e9, "a number from 0");
const CLI::Range kPart(0.0, 1.0, "a number in [0, 1]");

void declare_files(CLI::App& app, Options& options) {
  app.option_defaults()->group("Files");
  TrainerOptions& t = options.trainer;
  app.add_option("--out", options.out, "Model file to write (.safetensors)")->required();
  app.add_option("--report", options.report,
                 "HTML page with the loss, the held-out scores and the options, at the end");
  app.add_option("--record", options.record, "The same as JSON, which pcgs report makes a page of");
  app.add_option("--init", options.init, "Go on from this model's weights");
  app.add_option("--checkpoint", t.checkpoint,
                 "File to continue from if it exists, and to write at every check");
  app.add_option("--snapshots", options.snapshots,
                 "Folder that is there, for the weights of every check: step-N.safetensors");
}

void declare_recipe(CLI::App& app, Options& options) {
  app.option_defaults()->group("What is trained");
  TrainerOptions& t = options.trainer;
  app.add_option("--recipe", options.recipe,
                 "regret: through the recursion; oracle: towards the oracle's path; both; combine: "
                 "the squared error of the combined forecast, for pcgs-tf:combine")
      ->check(CLI::IsMember({"regret", "oracle", "both", "combine"}))
      ->capture_default_str();
  app.add_option("--oracle-weight", options.oracle_weight, "Of the oracle's part")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--switch-weight", t.recipe.switch_weight, "Of restarts in the oracle's part")
      ->check(kFromZero)
      ->capture_default_str();
  app.add_option("--caution", t.recipe.caution,
                 "Sequences on which tuned Fixed Share is better count so much more")
      ->check(kFromZero)
      ->capture_default_str();
  app.add_option("--freeze", t.frozen, "Leave tensors whose name contains this as they are")
      ->delimiter(',');
}

void declare_own_losses(CLI::App& app, Options& options) {
  app.option_defaults()->group("Losses of your own");
  app.add_option(
      "--losses", options.losses,
      "Train on these losses in [0, 1] (CSV or .npy, a row for each round) instead of made-up "
      "sequences; the last fifth is held out");
  app.add_option(
         "--side", options.side,
         "Side information of its rounds (CSV or .npy); pcgs run then needs it too. A model "
         "given with --init learns to use what it does not know yet")
      ->needs("--losses");
  app.add_option("--window", options.window, "Rounds of a piece of it")
      ->needs("--losses")
      ->check(CLI::Range(50.0, 1e9, "a number from 50"))
      ->capture_default_str();
}

void declare_made_up(CLI::App& app, Options& options) {
  app.option_defaults()->group("Made-up sequences");
  app.add_option("--sequences", options.sequences, "Made-up sequences")
      ->excludes("--losses")
      ->check(kFromOne)
      ->capture_default_str();
  app.add_option("--renew", options.renew,
                 "Steps after which others take their place, made meanwhile; 0: never")
      ->excludes("--losses")
      ->check(kFromZero)
      ->capture_default_str();
  app.add_option("--families", options.families,
                 "Share of the mixed ones, two thirds of all, that are of the seven families")
      ->excludes("--losses")
      ->check(kPart)
      ->capture_default_str();
  app.add_option(
         "--favour", options.favoured,
         "Give a family this share of the sequences and steps, beside all the others; may be "
         "repeated")
      ->type_name("FAMILY SHARE")
      ->excludes("--losses");
  app.add_option("--family", options.family, "Train on this family of losses alone")
      ->excludes("--losses")
      ->excludes("--families")
      ->excludes("--favour");
}

void declare_judgement(CLI::App& app, Options& options) {
  app.option_defaults()->group("How it is judged");
  TrainerOptions& t = options.trainer;
  app.add_option("--held-out", options.held_out,
                 "Held-out sequences of each kind, which decide what is kept")
      ->excludes("--losses")
      ->check(kFromOne)
      ->capture_default_str();
  app.add_option("--switches", options.switches, "Switches of the oracle")
      ->check(kFromZero)
      ->capture_default_str();
  app.add_option("--check-every", t.check_every,
                 fmt::format("Steps between held-out scores; {} with --losses", kOwnCheckEvery))
      ->check(kFromOne)
      ->capture_default_str();
  app.add_option("--patience", t.patience,
                 fmt::format("Checks without a better score before stopping, 0: never; {} with "
                             "--losses",
                             kOwnPatience))
      ->check(kFromZero)
      ->capture_default_str();
}

void declare_schedule(CLI::App& app, Options& options) {
  app.option_defaults()->group("How long and how fast");
  TrainerOptions& t = options.trainer;
  app.add_option("--steps", t.steps, fmt::format("Training steps; {} with --losses", kOwnSteps))
      ->check(kFromOne)
      ->capture_default_str();
  app.add_option("--minutes", t.minutes, "Be done within; the schedule follows the clock")
      ->check(CLI::PositiveNumber);
  app.add_option(
         "--tokens-per-step", t.tokens_per_step,
         fmt::format("Sequences x rounds x experts of a step; {} with --losses", kOwnTokens))
      ->check(kFromOne)
      ->capture_default_str();
  app.add_option("--rate", t.rate,
                 fmt::format("Highest learning rate; {} with --init", kGentleRate))
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--warm-up", t.warm_up,
                 fmt::format("Steps until it is reached; {} with --losses", kOwnWarmUp))
      ->check(kFromZero)
      ->capture_default_str();
  app.add_option("--weight-decay", t.weight_decay, "Weight decay")
      ->check(kFromZero)
      ->capture_default_str();
  app.add_option("--clip", t.clip, "Largest norm of a gradient")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", t.seed, "Seed of sequences, weights and batches")->capture_default_str();
}

void declare_controls(CLI::App& app, Options& options) {
  app.option_defaults()->group("What the controller may choose");
  TrainerOptions& t = options.trainer;
  app.add_option("--rho-max", t.maps.rho_max, "Largest restart")
      ->check(CLI::Range(0.001, 0.999, "a number in [0.001, 0.999]"))
      ->capture_default_str();
  app.add_option(
         "--eta", t.maps.constant_eta,
         fmt::format("Constant learning rate of the recursion, 0: learned; as it is in the model "
                     "with --init; {} with --recipe oracle, which teaches none",
                     kPaperEta))
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
}

void declare_network(CLI::App& app, Options& options) {
  app.option_defaults()->group("The network");
  app.add_option("--width", options.width, "Width of the network")->capture_default_str();
  app.add_option("--layers", options.layers, "Layers")->capture_default_str();
  app.add_option("--heads", options.heads, "Attention heads")->capture_default_str();
  app.add_option("--hidden", options.hidden, "Hidden width of a layer")->capture_default_str();
  app.add_option("--attention", options.attention,
                 "full, induced or none; with --init, what a model without attention is given")
      ->check(CLI::IsMember({"full", "induced", "none"}))
      ->capture_default_str();
  app.add_option("--inducing", options.inducing, "Learned queries of induced attention")
      ->capture_default_str();
  app.add_option(
         "--memory", options.memory,
         "Channels that each layer of an expert remembers; with --init, what a model is given "
         "that remembers fewer or none")
      ->capture_default_str();
}

void declare_machine(CLI::App& app, Options& options) {
  app.option_defaults()->group("The machine");
  TrainerOptions& t = options.trainer;
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
      ->check(kFromZero)
      ->capture_default_str();
  app.add_option("--rendezvous", options.rendezvous,
                 "File where they meet: on a disk that all see, and not there yet");
  app.add_flag("--quiet", options.quiet, "No progress");
}

constexpr const char* kFooter =
    "held out -0.45 in what is printed is the score on sequences that are not trained on: the loss "
    "beyond that of the Fixed Share that is best for each of them. 0 is as good, -1 saves about a "
    "tenth of what that one has to lose, less is better; the weights with the least are kept. With "
    "--recipe combine it is ln(squared error / that of the best of four without a network).\n\n"
    "Examples:\n  pcgs-train --init models/regret.safetensors --losses past.csv --out "
    "mine.safetensors --report page.html\n  pcgs run losses.csv --model mine.safetensors\n\n"
    "docs/training.md says when to use what.";

}  // namespace

void declare(CLI::App& app, Options& options) {
  declare_files(app, options);
  declare_recipe(app, options);
  declare_own_losses(app, options);
  declare_made_up(app, options);
  declare_judgement(app, options);
  declare_schedule(app, options);
  declare_controls(app, options);
  declare_network(app, options);
  declare_machine(app, options);
  // A model brings these with it.
  for (const char* fixed : {"--rho-max", "--rho", "--uniform", "--uniform-q", "--width", "--layers",
                            "--heads", "--hidden"}) {
    app.get_option("--init")->excludes(app.get_option(fixed));
  }
  app.footer(kFooter);
}

namespace {

void refuse_contradictions(const Options& options) {
  if (options.rank >= options.processes) {
    throw Error(fmt::format("--rank {} is not below --processes {}; ranks count from 0",
                            options.rank, options.processes));
  }
  if (options.combines() && !options.losses.empty()) {
    throw Error(
        "--recipe combine needs errors with their sign, which losses do not have; leave "
        "--losses out");
  }
  if (options.combines() && !options.family.empty()) {
    throw Error("families are of losses, and --recipe combine needs errors; leave --family out");
  }
  if (options.combines() && !options.favoured.empty()) {
    throw Error("families are of losses, and --recipe combine needs errors; leave --favour out");
  }
  double favoured = 0;
  for (const auto& [family, share] : options.favoured) {
    if (!(share > 0))
      throw Error(fmt::format("--favour {} {}: the share must be above 0", family, share));
    favoured += share;
  }
  if (favoured >= 1) {
    throw Error(fmt::format(
        "--favour: shares add up to {}, which leaves nothing for the others; give less than 1, or "
        "--family for one family alone",
        favoured));
  }
  if (options.processes > 1 && options.rendezvous.empty()) {
    throw Error("several processes need a --rendezvous: a file that is not there yet");
  }
}

// The oracle's path says who is next and when to switch, and nothing about eta: what nothing trains
// must not be played.
void choose_what_the_oracle_cannot_teach(Options& options) {
  TrainerOptions& t = options.trainer;
  if (options.recipe != "oracle") return;
  if (t.recipe.switch_weight == 0 && t.maps.constant_rho == 0 && options.init.empty()) {
    throw Error("--switch-weight 0 leaves nothing that trains restarts; give --rho too");
  }
  if (options.eta_given && t.maps.constant_eta == 0) {
    throw Error(fmt::format(
        "--recipe oracle trains no eta: the oracle's path says nothing about it; give --eta {} or "
        "--recipe both",
        kPaperEta));
  }
  if (!options.eta_given && options.init.empty()) t.maps.constant_eta = kPaperEta;
}

}  // namespace

std::string Options::favoured_in_words() const {
  std::string all;
  for (const auto& [family_name, share] : favoured) {
    all += fmt::format("{}{} {}", all.empty() ? "" : ", ", family_name, share);
  }
  return all;
}

void choose_defaults(const CLI::App& app, Options& options) {
  TrainerOptions& t = options.trainer;
  const auto unless_given = [&](const char* name, auto& option, auto value) {
    if (app.count(name) == 0) option = value;
  };
  options.eta_given = app.count("--eta") > 0;
  options.attention_given = app.count("--attention") > 0;
  options.memory_given = app.count("--memory") > 0;
  options.inducing_given = app.count("--inducing") > 0;
  if (!options.init.empty()) unless_given("--rate", t.rate, kGentleRate);
  if (!options.losses.empty()) {
    unless_given("--steps", t.steps, kOwnSteps);
    unless_given("--tokens-per-step", t.tokens_per_step, kOwnTokens);
    unless_given("--warm-up", t.warm_up, kOwnWarmUp);
    unless_given("--check-every", t.check_every, kOwnCheckEvery);
    unless_given("--patience", t.patience, kOwnPatience);
  }
  refuse_contradictions(options);
  t.recipe.regret = options.recipe == "oracle" ? 0 : 1;
  const bool has_oracle = options.recipe == "oracle" || options.recipe == "both";
  t.recipe.oracle = has_oracle ? options.oracle_weight : 0;
  choose_what_the_oracle_cannot_teach(options);
}

}  // namespace pcgs::train
