#include "proof/trace_file.h"

#include <fmt/format.h>

#include "data/csv.h"

namespace pcgs {

namespace {

class CsvSink final : public TraceSink {
 public:
  CsvSink(WholeFile& file, std::string_view method) : file_(file), method_(csv_field(method)) {}

  void record(const TraceRow& row) override {
    line_.clear();
    const auto out = fmt::appender(line_);
    // "{}" prints the shortest digits that read back to the same double.
    const Round& round = row.round;
    fmt::format_to(out, "{},{},{},{}", method_, round.number, round.mixture_loss,
                   round.learner_loss);
    if (row.step != nullptr) {
      fmt::format_to(out, ",{},{},{},{}", row.step->controls.eta, row.step->controls.rho,
                     row.step->mix_loss, row.step->gap);
    } else {
      fmt::format_to(out, ",,,,");
    }
    fmt::format_to(out, ",{},", round.scale);
    if (row.has_forecast()) fmt::format_to(out, "{}", row.forecast_loss);
    for (const double w : row.played) fmt::format_to(out, ",{}", w);
    for (std::size_t k = 0; k < round.losses.size(); ++k) {
      if (round.is_awake(k)) {
        fmt::format_to(out, ",{}", round.losses[k]);
      } else {
        line_.push_back(',');
      }
    }
    const double uniform = 1.0 / static_cast<double>(row.played.size());
    for (std::size_t k = 0; k < row.played.size(); ++k) {
      if (row.step == nullptr) {
        line_.push_back(',');
      } else {
        const auto q = row.step->controls.q;
        fmt::format_to(out, ",{}", q.empty() ? uniform : q[k]);
      }
    }
    line_.push_back('\n');
    file_.write(line_.data(), line_.size());
  }

 private:
  WholeFile& file_;
  fmt::memory_buffer line_;
  std::string method_;
};

}  // namespace

TraceFile::TraceFile(WholeFile& file, std::span<const std::string> experts) : file_(file) {
  std::string header =
      "method,round,mixture_loss,learner_loss,eta,rho,mix_loss,gap,scale,forecast_loss";
  for (const char* what : {"weight:", "loss:", "q:"}) {
    for (const auto& name : experts) header += ',' + csv_field(what + name);
  }
  file_.write(header + '\n');
}

std::unique_ptr<TraceSink> TraceFile::sink(std::string_view method) {
  return std::make_unique<CsvSink>(file_, method);
}

}  // namespace pcgs
