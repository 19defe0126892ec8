#include "serve/stream_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/invariant.h"
#include "pcgs/error.h"

namespace pcgs::serve {

namespace {

// What a snapshot of small streams costs at least, so that they do not write one for every event.
constexpr std::size_t kSmallSnapshot = 16384;

}  // namespace

StreamTable::StreamTable(Store& store, TableLimits limits) : store_(store), limits_(limits) {
  for (std::string& name : store.names()) names_.insert(names_.end(), std::move(name));
}

StreamTable::Loaded& StreamTable::keep(const std::string& name, Loaded loaded) {
  by_use_.push_front(name);
  loaded.used = by_use_.begin();
  Loaded& kept = loaded_.insert_or_assign(name, std::move(loaded)).first->second;
  count(kept);
  return kept;
}

// Only what has changed is counted anew, so that a commit costs as much as it has streams.
void StreamTable::count(Loaded& loaded) {
  discount(loaded);
  const Stream& stream = loaded.stream;
  loaded.open_rounds = stream.aggregator().open_rounds();
  counts_.open_rounds += loaded.open_rounds;
  loaded.ratio.reset();
  const auto errors = stream.errors();
  if (!errors || errors->rounds < kFewestJudged) return;
  loaded.ratio = errors->ratio;
  if (loaded.ratio) by_ratio_.emplace(*loaded.ratio, *loaded.used);
}

void StreamTable::discount(const Loaded& loaded) {
  counts_.open_rounds -= loaded.open_rounds;
  if (loaded.ratio) by_ratio_.erase({*loaded.ratio, *loaded.used});
}

TableCounts StreamTable::counts() const {
  TableCounts out = counts_;
  out.streams = names_.size();
  out.in_memory = loaded_.size();
  return out;
}

std::vector<StreamRatio> StreamTable::worst(std::size_t most) const {
  std::vector<StreamRatio> out;
  for (auto at = by_ratio_.rbegin(); at != by_ratio_.rend() && out.size() < most; ++at) {
    out.push_back({std::string(at->second), at->first});
  }
  return out;
}

StreamTable::Loaded& StreamTable::load(const std::string& name) {
  if (const auto found = loaded_.find(name); found != loaded_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, found->second.used);
    ++counts_.hits;
    return found->second;
  }
  const StoredStream stored = store_.read(name);
  Loaded loaded;
  if (stored.snapshot) {
    loaded.stream = Stream::load(stored.snapshot->bytes, fmt::format("snapshot of {}", name));
    loaded.last_event = stored.snapshot->last_event;
    loaded.snapshot_bytes = stored.snapshot->bytes.size();
  }
  for (const std::string& bytes : stored.events) {
    const std::string origin = fmt::format("event {} of {}", loaded.last_event + 1, name);
    if (loaded.stream.step(event_from(bytes, origin)).verdict != Verdict::kDone) {
      fail_about(ErrorKind::kFormat, origin,
                 "does not follow from those before it; restore the store from a copy");
    }
    ++loaded.last_event;
    ++loaded.events_since;
    loaded.event_bytes_since += bytes.size();
  }
  ++counts_.loads;
  counts_.replayed += stored.events.size();
  return keep(name, std::move(loaded));
}

const Stream* StreamTable::find(const std::string& name) {
  if (!names_.contains(name)) return nullptr;
  evict();
  return &load(name).stream;
}

const Stream* StreamTable::peek(const std::string& name) const {
  const auto found = loaded_.find(name);
  return found == loaded_.end() ? nullptr : &found->second.stream;
}

Output StreamTable::apply(const std::string& name, const Event& event) {
  if (!names_.contains(name)) return begin(name, event);
  Loaded* loaded = nullptr;
  try {
    loaded = &load(name);
  } catch (const Error& damaged) {
    return {Verdict::kDamaged, damaged.what(), {}};
  }
  Output out = loaded->stream.step(event);
  if (out.verdict == Verdict::kDone) log(name, *loaded, event);
  return out;
}

// The first event of a stream.
Output StreamTable::begin(const std::string& name, const Event& event) {
  Loaded fresh;
  Output out = fresh.stream.step(event);
  if (out.verdict != Verdict::kDone) return out;
  if (names_.size() >= limits_.streams) {
    return {Verdict::kTooMany,
            fmt::format("there are {} streams, which is the limit that the service was started "
                        "with",
                        names_.size()),
            {}};
  }
  names_.insert(name);
  store_.add_stream(name);
  log(name, keep(name, std::move(fresh)), event);
  return out;
}

void StreamTable::log(const std::string& name, Loaded& loaded, const Event& event) {
  const std::string bytes = event_bytes(event);
  store_.add_event(name, ++loaded.last_event, bytes);
  ++loaded.events_since;
  loaded.event_bytes_since += bytes.size();
  touch(name, loaded);
  ++counts_.events;
  if (std::holds_alternative<RoundOpened>(event)) ++counts_.rounds;
  if (std::holds_alternative<OutcomeSeen>(event)) ++counts_.outcomes;
}

void StreamTable::touch(const std::string& name, Loaded& loaded) {
  if (!loaded.touched) touched_.push_back(name);
  loaded.touched = true;
}

void StreamTable::take_snapshot(const std::string& name, Loaded& loaded) {
  taken_.push_back({name, loaded.last_event, loaded.stream.save()});
  const std::string& bytes = taken_.back().bytes;
  store_.add_snapshot(name, loaded.last_event, bytes);
  loaded.snapshot_bytes = bytes.size();
  loaded.events_since = loaded.event_bytes_since = 0;
  ++counts_.snapshots;
}

const std::vector<TakenSnapshot>& StreamTable::take_snapshots(std::span<const std::string> also) {
  for (const std::string& name : also) {
    Loaded& loaded = load(name);
    touch(name, loaded);
    take_snapshot(name, loaded);
  }
  for (const std::string& name : touched_) {
    Loaded& loaded = loaded_.at(name);
    if (loaded.events_since >= limits_.events_between_snapshots ||
        loaded.event_bytes_since > std::max(loaded.snapshot_bytes, kSmallSnapshot)) {
      take_snapshot(name, loaded);
    }
  }
  return taken_;
}

void StreamTable::adopt(const TakenSnapshot& snapshot) {
  invariant(!loaded_.contains(snapshot.name), "a stream in memory is not replaced");
  names_.insert(snapshot.name);
  store_.add_stream(snapshot.name);
  store_.add_snapshot(snapshot.name, snapshot.last_event, snapshot.bytes);
}

void StreamTable::commit() {
  take_snapshots();
  counts_.committed_bytes += store_.commit();
  for (const std::string& name : touched_) {
    Loaded& loaded = loaded_.at(name);
    loaded.touched = false;
    count(loaded);
  }
  touched_.clear();
  taken_.clear();
  evict();
}

// Streams that wait for a commit stay: their events are not on the disk yet.
void StreamTable::evict() {
  for (auto at = by_use_.end(); loaded_.size() > limits_.in_memory && at != by_use_.begin();) {
    --at;
    const auto found = loaded_.find(*at);
    if (found->second.touched) continue;
    discount(found->second);
    loaded_.erase(found);
    at = by_use_.erase(at);
    ++counts_.evictions;
  }
}

}  // namespace pcgs::serve
