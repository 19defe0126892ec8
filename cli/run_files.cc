#include "run_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "combine/hindsight_methods.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "report_file.h"
#include "run/checks.h"

namespace pcgs::cli {

RunFiles::RunFiles(const RunOptions& options) {
  const auto add = [&](const std::string& path) { return path.empty() ? nullptr : &set.add(path); };
  if (!options.out.empty()) {
    set.add_folder(options.out);
    results = add(options.results_file());
    if (options.has_forecasts()) forecasts = add(options.forecasts_file());
  }
  trace = add(options.trace);
  certificate = add(options.certificate);
  state = add(options.state.save);
  page = add_page(set, options.report);
}

namespace {

// Before the work, not after it.
void check_certified(const RunOptions& options) {
  const auto methods = compare::names_from({options.request.methods, "", options.has_forecasts()});
  const auto any = [&](bool MethodTraits::*trait) {
    return std::ranges::any_of(methods, [&](const std::string& name) {
      return is_playable(name) && method_info(name).traits.*trait;
    });
  };
  const bool replayed = any(&MethodTraits::share_form);
  if (!replayed && !any(&MethodTraits::certifies_forecasts)) {
    throw Error(ErrorKind::kRequest, {.field = "certificate"},
                fmt::format("{} carries no certificate that can be written (that of guard is shown "
                            "by --json); give {} one of {}, or blend for forecasts",
                            fmt::join(methods, ","), option("methods"), share_form_names()));
  }
  if (replayed && options.trace.empty()) {
    throw Error(ErrorKind::kRequest, {.field = "certificate"},
                "--certificate goes with --trace, which it is proved from; give --trace FILE");
  }
}

}  // namespace

RunObservers::RunObservers(RunOptions& options, RunFiles& files) : files_(files) {
  Request& request = options.request;
  switches_ = request.switches;
  if (switches_.empty()) {
    switches_.assign(compare::kUsualSwitches.begin(), compare::kUsualSwitches.end());
  }
  if (files.trace != nullptr) request.observers.push_back(&trace_.emplace(*files.trace));
  if (!options.certificate.empty()) {
    if (request.quantiles.empty()) check_certified(options);
    request.observers.push_back(&records_.emplace());
  }
  const bool one = request.series.empty() && request.quantiles.empty();
  if (options.report.empty() || !one) return;
  request.observers.push_back(&depth_.emplace());
  request.switches = switches_;  // which the page has a part about
  const auto methods = compare::names_from({request.methods, "", options.has_forecasts()});
  request.stretches = report::stretches_for(methods.size());
}

std::string RunObservers::write(const SeriesOutcome& run, const results::RunResult& result) {
  std::string proved;
  if (files_.certificate != nullptr) {
    const auto certificate = records_->certificate(switches_);
    files_.certificate->write(to_json(certificate, 1) + "\n");
    proved = results::sentences(certificate);
  }
  if (files_.page != nullptr) {
    files_.page->write(
        report::run_page(run.problem, run.comparison, result, depth_->take(run.problem)));
  }
  return proved;
}

}  // namespace pcgs::cli
