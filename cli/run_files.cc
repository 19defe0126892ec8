#include "run_files.h"

#include <filesystem>

namespace pcgs::cli {

RunFiles::RunFiles(const RunOptions& options, bool with_forecasts, bool with_intervals)
    : page(options.report) {
  if (!options.out.empty()) {
    std::error_code failed;  // then the files cannot be written either, and say so
    std::filesystem::create_directories(options.out, failed);
    results.emplace(options.results_file());
    if (with_forecasts) forecasts.emplace(options.forecasts_file());
    if (with_intervals) intervals.emplace(options.intervals_file());
  }
  if (!options.certificate.empty()) certificate.emplace(options.certificate);
  if (!options.state.save.empty()) state.emplace(options.state.save);
}

void RunFiles::commit() {
  for (auto* file : {&certificate, &results, &forecasts, &intervals, &state}) {
    if (*file) (*file)->commit();
  }
  if (page) page.commit();
}

RunObservers::RunObservers(const RunOptions& options, const compare::Problem& problem,
                           std::size_t methods)
    : options_(options), records_(problem) {
  if (!options.trace.empty()) {
    trace_.emplace(options.trace, problem.experts);
    observers_.push_back(&traced_.emplace(*trace_));
  }
  if (!options.certificate.empty()) observers_.push_back(&records_);
  if (!options.report.empty()) {
    observers_.push_back(&depth_.emplace(problem));
    stretches_ = report::stretches_for(methods);
  }
}

std::string RunObservers::write(RunFiles& files, const compare::Problem& problem,
                                const compare::Comparison& comparison,
                                const results::RunResult& result) {
  std::string proved;
  if (files.certificate) {
    const auto certificate = records_.certificate(options_.switches);
    files.certificate->write(to_json(certificate, 1) + "\n");
    proved = results::sentences(certificate);
  }
  if (files.page) {
    files.page.write(report::run_page(problem, comparison, result, depth_->take()));
  }
  return proved;
}

void RunObservers::commit() {
  if (trace_) trace_->commit();
}

}  // namespace pcgs::cli
