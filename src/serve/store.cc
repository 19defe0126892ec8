#include "serve/store.h"

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include <filesystem>

#include "pcgs/error.h"

namespace pcgs::serve {

namespace {

constexpr std::string_view kFormat = "pcgs-store 1";
constexpr const char* kFormatKey = "format";
constexpr const char* kInstructionsKey = "instructions";
constexpr std::string_view kNames = "n/";
constexpr std::string_view kNotes = "k/";
constexpr std::size_t kNumberBytes = 8;

std::string number_bytes(std::uint64_t number) {
  std::string out(kNumberBytes, '\0');
  for (std::size_t i = kNumberBytes; i-- > 0; number >>= 8) out[i] = static_cast<char>(number);
  return out;
}

std::uint64_t number_from(std::string_view bytes) {
  std::uint64_t out = 0;
  for (const char byte : bytes) out = out << 8 | static_cast<std::uint8_t>(byte);
  return out;
}

std::string snapshot_key(const std::string& name) { return "s/" + name; }
std::string event_prefix(const std::string& name) { return "e/" + name + "/"; }
std::string event_key(const std::string& name, std::uint64_t number) {
  return event_prefix(name) + number_bytes(number);
}

rocksdb::Options options(Durability durability) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.paranoid_checks = true;
  // A record that was being written when the machine stopped was never acknowledged; anything else
  // that is missing or damaged in the log is refused.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  // Without syncs a later log may have reached the disk where an earlier one has not: what follows the
  // first gap does not count.
  if (durability == Durability::kUnsynced) {
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  }
  options.track_and_verify_wals_in_manifest = true;
  options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  options.keep_log_file_num = 2;
  options.max_open_files = 256;
  return options;
}

bool holds_something_else(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (!fs::exists(folder, failed)) return false;
  if (!fs::is_directory(folder, failed)) return true;
  return !fs::is_empty(folder, failed) && !fs::exists(fs::path(folder) / "CURRENT", failed) &&
         !fs::exists(fs::path(folder) / "LOCK", failed);
}

}  // namespace

Store::Store(const std::string& folder, std::string_view instructions, Durability durability)
    : folder_(folder), durability_(durability), changes_(std::make_unique<rocksdb::WriteBatch>()) {
  if (holds_something_else(folder)) {
    fail(fmt::format("is not a store of pcgs; give {} an empty folder, or one that it made",
                     option("store")));
  }
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) fail(fmt::format("cannot be made ({})", failed.message()));
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::Open(options(durability), folder, &opened);
  db_.reset(opened);
  if (status.IsIOError() && status.ToString().find("lock") != std::string::npos) {
    fail(fmt::format("is in use by another process; stop that one, or give {} another folder",
                     option("store")));
  }
  if (!status.ok()) {
    fail(fmt::format("cannot be opened ({}); restore it from a copy", status.ToString()));
  }
  check_stamp(instructions);
}

Store::~Store() = default;

void Store::fail(std::string_view why, ErrorKind kind) const {
  throw Error(kind, {.file = folder_}, why);
}

void Store::write(rocksdb::WriteBatch& batch, bool synced) {
  rocksdb::WriteOptions how;
  how.sync = synced;
  if (const auto status = db_->Write(how, &batch); !status.ok()) {
    fail(fmt::format("cannot be written ({}); make room or repair the disk, then start again",
                     status.ToString()));
  }
}

void Store::check_stamp(std::string_view instructions) {
  const auto format = get(kFormatKey);
  if (!format) {
    const std::unique_ptr<rocksdb::Iterator> all(db_->NewIterator({}));
    all->SeekToFirst();
    if (all->Valid()) {
      fail("is a database of another program; give another folder", ErrorKind::kFormat);
    }
    rocksdb::WriteBatch stamp;
    stamp.Put(kFormatKey, rocksdb::Slice(kFormat.data(), kFormat.size()));
    stamp.Put(kInstructionsKey, rocksdb::Slice(instructions.data(), instructions.size()));
    return write(stamp, true);
  }
  if (*format != kFormat) {
    fail(fmt::format("has the format {}, and this program knows {}; use the pcgs that made it",
                     *format, kFormat),
         ErrorKind::kFormat);
  }
  const std::string before = get(kInstructionsKey).value_or("unknown");
  if (before != instructions) {
    fail(fmt::format("was written with {} instructions, and this machine computes with {}, which "
                     "gives other last digits; open it on a machine like the one that made it",
                     before, instructions),
         ErrorKind::kMismatch);
  }
}

std::optional<std::string> Store::get(const std::string& key) const {
  std::string value;
  const auto status = db_->Get({}, key, &value);
  if (status.IsNotFound()) return {};
  if (!status.ok()) {
    fail(fmt::format("cannot be read ({}); restore it from a copy", status.ToString()));
  }
  return value;
}

std::optional<std::string> Store::note(const std::string& key) const {
  return get(std::string(kNotes) + key);
}

// What lies under a prefix, without the prefix, in order.
template <class Take>
void Store::scan(const std::string& prefix, const Take& take) const {
  const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}));
  for (at->Seek(prefix); at->Valid() && at->key().ToStringView().starts_with(prefix); at->Next()) {
    take(at->key().ToStringView().substr(prefix.size()), at->value().ToStringView());
  }
  if (!at->status().ok()) {
    fail(fmt::format("cannot be read ({}); restore it from a copy", at->status().ToString()));
  }
}

std::vector<std::string> Store::names() const {
  std::vector<std::string> out;
  scan(std::string(kNames),
       [&](std::string_view name, std::string_view) { out.emplace_back(name); });
  return out;
}

std::vector<std::pair<std::string, std::string>> Store::notes(const std::string& prefix) const {
  std::vector<std::pair<std::string, std::string>> out;
  scan(std::string(kNotes) + prefix,
       [&](std::string_view key, std::string_view value) { out.emplace_back(key, value); });
  return out;
}

StoredStream Store::read(const std::string& name) const {
  const auto damaged = [&](std::string_view why) {
    fail(fmt::format("of the stream {} {}; restore the store from a copy", name, why),
         ErrorKind::kFormat);
  };
  StoredStream out;
  if (const auto value = get(snapshot_key(name))) {
    if (value->size() < kNumberBytes) damaged("the snapshot is cut off");
    out.snapshot = Snapshot{number_from(std::string_view(*value).substr(0, kNumberBytes)),
                            value->substr(kNumberBytes)};
  }
  std::uint64_t expected = out.snapshot ? out.snapshot->last_event + 1 : 1;
  scan(event_prefix(name), [&](std::string_view number, std::string_view event) {
    if (number_from(number) != expected) damaged(fmt::format("event {} is missing", expected));
    ++expected;
    out.events.emplace_back(event);
  });
  if (!out.snapshot && out.events.empty()) damaged("everything is missing");
  return out;
}

void Store::back_up(const std::string& name) const {
  const std::filesystem::path all = std::filesystem::path(folder_) / "backups";
  const std::string copy = (all / name).string();
  if (std::filesystem::exists(copy)) {
    throw Error(ErrorKind::kDuplicate, {.field = "name"},
                fmt::format("there is a backup {} already; give another name", name));
  }
  std::error_code failed;
  std::filesystem::create_directory(all, failed);
  rocksdb::Checkpoint* made = nullptr;
  auto status = rocksdb::Checkpoint::Create(db_.get(), &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  if (status.ok()) status = checkpoint->CreateCheckpoint(copy);
  if (!status.ok()) {
    throw Error(ErrorKind::kFile, {.file = copy},
                fmt::format("cannot be written ({})", status.ToString()));
  }
}

void Store::add_stream(const std::string& name) { changes_->Put(std::string(kNames) + name, ""); }

void Store::add_event(const std::string& name, std::uint64_t number, std::string_view event) {
  changes_->Put(event_key(name, number), rocksdb::Slice(event.data(), event.size()));
}

void Store::add_snapshot(const std::string& name, std::uint64_t last_event,
                         std::string_view snapshot) {
  changes_->Put(snapshot_key(name), number_bytes(last_event) + std::string(snapshot));
  changes_->DeleteRange(event_key(name, 0), event_key(name, last_event + 1));
}

void Store::put_note(const std::string& key, std::string_view value) {
  changes_->Put(std::string(kNotes) + key, rocksdb::Slice(value.data(), value.size()));
}
void Store::erase_note(const std::string& key) { changes_->Delete(std::string(kNotes) + key); }

std::size_t Store::commit() {
  if (changes_->Count() == 0) return 0;
  const std::size_t bytes = changes_->GetDataSize();
  write(*changes_, durability_ == Durability::kSynced);
  changes_->Clear();
  return bytes;
}

}  // namespace pcgs::serve
