// pcgs-train: trains or fine-tunes a controller for the share recursion.
#include <fmt/format.h>
#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "blas.h"
#include "controller_net.h"
#include "data/checksums.h"
#include "data/json.h"
#include "data/number_table.h"
#include "data/output_files.h"
#include "data/progress.h"
#include "data/whole_file.h"
#include "first_network.h"
#include "host_memory.h"
#include "made_sequences.h"
#include "narrator.h"
#include "network/model.h"
#include "options.h"
#include "own_losses.h"
#include "pcgs/error.h"
#include "processes.h"
#include "provenance.h"
#include "show/report.h"
#include "trainer.h"

namespace pcgs::train {

namespace {

using Clock = std::chrono::steady_clock;

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

void use_threads(Options& options) {
  if (options.threads == 0) {
    options.threads = std::max(1U, std::thread::hardware_concurrency());
  } else {
    set_threads(static_cast<int>(options.threads));
  }
}

std::string snapshot_name(const Options& options, std::int64_t step) {
  return fmt::format("{}/step-{}.safetensors", options.snapshots, step);
}

// The files of a run, of which only the first process has any; refused before the work.
struct Outputs {
  OutputSet set;
  WholeFile *model = nullptr, *page = nullptr, *record = nullptr;

  explicit Outputs(const Options& options) {
    if (options.rank > 0) return;
    finish_earlier(options);
    check_distinct(options);
    if (!options.report.empty()) report::require_available();
    model = &set.add(options.out);
    if (!options.report.empty()) page = &set.add(options.report);
    if (!options.record.empty()) record = &set.add(options.record);
    if (!options.snapshots.empty()) const WholeFile probe(snapshot_name(options, 0));
  }

 private:
  // Nothing that is read or kept may be replaced; but a model may replace the one that it began with.
  static void check_distinct(const Options& options) {
    std::set<std::string> taken;
    const auto take = [&](const std::string& name) {
      if (name.empty() || taken.insert(place_of(name)).second) return;
      throw Error(fmt::format("{}: is named twice; give each output a file of its own", name));
    };
    for (const auto* name : {&options.losses, &options.side, &options.out}) take(*name);
    if (!options.init.empty()) taken.insert(place_of(options.init));
    for (const auto* name : {&options.trainer.checkpoint, &options.report, &options.record}) {
      take(*name);
    }
  }

  // What a command that was killed while it put files in place here had begun.
  static void finish_earlier(const Options& options) {
    std::vector<std::string> folders;
    for (const auto* name : {&options.out, &options.report, &options.record}) {
      if (!name->empty()) folders.push_back(folder_of(place_of(*name)));
    }
    const Recovery recovery = recover_outputs(folders);
    for (const auto* sentences : {&recovery.left, &recovery.done}) {
      for (const auto& sentence : *sentences) fmt::print(stderr, "pcgs-train: {}\n", sentence);
    }
  }
};

OwnFile own_file(const std::string& path) {
  if (path.empty()) return {};
  return {io::read_table(path).values, path};
}

MadeSequences made_with(const Options& options) {
  MadeSequences made{options.sequences,    options.held_out, options.families,   options.switches,
                     options.trainer.seed, options.threads,  options.combines(), options.family};
  for (const auto& [family, share] : options.favoured) made.favoured.push_back({family, share});
  return made;
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
    data["favoured families"] = options.favoured_in_words();
  }
  return data;
}

struct TrainingData {
  std::optional<Supply> supply;
  std::vector<HeldOut> held_out;

  std::int64_t held_out_sequences() const {
    std::int64_t all = 0;
    for (const auto& one : held_out) all += one.pool.size();
    return all;
  }
};

TrainingData made_up_data(const Options& options, torch::Device device) {
  TrainingData data;
  const MadeSequences made = made_with(options);
  {
    io::ProgressBar progress("sequences", options.sequences, options.quiet);
    TrainingPools first = made_pools(made, 0, device, [&] { progress.advance(); });
    if (options.renew == 0) {
      data.supply.emplace(std::move(first));
    } else {
      data.supply.emplace(
          std::move(first),
          [made, device](std::int64_t set) { return made_pools(made, set, device, [] {}); },
          options.renew);
    }
  }
  data.held_out = made_held_out(made, device, io::progress_bars(options.quiet));
  return data;
}

TrainingData own_data(const Options& options, const OwnFile& losses, const OwnFile& side,
                      torch::Device device) {
  OwnLosses pieces = own_losses(losses, side, options.window, options.switches, options.threads,
                                device, io::progress_bars(options.quiet));
  TrainingPools windows;
  windows.pools.push_back(std::move(pieces.windows));
  windows.shares.push_back(1);
  TrainingData data;
  data.supply.emplace(std::move(windows));
  data.held_out.push_back(std::move(pieces.held_out));
  return data;
}

// Something was decided for the user, who should know.
void say_what_eta_is(const Options& options) {
  if (options.quiet || options.recipe != "oracle" || options.eta_given || !options.init.empty()) {
    return;
  }
  fmt::print(stderr,
             "eta is {} in every round, as in pcgs-tf:oracle, because the oracle's path cannot "
             "teach it; --eta chooses another\n",
             options.trainer.maps.constant_eta);
}

std::string bytes_of(const ControllerNet& net, const Options& options,
                     const nlohmann::ordered_json& provenance) {
  const auto bytes = infer::model_bytes(
      net.model(schema_of(options), {{"provenance", io::json_text(provenance)}}));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The weights as they are now, which need not be the best so far.
void write_snapshot(const ControllerNet& net, const Options& options, const Report& report,
                    const RunFacts& facts) {
  WholeFile file(snapshot_name(options, report.step));
  file.write(bytes_of(net, options, provenance_of(options, report, facts)));
  file.commit();
}

TrainingOutcome watched_training(ControllerNet& net, const Options& options, TrainingData& data,
                                 const RunFacts& facts) {
  const Processes processes(options.rank, options.processes, options.rendezvous);
  Narrator narrator(options.quiet, options.combines(), data.held_out_sequences());
  Watcher watcher = narrator.watcher();
  if (!options.snapshots.empty() && options.rank == 0) {
    watcher.checked = [&, tell = watcher.checked](const Report& report) {
      tell(report);
      write_snapshot(net, options, report, facts);
    };
  }
  TrainingOutcome outcome =
      train(net, options.trainer, *data.supply, data.held_out, watcher, processes);
  narrator.finish(outcome.last);
  return outcome;
}

void write(Outputs& outputs, const Options& options, const ControllerNet& net,
           TrainingOutcome outcome, const RunFacts& facts) {
  const auto provenance = provenance_of(options, outcome.last, facts);
  outputs.model->write(bytes_of(net, options, provenance));
  const auto result = training_result(options, net.config(), std::move(outcome), facts);
  if (outputs.record != nullptr) outputs.record->write(results::to_json(result, 1));
  if (outputs.page != nullptr) {
    report::Material material;
    material.results.push_back({options.out, result});
    outputs.page->write(report::page(material));
  }
  outputs.set.commit();
  fmt::print("{}\n", io::json_text(provenance, 1));
}

void run(Options& options) {
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  use_threads(options);
  const torch::Device device = device_of(options.device);
  if (device.is_cpu()) keep_freed_memory();
  options.quiet = options.quiet || options.rank > 0;  // only the first process speaks
  Outputs outputs(options);
  const OwnFile losses = own_file(options.losses), side = own_file(options.side);
  RunFacts facts{side.values.columns, 0, device.is_cuda()};
  const auto net = first_network(options, facts.side_features, device);
  choose_trained(*net, options.trainer.frozen);  // refused before the work
  say_what_eta_is(options);
  options.trainer.data = data_of(options, losses, side);
  TrainingData data = options.losses.empty() ? made_up_data(options, device)
                                             : own_data(options, losses, side, device);
  if (!options.quiet) fmt::print(stderr, "sequences ready after {:.0f} s\n", seconds());
  TrainingOutcome outcome = watched_training(*net, options, data, facts);
  if (options.rank > 0) return;
  facts.seconds = seconds() + outcome.seconds_before;
  write(outputs, options, *net, std::move(outcome), facts);
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
