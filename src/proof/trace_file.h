// Writes traces as CSV; trace_reader.h reads them back.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "data/whole_file.h"
#include "pcgs/trace.h"

namespace pcgs {

// Streams CSV: method, round, mixture_loss, learner_loss, eta, rho, mix_loss, gap, scale,
// forecast_loss, then weight:NAME, loss:NAME and q:NAME for each expert. Numbers read back to the
// same bits; what a method does not have stays empty, and so does the loss of a sleeper. The file's
// owner commits it.
class TraceFile {
 public:
  TraceFile(WholeFile& file, std::span<const std::string> experts);

  // A sink whose rows carry this method name; it must not outlive the file.
  std::unique_ptr<TraceSink> sink(std::string_view method);

 private:
  WholeFile& file_;
};

}  // namespace pcgs
