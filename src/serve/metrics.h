// What Prometheus reads; all names begin with pcgs_.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <string>

#include "stream/stream_table.h"

namespace pcgs::serve {

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
  prometheus::Counter &events_, &loads_, &replayed_, &evictions_, &snapshots_;
  prometheus::Gauge &streams_, &in_memory_;
  stream::TableCounts before_;
};

}  // namespace pcgs::serve
