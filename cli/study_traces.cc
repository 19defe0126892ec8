// Per-round files of pcgs suite.
#include <fmt/format.h>

#include <algorithm>

#include "core/csv_field.h"
#include "core/whole_file.h"
#include "methods/hindsight.h"
#include "pcgs/oracle.h"
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

}  // namespace

void write_traces(const StudyOptions& options, const std::string& folder) {
  std::vector<std::string> experts;
  for (std::size_t k = 0; k < options.experts; ++k) experts.push_back(fmt::format("e{}", k + 1));
  for (const auto& family : options.families) {
    const auto sequence = suite::generate(family, options.rounds, options.experts,
                                          suite::evaluation_seed(options.seed, 0));
    WholeFile curves(fmt::format("{}/{}.csv", folder, family));
    curves.write(curves_csv(options, sequence));
    curves.commit();

    // Weights and controls take much room: only of the methods that the paper compares.
    TraceFile trace(fmt::format("{}/{}-trace.csv", folder, family), experts);
    std::vector<std::string> shown = {"hedge", "fixed-share", "genshare", options.featured()};
    std::sort(shown.begin(), shown.end());
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
    for (const auto& method : shown) {
      if (std::find(options.methods.begin(), options.methods.end(), method) ==
          options.methods.end()) {
        continue;
      }
      if (!hindsight_candidates(method).empty()) continue;
      const auto sink = trace.sink(method);
      suite::play(method, sequence.losses, sink.get());
    }
    trace.commit();
  }
}

}  // namespace pcgs::cli
