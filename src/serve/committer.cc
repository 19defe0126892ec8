#include "serve/committer.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <chrono>
#include <semaphore>

#include "serve/service_json.h"

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

prometheus::MetricFamily error_ratios(const std::vector<StreamRatio>& worst) {
  prometheus::MetricFamily out{"pcgs_stream_error_ratio",
                               "Error of the combination divided by that of equal weights, of the "
                               "worst streams in memory",
                               prometheus::MetricType::Gauge,
                               {}};
  for (const auto& [stream, ratio] : worst) {
    prometheus::ClientMetric metric;
    metric.label.push_back({"stream", stream});
    metric.gauge.value = ratio;
    out.metric.push_back(std::move(metric));
  }
  return out;
}

// What the table counts, and the counter of each.
struct TableCounter {
  std::uint64_t TableCounts::*count;
  const char* name;
  const char* help;
};
constexpr std::array kTableCounters = {
    TableCounter{&TableCounts::events, "pcgs_events_total", "Events that changed a stream"},
    TableCounter{&TableCounts::rounds, "pcgs_rounds_total", "Rounds opened"},
    TableCounter{&TableCounts::outcomes, "pcgs_outcomes_total", "Outcomes taken"},
    TableCounter{&TableCounts::hits, "pcgs_cache_hits_total",
                 "Streams asked for that were in memory"},
    TableCounter{&TableCounts::loads, "pcgs_loads_total", "Streams read back from the store"},
    TableCounter{&TableCounts::replayed, "pcgs_replayed_events_total", "Events replayed by that"},
    TableCounter{&TableCounts::evictions, "pcgs_evictions_total", "Streams that left memory"},
    TableCounter{&TableCounts::snapshots, "pcgs_snapshots_total", "Snapshots taken"},
    TableCounter{&TableCounts::committed_bytes, "pcgs_commit_bytes_total",
                 "Given to the store to sync"},
};

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter()
          .Name("pcgs_requests_total")
          .Help("HTTP requests by method and status")
          .Register(registry);
  prometheus::Histogram& request_seconds =
      histogram(registry, "pcgs_request_seconds", "From the request to its answer", kSeconds);
  prometheus::Histogram& commit_seconds =
      histogram(registry, "pcgs_commit_seconds", "Of one synced batch", kSeconds);
  prometheus::Histogram& requests_per_commit =
      histogram(registry, "pcgs_requests_per_commit", "That shared one synced batch", kRequests);
  std::array<prometheus::Counter*, kTableCounters.size()> table{};
  prometheus::Gauge& streams = gauge(registry, "pcgs_streams", "Streams in the store");
  prometheus::Gauge& in_memory = gauge(registry, "pcgs_streams_in_memory", "Streams in memory");
  prometheus::Gauge& open_rounds =
      gauge(registry, "pcgs_open_rounds", "Rounds open in streams in memory");

  Families() {
    for (std::size_t i = 0; i < table.size(); ++i) {
      table[i] = &counter(registry, kTableCounters[i].name, kTableCounters[i].help);
    }
  }
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::answered(const std::string& method, int status, double seconds) {
  families_->requests.Add({{"method", method}, {"status", std::to_string(status)}}).Increment();
  families_->request_seconds.Observe(seconds);
}

void Metrics::committed(std::size_t requests, double seconds, const StreamTable& table) {
  const TableCounts& now = table.counts();
  if (now.events != before_.events) {  // else nothing was written
    families_->commit_seconds.Observe(seconds);
    families_->requests_per_commit.Observe(static_cast<double>(requests));
  }
  for (std::size_t i = 0; i < kTableCounters.size(); ++i) {
    const auto count = kTableCounters[i].count;
    families_->table[i]->Increment(static_cast<double>(now.*count - before_.*count));
  }
  before_ = now;
  families_->streams.Set(static_cast<double>(table.names().size()));
  families_->in_memory.Set(static_cast<double>(table.in_memory()));
  families_->open_rounds.Set(static_cast<double>(table.open_rounds()));
  auto worst = table.worst(kWorstStreams);
  const std::lock_guard lock(mutex_);
  worst_ = std::move(worst);
}

// The ratios are not in the registry, where streams that are no longer among the worst would stay.
std::string Metrics::text() const {
  auto families = families_->registry.Collect();
  {
    const std::lock_guard lock(mutex_);
    families.push_back(error_ratios(worst_));
  }
  return prometheus::TextSerializer().Serialize(families);
}

struct Committer::Waiting {
  const Work& work;
  std::string failure{};
  std::binary_semaphore done{0};
};

Committer::Committer(StreamTable& table, Metrics& metrics)
    : table_(table), metrics_(metrics), thread_([this] { loop(); }) {}

Committer::~Committer() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void Committer::run(const Work& work) {
  Waiting mine{work};
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw StoreFailed(failure_);
    waiting_.push_back(&mine);
  }
  arrived_.notify_one();
  mine.done.acquire();
  if (!mine.failure.empty()) throw StoreFailed(mine.failure);
}

std::string Committer::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Committer::loop() {
  std::vector<Waiting*> group;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      group.swap(waiting_);
    }
    do_group(group);
    group.clear();
  }
}

// What goes wrong here may have left memory ahead of the disk, so nothing is applied after it.
void Committer::do_group(const std::vector<Waiting*>& group) {
  std::string failure = this->failure();
  if (failure.empty()) {
    try {
      for (const Waiting* one : group) one->work(table_);
      const auto start = std::chrono::steady_clock::now();
      table_.commit();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      metrics_.committed(group.size(), took.count(), table_);
    } catch (const std::exception& wrong) {
      failure = wrong.what();
      log_line("error", "store failed", {{"why", failure}});
      const std::lock_guard lock(mutex_);
      failure_ = failure;
    }
  }
  for (Waiting* one : group) {
    one->failure = failure;
    one->done.release();
  }
}

}  // namespace pcgs::serve
