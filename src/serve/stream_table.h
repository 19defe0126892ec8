// All streams of a store. As many as are allowed are in memory, the least recently used go first, and
// each comes back from its snapshot and the events after it.
//
// Not for several threads. What apply() did is in memory at once and on the disk after commit(); nobody
// may be told of it before. If commit() throws, memory is ahead of the disk and the table must not be
// used any more.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "serve/store.h"
#include "serve/stream.h"

namespace pcgs::serve {

// Before that, the ratio of errors is mostly chance.
inline constexpr std::uint64_t kFewestJudged = 30;

struct TableLimits {
  std::size_t streams = 100000;
  std::size_t in_memory = 1000;
  // A snapshot is taken after so many events, or earlier, when the events take more room than it.
  std::size_t events_between_snapshots = 1000;
};

// A snapshot that goes with the next commit.
struct TakenSnapshot {
  std::string name;
  std::uint64_t last_event = 0;
  std::string bytes;
};

// Since the table was made, and what it has.
struct TableCounts {
  std::uint64_t events = 0, rounds = 0, outcomes = 0;  // done; replayed ones are apart
  std::uint64_t hits = 0, loads = 0;  // streams asked for that were in memory, or not
  std::uint64_t replayed = 0, evictions = 0, snapshots = 0;
  std::uint64_t committed_bytes = 0;
  std::uint64_t streams = 0, in_memory = 0,
                open_rounds = 0;  // now, the last two as of the last commit
};

// The error of a stream's combination, divided by that of equal weights.
struct StreamRatio {
  std::string stream;
  double ratio = 0;
};

class StreamTable {
 public:
  StreamTable(Store& store, TableLimits limits);

  Output apply(const std::string& name, const Event& event);
  // Takes the snapshots that are due, and those of these streams, whether due or not. They are to be had
  // until commit().
  const std::vector<TakenSnapshot>& take_snapshots(std::span<const std::string> also = {});
  // Writes what was applied, with the snapshots that were taken or are due, and what else the store holds
  // that is not committed.
  void commit();
  // Of what is committed; see Store.
  void back_up(const std::string& name) const { store_.back_up(name); }
  // A snapshot from elsewhere becomes the stream. Requires that the stream is not in memory.
  void adopt(const TakenSnapshot& snapshot);

  // Null if there is none of this name. Throws Error if it is damaged. Valid until the next call.
  const Stream* find(const std::string& name);
  const std::set<std::string, std::less<>>& names() const { return names_; }
  // Null if it is not in memory. Nothing is loaded, and the stream is not used by this.
  const Stream* peek(const std::string& name) const;

  TableCounts counts() const;
  // Of streams in memory, as of the last commit.
  // Those with the largest ratios, worst first, of streams with kFewestJudged rounds or more.
  std::vector<StreamRatio> worst(std::size_t most) const;

 private:
  struct Loaded {
    Stream stream;
    std::uint64_t last_event = 0;
    std::size_t snapshot_bytes = 0;
    std::size_t events_since = 0, event_bytes_since = 0;  // the snapshot
    bool touched = false;                                 // since the last commit
    std::list<std::string>::iterator used;
    // As counts_ and by_ratio_ have it.
    std::size_t open_rounds = 0;
    std::optional<double> ratio{};
  };
  Loaded& load(const std::string& name);
  Output begin(const std::string& name, const Event& event);
  void log(const std::string& name, Loaded& loaded, const Event& event);
  Loaded& keep(const std::string& name, Loaded loaded);
  void take_snapshot(const std::string& name, Loaded& loaded);
  void touch(const std::string& name, Loaded& loaded);
  void evict();
  void count(Loaded& loaded);
  void discount(const Loaded& loaded);

  Store& store_;
  TableLimits limits_;
  TableCounts counts_;
  std::set<std::string, std::less<>> names_;
  std::unordered_map<std::string, Loaded> loaded_;
  std::list<std::string> by_use_;                           // latest first
  std::set<std::pair<double, std::string_view>> by_ratio_;  // views of names in by_use_
  std::vector<std::string> touched_;
  std::vector<TakenSnapshot> taken_;
};

}  // namespace pcgs::serve
