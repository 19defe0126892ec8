// Per-round files of pcgs suite.
#include <fmt/format.h>

#include <algorithm>

#include "core/csv_field.h"
#include "core/whole_file.h"
#include "methods/hindsight.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "studies.h"

namespace pcgs::cli {

namespace {

// Collects what a method lost in each round.
class LossCurve final : public TraceSink {
 public:
  void record(const TraceRow& row) override { losses.push_back(row.mixture_loss); }
  std::vector<double> losses;
};

// What everybody lost in each round, beside the generating path and the oracle's.
std::string curves_csv(const StudyOptions& options, const suite::Sequence& sequence) {
  std::string head = "round,generating_path,oracle_path,loss:generating_path,loss:oracle_path";
  std::vector<std::vector<double>> curves;
  for (const auto& method : options.methods) {
    if (!hindsight_candidates(method).empty()) continue;
    LossCurve curve;
    suite::play(method, sequence.losses, &curve);
    head += ',' + csv_field("loss:" + method);
    curves.push_back(std::move(curve.losses));
  }
  const auto oracle = switching_path(sequence.losses, options.switches).experts;
  std::string out = head + '\n';
  for (std::size_t t = 0; t < options.rounds; ++t) {
    const auto row = sequence.losses.row(t);
    out += fmt::format("{},{},{},{},{}", t + 1, sequence.path[t] + 1, oracle[t] + 1,
                       row[sequence.path[t]], row[oracle[t]]);
    for (const auto& curve : curves) out += fmt::format(",{}", curve[t]);
    out += '\n';
  }
  return out;
}

std::vector<std::string> expert_names(const StudyOptions& options) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < options.experts; ++k) names.push_back(fmt::format("e{}", k + 1));
  return names;
}

// Of these, those that play.
std::vector<std::string> playing(const StudyOptions& options, std::vector<std::string> wanted) {
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::erase_if(wanted, [&](const std::string& method) {
    return !hindsight_candidates(method).empty() ||
           std::find(options.methods.begin(), options.methods.end(), method) ==
               options.methods.end();
  });
  return wanted;
}

}  // namespace

void write_traces(const StudyOptions& options, const std::string& folder) {
  const auto experts = expert_names(options);
  for (const auto& family : options.families) {
    const auto sequence = suite::generate(family, options.rounds, options.experts,
                                          suite::evaluation_seed(options.seed, 0));
    WholeFile curves(fmt::format("{}/{}.csv", folder, family));
    curves.write(curves_csv(options, sequence));
    curves.commit();

    // Weights and controls take much room: only of the methods that the paper compares.
    TraceFile trace(fmt::format("{}/{}-trace.csv", folder, family), experts);
    for (const auto& method :
         playing(options, {"hedge", "fixed-share", "genshare", options.featured()})) {
      const auto sink = trace.sink(method);
      suite::play(method, sequence.losses, sink.get());
    }
    trace.commit();
  }
}

std::vector<report::RunDepth> first_sequences(const StudyOptions& options) {
  constexpr std::size_t kBuckets = 100;  // seven families share a page
  std::vector<report::RunDepth> runs;
  auto shown = playing(options, {"fixed-share", "genshare", "guard", options.featured()});
  if (shown.empty()) return runs;
  // What the study is about is looked at first.
  std::stable_partition(shown.begin(), shown.end(),
                        [&](const auto& name) { return name == options.featured(); });
  for (const auto& family : options.families) {
    const auto sequence = suite::generate(family, options.rounds, options.experts,
                                          suite::evaluation_seed(options.seed, 0));
    const report::Hindsight hindsight(sequence.losses, options.switches, kBuckets);
    report::RunDepth run = describe(family, expert_names(options), hindsight);
    for (const auto& name : shown) {
      auto method = make_method(name, options.experts);
      report::DepthRecorder recorder(name, hindsight, method.get());
      suite::play(std::move(method), sequence.losses, &recorder);
      add_method(run, hindsight, recorder);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace pcgs::cli
