// What is written about the second pass of a run.
#pragma once

#include <memory>
#include <vector>

#include "compare/comparison.h"
#include "io/trace_file.h"
#include "results/certificate_file.h"

namespace pcgs::results {

// The trace file. Methods that were chosen in hindsight are left out: they cannot be played.
class TraceObserver final : public compare::Observer {
 public:
  explicit TraceObserver(TraceFile& file) : file_(file) {}
  TraceSink* begin(const compare::MethodResult& method, const Aggregator& /*player*/,
                   const compare::Hindsight& /*hindsight*/) override {
    sink_ = method.chosen.empty() ? file_.sink(method.name) : nullptr;
    return sink_.get();
  }

 private:
  TraceFile& file_;
  std::unique_ptr<TraceSink> sink_;
};

// Records of the methods of the share form that the trace file has, for a certificate.
class RecordObserver final : public compare::Observer, private TraceSink {
 public:
  TraceSink* begin(const compare::MethodResult& method, const Aggregator& player,
                   const compare::Hindsight& /*hindsight*/) override {
    if (!method.chosen.empty() || player.method().share() == nullptr) return nullptr;
    records_.emplace_back(method.name, ShareRecord(player.experts()));
    return this;
  }
  const std::vector<NamedRecord>& records() const { return records_; }

 private:
  void record(const TraceRow& row) override { records_.back().second.add(row); }

  std::vector<NamedRecord> records_;
};

}  // namespace pcgs::results
