// Traces as CSV files: written, read back one row at a time, and fingerprinted.
//
// Columns: method, round, mixture_loss, learner_loss, eta, rho, mix_loss, gap, scale, forecast_loss, then
// weight:NAME, loss:NAME and q:NAME for each expert. Numbers read back to the same bits; what a method
// does not have stays empty, and so does the loss of a missing expert.
#pragma once

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/checksums.h"
#include "data/csv.h"
#include "data/whole_file.h"
#include "pcgs/error.h"
#include "pcgs/trace.h"

namespace pcgs {

// The file's owner commits it.
class TraceFile {
 public:
  TraceFile(WholeFile& file, std::span<const std::string> experts);

  // A sink whose rows carry this method name; it must not outlive the file.
  std::unique_ptr<TraceSink> sink(std::string_view method);

 private:
  WholeFile& file_;
};

}  // namespace pcgs

namespace pcgs::io {

class TraceReader {
 public:
  // Reads the header. Keeps a view: `text` must outlive the reader. Throws Error if it is not that
  // of a trace.
  TraceReader(std::string_view text, const std::string& origin);
  // Whether a file that begins like this is meant to be a trace.
  static bool looks_like_trace(std::string_view text);

  const std::vector<std::string>& experts() const { return experts_; }

  // Moves to the next row; false after the last. Throws Error, naming the place, for what is not a
  // finite number.
  bool next();
  const std::string& method() const { return method_; }
  // Valid until next(). Its step is null where the method is not of the share form.
  const TraceRow& row() const { return row_; }
  ErrorPlace place() const { return {.file = origin_, .row = csv_.row(), .line = csv_.line()}; }

 private:
  [[noreturn]] void refuse(std::size_t field, std::string_view what) const;
  double number_at(std::size_t field) const;
  void require_empty(std::size_t field) const;

  std::string origin_;
  CsvReader csv_;
  std::vector<std::string> experts_;
  std::string method_;
  std::vector<double> numbers_;  // weights, losses, q
  std::vector<std::uint8_t> awake_;
  ShareStep step_;
  TraceRow row_;
};

// FNV-1a of words of 64 bits, little-endian. What differs in one word always differs.
class Fingerprint {
 public:
  void add(std::uint64_t word) {
    hash_ = fnv1a(std::bit_cast<std::array<std::uint8_t, sizeof word>>(word), hash_);
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }

  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t hash_ = Fnv1aConstants<std::uint64_t>::kStart;
};

// The fingerprint of the rows that a method has in a trace: of every cell, in order.
//
// Its words are the number of experts and then, for each row, the number of the round and the bits of
// each cell, in the order of the columns; an empty cell is the quiet NaN, which no cell holds.
class TraceFingerprint {
 public:
  explicit TraceFingerprint(std::size_t experts) { hash_.add(std::uint64_t{experts}); }

  void add(const TraceRow& row);

  std::size_t rows() const { return rows_; }
  std::string text() const { return hash_.text(); }

 private:
  std::size_t rows_ = 0;
  Fingerprint hash_;
};

}  // namespace pcgs::io
