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

// For a certificate: records of the methods of the share form that the trace file has, and what
// others have proved about their forecasts.
class RecordObserver final : public compare::Observer, private TraceSink {
 public:
  explicit RecordObserver(const compare::Problem& problem)
      : words_{problem.experts,
               problem.has_forecasts() ? std::string(problem.task.name()) : std::string()} {}

  TraceSink* begin(const compare::MethodResult& method, const Aggregator& player,
                   const compare::Hindsight& /*hindsight*/) override {
    player_ = &player;
    name_ = method.name;
    if (!method.chosen.empty() || player.method().share() == nullptr) return nullptr;
    records_.emplace_back(method.name, ShareRecord(player.experts()));
    return this;
  }
  void end() override {
    const ForecastCertificate* proved = player_->forecast_certificate();
    if (proved != nullptr) published_.push_back(published(name_, *proved, words_));
  }

  CertificateFile certificate(const std::vector<std::size_t>& switches) const {
    CertificateFile file = certificate_of(records_, switches, words_);
    file.published = published_;
    return file;
  }

 private:
  void record(const TraceRow& row) override { records_.back().second.add(row); }

  ClaimWords words_;
  const Aggregator* player_ = nullptr;
  std::string name_;
  std::vector<NamedRecord> records_;
  std::vector<CertificateFile::Published> published_;
};

}  // namespace pcgs::results
