// What survives: snapshots of streams and the events since, in a RocksDB in one folder.
//
//     key                 value
//     format              "pcgs-store 1"
//     instructions        the instruction set that the events were applied with: "AVX2"
//     n/NAME              "": there is a stream of this name
//     s/NAME              u64, the number of the last event that is in the snapshot; then the snapshot
//     e/NAME/u64          an event; numbers begin at 1, have no gap and are big-endian, so that they sort
//     k/KEY               a note of whoever owns the store
//
// A name holds no slash. Replaying events gives the same bits only on the same instruction set, so a
// store is refused on another one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pcgs/error.h"

namespace rocksdb {
class DB;
class WriteBatch;
}  // namespace rocksdb

namespace pcgs::serve {

struct Snapshot {
  std::uint64_t last_event = 0;
  std::string bytes;
};

struct StoredStream {
  std::optional<Snapshot> snapshot;
  std::vector<std::string> events;  // after it, in their order
};

enum class Durability : std::uint8_t {
  kSynced,   // survives the machine
  kUnsynced  // survives the process; a machine that stops may lose the last commits, from the end
};

class Store {
 public:
  // Makes the folder if need be. Throws Error if it holds something else, is in use, was written on
  // another instruction set, or is damaged.
  Store(const std::string& folder, std::string_view instructions,
        Durability durability = Durability::kSynced);
  ~Store();

  std::vector<std::string> names() const;  // sorted
  // Throws Error if something is missing or damaged.
  StoredStream read(const std::string& name) const;
  std::optional<std::string> note(const std::string& key) const;
  // Notes whose key begins with the prefix: what follows it, and the value.
  std::vector<std::pair<std::string, std::string>> notes(const std::string& prefix) const;
  // A copy of what is committed, as a store of its own, in the folder backups/NAME of this one; files that
  // no longer change are shared. Throws Error if there is one of this name, or no room.
  void back_up(const std::string& name) const;

  // What becomes durable together, with the next commit().
  void add_stream(const std::string& name);
  void add_event(const std::string& name, std::uint64_t number, std::string_view event);
  // The state after that event. The events up to it are not needed any more.
  void add_snapshot(const std::string& name, std::uint64_t last_event, std::string_view snapshot);
  void put_note(const std::string& key, std::string_view value);
  void erase_note(const std::string& key);
  // Returns when all of it is as durable as was asked for, and how many bytes it was; throws Error if that
  // is not known.
  std::size_t commit();

 private:
  std::optional<std::string> get(const std::string& key) const;
  template <class Take>
  void scan(const std::string& prefix, const Take& take) const;
  void write(rocksdb::WriteBatch& batch, bool synced);
  void check_stamp(std::string_view instructions);
  [[noreturn]] void fail(std::string_view why, ErrorKind kind = ErrorKind::kFile) const;
  std::string folder_;
  Durability durability_;
  std::unique_ptr<rocksdb::DB> db_;
  std::unique_ptr<rocksdb::WriteBatch> changes_;
};

}  // namespace pcgs::serve
