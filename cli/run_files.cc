#include "run_files.h"

#include "report_file.h"

namespace pcgs::cli {

RunFiles::RunFiles(const RunOptions& options, bool with_forecasts, bool with_intervals) {
  const auto add = [&](const std::string& path) { return path.empty() ? nullptr : &set.add(path); };
  if (!options.out.empty()) {
    set.add_folder(options.out);
    results = add(options.results_file());
    if (with_forecasts) forecasts = add(options.forecasts_file());
    if (with_intervals) intervals = add(options.intervals_file());
  }
  trace = add(options.trace);
  certificate = add(options.certificate);
  state = add(options.state.save);
  page = add_page(set, options.report);
}

RunObservers::RunObservers(const RunOptions& options, RunFiles& files,
                           const compare::Problem& problem, std::size_t methods)
    : options_(options), files_(files), records_(problem) {
  if (files.trace != nullptr) {
    trace_.emplace(*files.trace, problem.experts);
    observers_.push_back(&traced_.emplace(*trace_));
  }
  if (!options.certificate.empty()) observers_.push_back(&records_);
  if (!options.report.empty()) {
    observers_.push_back(&depth_.emplace(problem));
    stretches_ = report::stretches_for(methods);
  }
}

std::string RunObservers::write(const compare::Problem& problem,
                                const compare::Comparison& comparison,
                                const results::RunResult& result) {
  std::string proved;
  if (files_.certificate != nullptr) {
    const auto certificate = records_.certificate(options_.switches);
    files_.certificate->write(to_json(certificate, 1) + "\n");
    proved = results::sentences(certificate);
  }
  if (files_.page != nullptr) {
    files_.page->write(report::run_page(problem, comparison, result, depth_->take()));
  }
  return proved;
}

}  // namespace pcgs::cli
