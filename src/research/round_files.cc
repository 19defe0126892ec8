// Per-round files of the studies.
#include <fmt/format.h>

#include "combine/hindsight_methods.h"
#include "data/csv.h"
#include "data/output_files.h"
#include "pcgs/oracle.h"
#include "proof/trace_file.h"
#include "research/study.h"

namespace pcgs::studies {

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

}  // namespace pcgs::studies
