#include "serve/committer.h"

#include <prometheus/counter.h>
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

prometheus::Histogram& histogram(prometheus::Registry& registry, const char* name, const char* help,
                                 const Buckets& buckets) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, buckets);
}

// What the table counts, and what it has now.
struct TableNumber {
  std::uint64_t TableCounts::*number;
  const char* name;
  const char* help;
  prometheus::MetricType type = prometheus::MetricType::Counter;
};
constexpr auto kGauge = prometheus::MetricType::Gauge;
constexpr std::array kTableNumbers = {
    TableNumber{&TableCounts::events, "pcgs_events_total", "Events that changed a stream"},
    TableNumber{&TableCounts::rounds, "pcgs_rounds_total", "Rounds opened"},
    TableNumber{&TableCounts::outcomes, "pcgs_outcomes_total", "Outcomes taken"},
    TableNumber{&TableCounts::hits, "pcgs_cache_hits_total",
                "Streams asked for that were in memory"},
    TableNumber{&TableCounts::loads, "pcgs_loads_total", "Streams read back from the store"},
    TableNumber{&TableCounts::replayed, "pcgs_replayed_events_total", "Events replayed by that"},
    TableNumber{&TableCounts::evictions, "pcgs_evictions_total", "Streams that left memory"},
    TableNumber{&TableCounts::snapshots, "pcgs_snapshots_total", "Snapshots taken"},
    TableNumber{&TableCounts::committed_bytes, "pcgs_commit_bytes_total",
                "Given to the store to sync"},
    TableNumber{&TableCounts::streams, "pcgs_streams", "Streams in the store", kGauge},
    TableNumber{&TableCounts::in_memory, "pcgs_streams_in_memory", "Streams in memory", kGauge},
    TableNumber{&TableCounts::open_rounds, "pcgs_open_rounds", "Rounds open in streams in memory",
                kGauge},
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
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::answered(const std::string& method, int status, double seconds) {
  families_->requests.Add({{"method", method}, {"status", std::to_string(status)}}).Increment();
  families_->request_seconds.Observe(seconds);
}

void Metrics::committed(std::size_t requests, double seconds, const StreamTable& table) {
  const TableCounts now = table.counts();
  if (now.events != counts_.events) {  // else nothing was written
    families_->commit_seconds.Observe(seconds);
    families_->requests_per_commit.Observe(static_cast<double>(requests));
  }
  auto worst = table.worst(kWorstStreams);
  const std::lock_guard lock(mutex_);
  counts_ = now;
  worst_ = std::move(worst);
}

// What is of the last commit is not in the registry, where streams that are no longer among the worst would
// stay.
std::string Metrics::text() const {
  auto families = families_->registry.Collect();
  const std::lock_guard lock(mutex_);
  for (const TableNumber& one : kTableNumbers) {
    prometheus::ClientMetric metric;
    const auto number = static_cast<double>(counts_.*one.number);
    (one.type == kGauge ? metric.gauge.value : metric.counter.value) = number;
    families.push_back({one.name, one.help, one.type, {metric}});
  }
  prometheus::MetricFamily ratios{"pcgs_stream_error_ratio",
                                  "Error of the combination divided by that of equal weights, of "
                                  "the worst streams in memory",
                                  kGauge,
                                  {}};
  for (const auto& [stream, ratio] : worst_) {
    ratios.metric.emplace_back();
    ratios.metric.back().label.push_back({"stream", stream});
    ratios.metric.back().gauge.value = ratio;
  }
  families.push_back(std::move(ratios));
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
