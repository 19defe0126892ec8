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
      loads_(counter(registry_, "pcgs_loads_total", "Streams read back from the store")),
      replayed_(counter(registry_, "pcgs_replayed_events_total", "Events replayed by that")),
      evictions_(counter(registry_, "pcgs_evictions_total", "Streams that left memory")),
      snapshots_(counter(registry_, "pcgs_snapshots_total", "Snapshots taken")),
      streams_(gauge(registry_, "pcgs_streams", "Streams in the store")),
      in_memory_(gauge(registry_, "pcgs_streams_in_memory", "Streams in memory")) {}

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
  advance(loads_, now.loads, before_.loads);
  advance(replayed_, now.replayed, before_.replayed);
  advance(evictions_, now.evictions, before_.evictions);
  advance(snapshots_, now.snapshots, before_.snapshots);
  before_ = now;
  streams_.Set(static_cast<double>(table.names().size()));
  in_memory_.Set(static_cast<double>(table.in_memory()));
}

std::string Metrics::text() const {
  return prometheus::TextSerializer().Serialize(registry_.Collect());
}

}  // namespace pcgs::serve
