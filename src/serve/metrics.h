// What Prometheus reads; all names begin with pcgs_.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "serve/stream_table.h"

namespace pcgs::serve {

inline constexpr std::size_t kWorstStreams = 10;  // of pcgs_stream_error_ratio

// From any thread, but committed() from one only.
class Metrics {
 public:
  Metrics();
  void answered(const std::string& method, int status, double seconds);
  void committed(std::size_t requests, double seconds, const stream::StreamTable& table);
  std::string text() const;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Histogram& request_seconds_;
  prometheus::Histogram& commit_seconds_;
  prometheus::Histogram& requests_per_commit_;
  prometheus::Counter &events_, &rounds_, &outcomes_, &hits_, &loads_, &replayed_, &evictions_,
      &snapshots_, &commit_bytes_;
  prometheus::Gauge &streams_, &in_memory_, &open_rounds_;
  stream::TableCounts before_;
  // Not in the registry, where streams that are no longer among the worst would stay.
  prometheus::MetricFamily error_ratios() const;
  mutable std::mutex mutex_;
  std::vector<stream::StreamRatio> worst_;
};

}  // namespace pcgs::serve
