#include "research/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "combine/hindsight_methods.h"
#include "data/csv.h"
#include "data/output_files.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "proof/trace_file.h"
#include "research/paired.h"
#include "run/statistics.h"

namespace pcgs::studies {

suite::TournamentOptions StudyConfig::tournament(std::string family) const {
  suite::TournamentOptions one;
  one.family = std::move(family);
  one.rounds = rounds;
  one.experts = experts;
  one.sequences = sequences;
  one.switches = switches;
  one.seed = seed;
  one.methods = methods;
  one.threads = threads;
  return one;
}

suite::Sequence StudyConfig::sequence(const std::string& family, std::size_t i) const {
  return suite::generate(family, rounds, experts, suite::evaluation_seed(seed, i));
}

std::string StudyConfig::featured() const {
  for (const auto& method : methods) {
    if (!is_playable(method)) continue;
    const MethodTraits traits = method_info(method).traits;
    if (traits.learned && traits.share_form) return method;
  }
  return methods.front();
}

std::vector<std::string> StudyConfig::methods_with_restarts() const {
  std::vector<std::string> found;
  for (const auto& name : methods) {
    if (is_playable(name) && method_info(name).traits.share_form) found.push_back(name);
  }
  if (found.empty()) {
    throw Error("none of these methods has restarts to look at; add fixed-share or genshare");
  }
  return found;
}

std::vector<std::string> StudyConfig::playing(std::vector<std::string> wanted) const {
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::erase_if(wanted, [&](const std::string& method) {
    return !is_playable(method) ||
           std::find(methods.begin(), methods.end(), method) == methods.end();
  });
  return wanted;
}

std::vector<std::string> StudyConfig::expert_names() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < experts; ++k) names.push_back(fmt::format("e{}", k + 1));
  return names;
}

results::StudyConfig StudyConfig::summary() const {
  return {rounds, experts, sequences, switches, seed, methods, featured()};
}

using results::MethodPair;
using results::MethodRegret;

namespace {

// How much of the way from the tuned method to the limit a mean regret has gone: 0 at the tuned
// one, 1 at the limit. None where either is missing, or the limit is not the lower one.
std::optional<double> share_closed(const MethodRegret* tuned, const MethodRegret* limit,
                                   double mean) {
  if (tuned == nullptr || limit == nullptr) return std::nullopt;
  if (!(tuned->mean > limit->mean)) return std::nullopt;  // too few sequences to tell them apart
  return (tuned->mean - mean) / (tuned->mean - limit->mean);
}

}  // namespace

std::vector<MethodRegret> method_regrets(const suite::Tournament& tournament) {
  std::vector<MethodRegret> all;
  for (const suite::Entry& entry : tournament.entries) {
    MethodRegret one;
    one.name = entry.name;
    one.chosen_in_hindsight = entry.chosen;
    one.regret = suite::minus(entry.losses, tournament.oracle);
    const auto [mean, std] = stats::summarize(one.regret);
    one.mean = mean;
    one.std = std;
    if (!tournament.unclipped_oracle.empty()) {
      one.unclipped_regret = suite::minus(entry.unclipped_losses, tournament.unclipped_oracle);
      const auto unclipped = stats::summarize(one.unclipped_regret);
      one.unclipped = {unclipped.mean, unclipped.std};
    }
    all.push_back(std::move(one));
  }
  const MethodRegret* tuned = find_method(all, kTunedFixedShare);
  const MethodRegret* limit = find_method(all, suite::kLimitName);
  for (MethodRegret& one : all) one.share_closed = share_closed(tuned, limit, one.mean);
  return all;
}

std::vector<MethodPair> against_others(const std::vector<MethodRegret>& methods,
                                       const std::vector<std::string>& compared) {
  const stats::Bootstrap bootstrap = bootstrap_for(methods.front().regret.size());
  std::vector<MethodPair> pairs;
  for (const std::string& name : compared) {
    const MethodRegret& ours = *find_method(methods, name);
    for (const MethodRegret& other : methods) {
      if (other.name == name) continue;
      pairs.push_back(
          {name, other.name, stats::compare(ours.regret, other.regret, bootstrap), {}, {}});
    }
  }
  return pairs;
}

stats::Bootstrap bootstrap_for(std::size_t sequences) {
  constexpr std::uint64_t kSeed = 1;
  return {sequences, stats::kResamples, kSeed};
}

// Per-round files of the studies.

namespace {

// Collects what a method lost in each round.
class LossCurve final : public TraceSink {
 public:
  void record(const TraceRow& row) override { losses.push_back(row.judged().mixture_loss); }
  std::vector<double> losses;
};

// What everybody lost in each round, beside the generating path and the oracle's.
std::string curves_csv(const StudyConfig& config, const suite::Sequence& sequence) {
  std::string head = "round,generating_path,oracle_path,loss:generating_path,loss:oracle_path";
  std::vector<std::vector<double>> curves;
  for (const auto& method : config.methods) {
    if (!is_playable(method)) continue;
    LossCurve curve;
    suite::play(method, sequence.losses, &curve);
    head += ',' + csv_field("loss:" + method);
    curves.push_back(std::move(curve.losses));
  }
  const auto oracle = switching_path(sequence.losses, config.switches).experts;
  std::string out = head + '\n';
  for (std::size_t t = 0; t < config.rounds; ++t) {
    const auto row = sequence.losses.row(t);
    out += fmt::format("{},{},{},{},{}", t + 1, sequence.path[t] + 1, oracle[t] + 1,
                       row[sequence.path[t]], row[oracle[t]]);
    for (const auto& curve : curves) out += fmt::format(",{}", curve[t]);
    out += '\n';
  }
  return out;
}

}  // namespace

void write_round_files(const StudyConfig& config, const std::string& folder, OutputSet& outputs) {
  const auto experts = config.expert_names();
  for (const auto& family : config.families) {
    const auto sequence = config.sequence(family, 0);
    outputs.add(fmt::format("{}/{}.csv", folder, family)).write(curves_csv(config, sequence));

    // Weights and controls take much room: only of the methods that the paper compares.
    TraceFile trace(outputs.add(fmt::format("{}/{}-trace.csv", folder, family)), experts);
    std::vector<std::string> traced = {"hedge", "fixed-share", "genshare"};
    const auto compared = compared_methods(config.summary());
    traced.insert(traced.end(), compared.begin(), compared.end());
    for (const auto& method : config.playing(std::move(traced))) {
      const auto sink = trace.sink(method);
      suite::play(method, sequence.losses, sink.get());
    }
  }
}

std::vector<report::RunDepth> first_sequences(const StudyConfig& config) {
  constexpr std::size_t kBuckets = 100;  // seven families share a page
  std::vector<report::RunDepth> runs;
  std::vector<std::string> wanted = {"fixed-share", "genshare", "guard"};
  const auto compared = compared_methods(config.summary());
  wanted.insert(wanted.end(), compared.begin(), compared.end());
  auto shown = config.playing(std::move(wanted));
  if (shown.empty()) return runs;
  // What the study is about is looked at first.
  std::stable_partition(shown.begin(), shown.end(),
                        [&](const auto& name) { return name == config.featured(); });
  for (const auto& family : config.families) {
    const auto sequence = config.sequence(family, 0);
    const report::Hindsight hindsight(sequence.losses, config.switches, kBuckets);
    report::RunDepth run = report::describe(family, config.expert_names(), hindsight);
    for (const auto& name : shown) {
      auto method = make_method(name, config.experts);
      report::DepthRecorder recorder(name, hindsight, method.get());
      suite::play(std::move(method), sequence.losses, &recorder);
      add_method(run, hindsight, recorder);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace pcgs::studies
