#include "serve/metrics.h"

#include <prometheus/text_serializer.h>

namespace pcgs::serve {

namespace {

using Buckets = prometheus::Histogram::BucketBoundaries;

const Buckets kSeconds = {1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 0.1, 0.5, 1, 5};
const Buckets kRequests = {1, 2, 4, 8, 16, 32, 64, 128};

prometheus::Counter& counter(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Histogram& histogram(prometheus::Registry& registry, const char* name, const char* help,
                                 const Buckets& buckets) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, buckets);
}

void advance(prometheus::Counter& counter, std::uint64_t now, std::uint64_t before) {
  counter.Increment(static_cast<double>(now - before));
}

}  // namespace

Metrics::Metrics()
    : requests_(prometheus::BuildCounter()
                    .Name("pcgs_requests_total")
                    .Help("HTTP requests by method and status")
                    .Register(registry_)),
      request_seconds_(
          histogram(registry_, "pcgs_request_seconds", "From the request to its answer", kSeconds)),
      commit_seconds_(histogram(registry_, "pcgs_commit_seconds", "Of one synced batch", kSeconds)),
      requests_per_commit_(histogram(registry_, "pcgs_requests_per_commit",
                                     "That shared one synced batch", kRequests)),
      events_(counter(registry_, "pcgs_events_total", "Events that changed a stream")),
      rounds_(counter(registry_, "pcgs_rounds_total", "Rounds opened")),
      outcomes_(counter(registry_, "pcgs_outcomes_total", "Outcomes taken")),
      hits_(counter(registry_, "pcgs_cache_hits_total", "Streams asked for that were in memory")),
      loads_(counter(registry_, "pcgs_loads_total", "Streams read back from the store")),
      replayed_(counter(registry_, "pcgs_replayed_events_total", "Events replayed by that")),
      evictions_(counter(registry_, "pcgs_evictions_total", "Streams that left memory")),
      snapshots_(counter(registry_, "pcgs_snapshots_total", "Snapshots taken")),
      commit_bytes_(counter(registry_, "pcgs_commit_bytes_total", "Given to the store to sync")),
      streams_(gauge(registry_, "pcgs_streams", "Streams in the store")),
      in_memory_(gauge(registry_, "pcgs_streams_in_memory", "Streams in memory")),
      open_rounds_(gauge(registry_, "pcgs_open_rounds", "Rounds open in streams in memory")) {}

void Metrics::answered(const std::string& method, int status, double seconds) {
  requests_.Add({{"method", method}, {"status", std::to_string(status)}}).Increment();
  request_seconds_.Observe(seconds);
}

void Metrics::committed(std::size_t requests, double seconds, const stream::StreamTable& table) {
  const stream::TableCounts& now = table.counts();
  if (now.events != before_.events) {  // else nothing was written
    commit_seconds_.Observe(seconds);
    requests_per_commit_.Observe(static_cast<double>(requests));
  }
  advance(events_, now.events, before_.events);
  advance(rounds_, now.rounds, before_.rounds);
  advance(outcomes_, now.outcomes, before_.outcomes);
  advance(hits_, now.hits, before_.hits);
  advance(loads_, now.loads, before_.loads);
  advance(replayed_, now.replayed, before_.replayed);
  advance(evictions_, now.evictions, before_.evictions);
  advance(snapshots_, now.snapshots, before_.snapshots);
  advance(commit_bytes_, now.committed_bytes, before_.committed_bytes);
  before_ = now;
  streams_.Set(static_cast<double>(table.names().size()));
  in_memory_.Set(static_cast<double>(table.in_memory()));
  open_rounds_.Set(static_cast<double>(table.open_rounds()));
  auto worst = table.worst(kWorstStreams);
  const std::lock_guard lock(mutex_);
  worst_ = std::move(worst);
}

prometheus::MetricFamily Metrics::error_ratios() const {
  prometheus::MetricFamily out{"pcgs_stream_error_ratio",
                               "Error of the combination divided by that of equal weights, of the "
                               "worst streams in memory",
                               prometheus::MetricType::Gauge,
                               {}};
  const std::lock_guard lock(mutex_);
  for (const auto& [stream, ratio] : worst_) {
    prometheus::ClientMetric metric;
    metric.label.push_back({"stream", stream});
    metric.gauge.value = ratio;
    out.metric.push_back(std::move(metric));
  }
  return out;
}

std::string Metrics::text() const {
  auto families = registry_.Collect();
  families.push_back(error_ratios());
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace pcgs::serve
