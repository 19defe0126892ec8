// A record of every round: what a certificate is computed from and a picture is drawn from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/share.h"

namespace pcgs {

struct TraceRow {
  std::int64_t round = 0;
  std::span<const double> weights;  // [K] as played
  std::span<const double> losses;   // [K] bounded; a sleeper's is mixture_loss
  double mixture_loss = 0;
  double learner_loss = 0;
  const ShareStep* step = nullptr;        // null when the method is not of the share form
  std::span<const std::uint8_t> awake{};  // [K] 1 where awake; empty when everybody was

  bool is_awake(std::size_t expert) const { return awake.empty() || awake[expert] != 0; }
};

// Receives each round once, when it has been learned. Spans are valid during the call only. Must
// not throw: the round has been learned already.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void record(const TraceRow& row) = 0;
};

// Keeps everything in memory.
class Trace final : public TraceSink {
 public:
  struct Row {
    std::int64_t round = 0;
    std::vector<double> weights, losses, q;  // q empty when the method is not of the share form
    double mixture_loss = 0, learner_loss = 0;
    double eta = 0, rho = 0, mix_loss = 0, gap = 0;
  };
  void record(const TraceRow& row) override;
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

// Streams CSV: method, round, mixture_loss, learner_loss, eta, rho, mix_loss, gap, then
// weight:NAME, loss:NAME and q:NAME for each expert. Numbers read back to the same bits; what a
// method does not have stays empty, and so does the loss of a sleeper. The file appears under its
// name only when commit() succeeds, which throws if anything could not be written.
class TraceFile {
 public:
  TraceFile(std::string path, std::span<const std::string> experts);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // A sink whose rows carry this method name; it must not outlive the file.
  std::unique_ptr<TraceSink> sink(std::string_view method);
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pcgs
