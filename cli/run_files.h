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
#include "show/report.h"
#include "show/run_result.h"

namespace pcgs::cli {

// What --out, --trace, --save, --certificate and --report ask for; none where it is not asked for.
struct RunFiles {
  explicit RunFiles(const RunOptions& options);

  OutputSet set;
  WholeFile *results = nullptr, *forecasts = nullptr, *trace = nullptr, *certificate = nullptr,
            *state = nullptr, *page = nullptr;
};

// Who watches a run on one series: the trace, the certificate and the page.
class RunObservers {
 public:
  // Asks the request for what they need. Throws Error for a certificate that cannot be.
  RunObservers(RunOptions& options, RunFiles& files);

  // After the run: the certificate and the page. Returns what is proved, in sentences.
  std::string write(const SeriesOutcome& run, const results::RunResult& result);

 private:
  RunFiles& files_;
  std::vector<std::size_t> switches_;
  std::optional<results::TraceObserver> trace_;
  std::optional<results::RecordObserver> records_;
  std::optional<report::DepthObserver> depth_;
};

}  // namespace pcgs::cli
