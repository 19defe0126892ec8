// What is written about a run while it is played.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proof/certificate_file.h"
#include "proof/trace_file.h"
#include "run/comparison.h"

namespace pcgs::results {

// The trace file. Methods that were chosen in hindsight are left out: they cannot be played.
class TraceObserver final : public RunObserver {
 public:
  explicit TraceObserver(WholeFile& file) : file_(file) {}
  TraceSink* begin(const Problem& problem, const MethodResult& method, const Aggregator& /*player*/,
                   const compare::Hindsight* /*hindsight*/) override {
    if (!trace_) trace_.emplace(file_, problem.experts);
    sink_ = method.chosen.empty() ? trace_->sink(method.name) : nullptr;
    return sink_.get();
  }

 private:
  WholeFile& file_;
  std::optional<TraceFile> trace_;
  std::unique_ptr<TraceSink> sink_;
};

// For a certificate: records of the methods that the trace file has, and what those that are not of the
// share form have proved about their forecasts.
class RecordObserver final : public RunObserver, private TraceSink {
 public:
  TraceSink* begin(const Problem& problem, const MethodResult& method, const Aggregator& player,
                   const compare::Hindsight* /*hindsight*/) override {
    player_ = &player;
    words_ = {problem.experts,
              problem.has_forecasts() ? std::string(problem.task.name()) : std::string()};
    if (!method.chosen.empty()) return nullptr;
    runs_.push_back({method.name, io::TraceFingerprint(player.experts()), {}});
    if (player.method().share() != nullptr) runs_.back().record.emplace(player.experts());
    return this;
  }
  void end() override {
    const ForecastCertificate* proved = player_->forecast_certificate();
    if (proved != nullptr) published_.push_back(published(runs_.back().name, *proved, words_));
  }

  CertificateFile certificate(const std::vector<std::size_t>& switches) const {
    CertificateFile file;
    file.experts = words_.experts;
    file.switches = switches;
    file.loss = words_.loss;
    for (const auto& [name, fingerprint, record] : runs_) {
      if (record) {
        file.methods.push_back(certified(name, fingerprint.text(), *record, switches, words_));
      } else {
        file.uncertified.push_back({name, fingerprint.rows(), fingerprint.text()});
      }
    }
    file.published = published_;
    return file;
  }

 private:
  struct Run {
    std::string name;
    io::TraceFingerprint fingerprint;
    std::optional<ShareRecord> record;  // of the share form
  };

  void record(const TraceRow& row) override {
    runs_.back().fingerprint.add(row);
    if (runs_.back().record) runs_.back().record->add(row);
  }

  ClaimWords words_;
  const Aggregator* player_ = nullptr;
  std::vector<Run> runs_;
  std::vector<CertificateFile::Published> published_;
};

}  // namespace pcgs::results
