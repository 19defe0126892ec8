// Reads back what TraceFile (trace_file.h) wrote, one row at a time.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv.h"
#include "pcgs/trace.h"

namespace pcgs::io {

class TraceReader {
 public:
  // Reads the header. Keeps a view: `text` must outlive the reader. Throws Error if it is not that
  // of a trace.
  TraceReader(std::string_view text, const std::string& origin);
  // Whether a file that begins like this is meant to be a trace.
  static bool looks_like_trace(std::string_view text);

  const std::vector<std::string>& experts() const { return experts_; }
  // Traces of version 0.1 lack the scale and the losses of forecasts.
  bool has_scales() const { return columns_ > 8; }

  // Moves to the next row; false after the last. Throws Error, naming the place, for what is not a
  // finite number.
  bool next();
  const std::string& method() const { return method_; }
  // Valid until next(). Its step is null where the method is not of the share form.
  const TraceRow& row() const { return row_; }
  std::string position() const { return csv_.position(); }

 private:
  double number_at(std::size_t field) const;
  void require_empty(std::size_t field) const;

  CsvReader csv_;
  std::size_t columns_;  // before those of the experts
  std::vector<std::string> experts_;
  std::string method_;
  std::vector<double> numbers_;  // weights, losses, q
  std::vector<std::uint8_t> awake_;
  ShareStep step_;
  TraceRow row_;
};

}  // namespace pcgs::io
