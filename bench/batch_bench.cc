// What the disk allows: events as the service logs them, in raw RocksDB batches that are synced one by one.
//
//     pcgs_batch_bench FOLDER EVENTS SECONDS    prints events a second in batches of EVENTS
//
// No HTTP, no JSON, no step, no snapshots: scripts/serve_load.py puts the service beside it.
#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "serve/stream.h"

namespace {

constexpr std::size_t kStreams = 200;

[[noreturn]] void fail(const std::string& why) {
  fmt::print(stderr, "pcgs_batch_bench: {}\n", why);
  std::exit(2);
}

// The load test's: a round of three experts, or its outcome.
std::string event(std::size_t number) {
  using namespace pcgs::serve;
  const std::string id = std::to_string(number / (2 * kStreams));
  const auto y = static_cast<double>(number);
  if (number / kStreams % 2 == 1) return event_bytes(OutcomeSeen{id, y});
  return event_bytes(RoundOpened{id, {{"a", y + 0.5}, {"b", y - 0.5}, {"c", y + 1}}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) fail("give FOLDER EVENTS SECONDS");
  const std::size_t events = std::strtoul(argv[2], nullptr, 10);
  const double seconds = std::strtod(argv[3], nullptr);
  if (events == 0 || !(seconds > 0)) fail("EVENTS and SECONDS are numbers above 0");
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  if (const auto status = rocksdb::DB::Open(options, argv[1], &opened); !status.ok()) {
    fail(status.ToString());
  }
  const std::unique_ptr<rocksdb::DB> db(opened);
  rocksdb::WriteOptions synced;
  synced.sync = true;
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::chrono::duration<double> took{};
  std::size_t done = 0;
  while (took.count() < seconds) {
    rocksdb::WriteBatch batch;
    for (std::size_t i = 0; i < events; ++i, ++done) {
      batch.Put(fmt::format("e/s{}/{:08}", done % kStreams, done / kStreams), event(done));
    }
    if (const auto status = db->Write(synced, &batch); !status.ok()) fail(status.ToString());
    took = Clock::now() - begin;
  }
  fmt::print("{:.0f}\n", static_cast<double>(done) / took.count());
}
