// Everything that pcgs run writes: opened before the work, and there, whole, after it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/output_files.h"
#include "proof/trace_file.h"
#include "run/comparison.h"
#include "run_options.h"
#include "show/observers.h"
#include "show/run_page.h"

namespace pcgs::cli {

// What --out, --trace, --save, --certificate and --report ask for; none where it is not asked for.
struct RunFiles {
  RunFiles(const RunOptions& options, bool with_forecasts, bool with_intervals);

  OutputSet set;
  WholeFile *results = nullptr, *forecasts = nullptr, *intervals = nullptr, *trace = nullptr,
            *certificate = nullptr, *state = nullptr, *page = nullptr;
};

// Who watches a run on one series: the trace, the certificate and the page.
class RunObservers {
 public:
  RunObservers(const RunOptions& options, RunFiles& files, const compare::Problem& problem,
               std::size_t methods);

  const std::vector<compare::Observer*>& all() const { return observers_; }
  std::size_t stretches() const { return stretches_; }
  // After the run: the certificate and the page. Returns what is proved, in sentences.
  std::string write(const compare::Problem& problem, const compare::Comparison& comparison,
                    const results::RunResult& result);

 private:
  const RunOptions& options_;
  RunFiles& files_;
  std::optional<TraceFile> trace_;
  std::optional<results::TraceObserver> traced_;
  results::RecordObserver records_;
  std::optional<report::DepthObserver> depth_;
  std::vector<compare::Observer*> observers_;
  std::size_t stretches_ = 0;
};

}  // namespace pcgs::cli
