// What studies have in common when they play: configurations, regrets and their statistics, per-round files.
#include "research/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "data/csv.h"
#include "data/output_files.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "proof/trace_file.h"
#include "research/paired.h"
#include "run/statistics.h"

namespace pcgs::studies {

using results::MethodRegret;
using results::Part;

suite::TournamentOptions StudyConfig::tournament(std::string family) const {
  return {{*this}, std::move(family), threads};
}

suite::Sequence StudyConfig::sequence(const std::string& family, std::size_t i) const {
  return suite::generate(family, rounds, experts, suite::evaluation_seed(seed, i));
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

// A study is about the learned controller if it plays, else about the first method.
results::StudyConfig StudyConfig::summary() const {
  const auto featured = std::find_if(methods.begin(), methods.end(), [](const auto& method) {
    if (!is_playable(method)) return false;
    const MethodTraits traits = method_info(method).traits;
    return traits.learned && traits.share_form;
  });
  return {{*this}, featured != methods.end() ? *featured : methods.front()};
}

StudyResult play(const results::StudyForm& form, const StudyConfig& config,
                 const io::Monitor& monitor) {
  const auto start = std::chrono::steady_clock::now();
  StudyResult study{&form, config.summary(), {}};
  form.play(config, monitor, study);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  study.timing = {spent.count(), config.threads};
  return study;
}

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

void add_regrets(const suite::Tournament& tournament, const std::vector<std::string>& compared,
                 Part& part) {
  part.oracle = tournament.oracle;
  auto& methods = part.methods;
  for (const suite::Entry& entry : tournament.entries) {
    auto& one = methods.emplace_back();
    one.name = entry.name;
    one.chosen_in_hindsight = entry.chosen;
    one.regret = suite::minus(entry.losses, tournament.oracle);
    const auto [mean, std] = stats::summarize(one.regret);
    one.mean = mean;
    one.std = std;
    if (tournament.unclipped_oracle.empty()) continue;
    one.unclipped_regret = suite::minus(entry.unclipped_losses, tournament.unclipped_oracle);
    const auto unclipped = stats::summarize(one.unclipped_regret);
    one.unclipped = {unclipped.mean, unclipped.std};
  }
  const MethodRegret* tuned = find_method(methods, kTunedFixedShare);
  const MethodRegret* limit = find_method(methods, suite::kLimitName);
  for (MethodRegret& one : methods) one.share_closed = share_closed(tuned, limit, one.mean);

  constexpr std::uint64_t kSeed = 1;  // the same resamples in every study
  const stats::Bootstrap bootstrap(part.oracle.size(), stats::kResamples, kSeed);
  for (const std::string& name : compared) {
    const MethodRegret& ours = *find_method(methods, name);
    for (const MethodRegret& other : methods) {
      if (other.name == name) continue;
      part.comparisons.push_back(
          {name, other.name, stats::compare(ours.regret, other.regret, bootstrap), {}, {}});
    }
  }
}

void play_parts(const StudyConfig& config, const io::Monitor& monitor, StudyResult& study) {
  const auto work_of = [](const Part& part) { return part.experts.value_or(1); };
  std::size_t work = 0;
  for (const Part& part : study.parts) work += work_of(part) * config.sequences;
  const io::Advance advance = monitor(study.form->kind, work);
  for (Part& part : study.parts) {
    auto tournament =
        config.tournament(part.cell ? fmt::format("heavy-tail{{df={},jump_probability={}}}",
                                                  part.cell->df, part.cell->jump_probability)
                                    : part.family);
    if (part.experts) {
      tournament.family = "switch";
      tournament.experts = *part.experts;
    }
    tournament.finished_one = [&] { advance(work_of(part)); };
    const suite::Tournament played = suite::play_tournament(tournament);
    if (!part.cell) part.generating_path = played.generating;
    const bool every_two = !part.cell && !part.experts;
    std::vector<std::string> compared = results::compared_methods(study.config);
    if (every_two) {
      compared.clear();
      for (const auto& entry : played.entries) compared.push_back(entry.name);
    }
    add_regrets(played, compared, part);
    if (every_two && !played.tuned_per_sequence.empty()) {
      const auto regret = suite::minus(played.tuned_per_sequence, played.oracle);
      part.fixed_share_tuned_per_sequence = {regret, stats::summarize(regret).mean};
    }
    for (std::size_t m = 0; part.experts && m < part.methods.size(); ++m) {
      const auto [mean, std] =
          stats::summarize(suite::minus(played.entries[m].losses, played.generating));
      part.methods[m].generating_path_regret = {mean, std};
    }
  }
}

// Per-round files of the studies.

namespace {

std::vector<std::string> expert_names(const StudyConfig& config) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < config.experts; ++k) names.push_back(fmt::format("e{}", k + 1));
  return names;
}

// Of these methods and those that the study compares, in the order of their names, those that play and
// can be played.
std::vector<std::string> playing(const StudyConfig& config, std::vector<std::string> wanted) {
  const auto compared = results::compared_methods(config.summary());
  wanted.insert(wanted.end(), compared.begin(), compared.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::erase_if(wanted, [&](const std::string& method) {
    return !is_playable(method) ||
           std::find(config.methods.begin(), config.methods.end(), method) == config.methods.end();
  });
  return wanted;
}

// Collects what a method lost in each round.
class LossCurve final : public TraceSink {
 public:
  void record(const TraceRow& row) override { losses.push_back(row.judged().mixture_loss); }
  std::vector<double> losses;
};

// What everybody lost in each round, beside the generating path and the oracle's.
std::string curves_csv(const StudyConfig& config, const suite::Sequence& sequence) {
  std::string out = "round,generating_path,oracle_path,loss:generating_path,loss:oracle_path";
  std::vector<std::vector<double>> curves;
  for (const auto& method : config.methods) {
    if (!is_playable(method)) continue;
    LossCurve curve;
    suite::play(method, sequence.losses, &curve);
    out += ',' + csv_field("loss:" + method);
    curves.push_back(std::move(curve.losses));
  }
  out += '\n';
  const auto oracle = switching_path(sequence.losses, config.switches).experts;
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
  const auto experts = expert_names(config);
  for (const auto& family : config.families) {
    const auto sequence = config.sequence(family, 0);
    outputs.add(fmt::format("{}/{}.csv", folder, family)).write(curves_csv(config, sequence));

    // Weights and controls take much room: only of the methods that the paper compares.
    TraceFile trace(outputs.add(fmt::format("{}/{}-trace.csv", folder, family)), experts);
    for (const auto& method : playing(config, {"hedge", "fixed-share", "genshare"})) {
      suite::play(method, sequence.losses, trace.sink(method).get());
    }
  }
}

std::vector<report::RunDepth> first_sequences(const StudyConfig& config) {
  constexpr std::size_t kBuckets = 100;  // seven families share a page
  std::vector<report::RunDepth> runs;
  auto shown = playing(config, {"fixed-share", "genshare", "guard"});
  if (shown.empty()) return runs;
  // What the study is about is looked at first.
  std::stable_partition(
      shown.begin(), shown.end(),
      [featured = config.summary().featured](const auto& name) { return name == featured; });
  for (const auto& family : config.families) {
    const auto sequence = config.sequence(family, 0);
    const report::Hindsight hindsight(sequence.losses, config.switches, kBuckets);
    report::RunDepth run = report::describe(family, expert_names(config), hindsight);
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
