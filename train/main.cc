// pcgs-train: trains or fine-tunes a controller for the share recursion.
#include <fmt/format.h>
#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "blas.h"
#include "control/transformer.h"
#include "controller_net.h"
#include "core/fnv1a.h"
#include "core/temporary.h"
#include "core/whole_file.h"
#include "infer/model_file.h"
#include "io/json_text.h"
#include "io/npy.h"
#include "io/progress.h"
#include "made_sequences.h"
#include "options.h"
#include "own_losses.h"
#include "pcgs/error.h"
#include "processes.h"
#include "side_columns.h"
#include "tokens/error_stream.h"
#include "tokens/token_stream.h"
#include "trainer.h"

namespace pcgs::train {

namespace {

using nlohmann::ordered_json;

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

void say(const Report& report) {
  std::string line =
      report.step == 0
          ? fmt::format("as given     held out {:+.4f}", report.score)
          : fmt::format("step {:6}  loss {:+.4f}  {:.{}f} sequences/s  held out {:+.4f}",
                        report.step, report.loss, report.sequences_per_second,
                        report.sequences_per_second < 100 ? 1 : 0, report.score);
  if (report.skipped > 0) line += fmt::format("  {} steps skipped", report.skipped);
  for (const auto& s : report.scores) {
    if (s.combines) {
      line += fmt::format("\n    {:<12} error {:.4f} of the best candidate's  won {:3.0f} %",
                          s.name, std::exp(s.beyond / 2), 100 * s.wins);
      continue;
    }
    line +=
        fmt::format("\n    {:<12} regret {:8.2f}  fixed-share* {:8.2f}", s.name, s.regret, s.tuned);
    if (s.tuned > 0) line += fmt::format("  ({:+.1f} %)", 100 * (s.regret / s.tuned - 1));
    if (s.has_limit) {
      line += fmt::format("  limit {:.2f} closed {:.1f} %", s.limit,
                          100 * (s.tuned - s.regret) / (s.tuned - s.limit));
    }
    line += fmt::format("  won {:3.0f} %  beyond {:+.3f}", 100 * s.wins, s.beyond);
  }
  fmt::print(stderr, "{}\n", line);
}

ordered_json scores_json(const Report& report) {
  ordered_json out = ordered_json::object();
  for (const auto& s : report.scores) {
    if (s.combines) {
      out[s.name] = {{"error_to_best_candidate", std::exp(s.beyond / 2)}, {"won", s.wins}};
    } else {
      out[s.name] = {{"regret", s.regret}, {"tuned_fixed_share", s.tuned}, {"won", s.wins}};
    }
  }
  return out;
}

std::string schema_of(const Options& options) {
  return options.combines() ? tokens::ErrorStream::schema_name()
                            : tokens::TokenStream::schema_name();
}

infer::Config fresh_config(const Options& options, std::size_t side_features) {
  infer::Config config;
  const bool errors = options.combines();
  config.features =
      errors ? tokens::ErrorStream::kExpertFeatures : tokens::TokenStream::kExpertFeatures;
  config.shared =
      errors ? tokens::ErrorStream::kSharedFeatures : tokens::TokenStream::kSharedFeatures;
  config.side = side_features;
  config.width = options.width;
  config.layers = options.layers;
  config.heads = options.heads;
  config.hidden = options.hidden;
  config.attention = options.attention == "none"   ? infer::AttentionKind::kNone
                     : options.attention == "full" ? infer::AttentionKind::kFull
                                                   : infer::AttentionKind::kInduced;
  config.inducing = config.attention == infer::AttentionKind::kInduced ? options.inducing : 0;
  config.memory = options.memory;
  config.pool_hidden = options.pool_hidden;
  config.controls = constants_of(options.trainer.maps);
  if (const auto problem = infer::problem_with(config); !problem.empty()) throw Error(problem);
  return config;
}

// Restarts that follow the anchor closely, and small rates: a good combination to begin with.
void start_near_anchor(ControllerNet& net) {
  torch::NoGradGuard no_gradients;
  net.tensors().at("pool.down.bias").copy_(torch::tensor({1.0f, -3.0f}));
}

infer::Model given_model(Options& options, std::size_t side_features) {
  infer::Model model = infer::read_model_file(options.init);
  const TransformerModel usable(model, options.init);  // or an Error says why not
  if (usable.combines() != options.combines()) {
    throw Error(fmt::format("{} {} forecasts; go on from it with --recipe {}", options.init,
                            usable.combines() ? "combines" : "does not combine",
                            usable.combines() ? "combine" : "regret"));
  }
  if (usable.side() > side_features) {
    throw Error(
        fmt::format("{} takes {} number{} of side information in every round, and here are "
                    "{}; give a --side with at least as many columns",
                    options.init, usable.side(), usable.side() == 1 ? "" : "s", side_features));
  }
  add_side_columns(model, side_features);
  if (const auto problem = infer::problem_with(model); !problem.empty()) throw Error(problem);
  // A constant rate may take the place of one that the model has learned, or the other way round.
  const double eta = options.trainer.maps.constant_eta;
  options.trainer.maps = usable.maps();
  if (options.eta_given) {
    options.trainer.maps.constant_eta = eta;
    model.config.controls = constants_of(options.trainer.maps);
  }
  return model;
}

OwnFile own_file(const std::string& path) {
  if (path.empty()) return {};
  return {io::read_npy(read_whole_file(path), path), path};
}

MadeSequences made_with(const Options& options) {
  return {options.sequences,    options.held_out, options.families,   options.switches,
          options.trainer.seed, options.threads,  options.combines(), options.family};
}

// Tells apart what checkpoints must not take for one another.
Belonging data_of(const Options& options, const OwnFile& losses, const OwnFile& side) {
  const auto contents = [](const auto& values) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
    return fmt::format(
        "{:016x}", fnv1a<std::uint64_t>(std::span(bytes, values.size() * sizeof values.front())));
  };
  Belonging data = {{"token schema", schema_of(options)},
                    {"number of switches", fmt::format("{}", options.switches)}};
  if (!options.init.empty()) data["model to start from"] = contents(read_whole_file(options.init));
  if (losses.values.rows > 0) {
    data["file of losses"] = contents(losses.values.values);
    data["window"] = fmt::format("{}", options.window);
    if (side.values.rows > 0) data["file of side information"] = contents(side.values.values);
  } else {
    data["number of sequences"] = fmt::format("{}", options.sequences);
    data["number of held-out sequences"] = fmt::format("{}", options.held_out);
    data["plan of pools"] = plan_of_pools(options.combines());
    data["rhythm of new sequences"] = fmt::format("{}", options.renew);
    data["family"] = options.family;
    data["share of families"] = fmt::format("{}", options.families);
  }
  return data;
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
  if (options.combines() && !options.losses.empty()) {
    throw Error(
        "--recipe combine needs errors with their sign, which losses do not have; leave "
        "--losses out");
  }
  if (options.combines() && !options.family.empty()) {
    throw Error("families are of losses, and --recipe combine needs errors; leave --family out");
  }
  if (options.processes > 1 && options.rendezvous.empty()) {
    throw Error("several processes need a --rendezvous: a file that is not there yet");
  }
  const torch::Device device = device_of(options.device);
  options.trainer.recipe.regret = options.recipe == "oracle" ? 0 : 1;
  const bool has_oracle = options.recipe == "oracle" || options.recipe == "both";
  options.trainer.recipe.oracle = has_oracle ? options.oracle_weight : 0;
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
  if (options.combines() && options.init.empty()) start_near_anchor(*net);
  choose_trained(*net, options.trainer.frozen);  // refused before the work
  options.trainer.data = data_of(options, own, side);
  std::optional<Supply> supply;
  std::vector<HeldOut> held_out;
  if (options.losses.empty()) {
    io::ProgressBar progress("sequences", options.sequences, options.quiet);
    TrainingPools first_set =
        made_pools(made_with(options), 0, device, [&] { progress.advance(); });
    if (options.renew == 0) {
      supply.emplace(std::move(first_set));
    } else {
      supply.emplace(
          std::move(first_set),
          [&, made = made_with(options)](std::int64_t set) {
            return made_pools(made, set, device, [] {});
          },
          options.renew);
    }
    held_out = made_held_out(made_with(options), device);
  } else {
    OwnLosses pieces =
        own_losses(own, side, options.window, options.switches, options.threads, device);
    TrainingPools windows;
    windows.pools.push_back(std::move(pieces.windows));
    windows.shares.push_back(1);
    supply.emplace(std::move(windows));
    held_out.push_back(std::move(pieces.held_out));
  }
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (!options.quiet) fmt::print(stderr, "sequences ready after {:.0f} s\n", seconds());

  const Processes processes(options.rank, options.processes, options.rendezvous);
  io::ProgressBar progress("training", static_cast<std::size_t>(options.trainer.steps),
                           options.quiet);
  const Report last = train(
      *net, options.trainer, *supply, held_out,
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
      {"data", options.combines()       ? "made-up errors and forecasters of made-up series"
               : options.losses.empty() ? "families, prior and forecasters of made-up series"
                                        : options.losses},
      {"side", options.side},
      {"side_features", side_features},
      {"sequences", options.losses.empty() ? options.sequences : 0},
      {"family", options.family},
      {"renew", options.losses.empty() ? options.renew : 0},
      {"families", options.losses.empty() && !options.combines() ? options.families : 0},
      {"window", options.losses.empty() ? 0 : options.window},
      {"switches", options.switches},
      {"tokens", schema_of(options)},
      {"maps", constants_of(t.maps)},
      {"freeze", t.frozen},
      {"bfloat16", t.narrow},
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
      net->model(schema_of(options), {{"provenance", io::json_text(provenance)}}));
  file->write(bytes.data(), bytes.size());
  file->commit();
  fmt::print("{}\n", io::json_text(provenance, 1));
}

}  // namespace

}  // namespace pcgs::train

int main(int argc, char** argv) {
  pcgs::remove_temporaries_on_signals();
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
