#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

#include "core/kernels.h"
#include "data/invariant.h"
#include "data/text.h"
#include "pcgs/error.h"
#include "serve/kafka_worker.h"
#include "serve/stream.h"

namespace pcgs::serve {

namespace {

constexpr std::string_view kRecordFile = "a record of a changelog";
constexpr std::size_t kNameDigits = 16;

bool is_name(std::string_view text) {
  return text.size() == kNameDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

constexpr const char* kSourceNote = "source";
constexpr const char* kPositionNote = "position";
const std::string kUnsavedNotes = "unsaved/";

// Old snapshots that one transaction takes at the most, or as many as it has events: each event makes no
// more than one stream too old.
constexpr std::size_t kOldSnapshotsAtOnce = 200;

std::int64_t offset_from(const std::string& text) {
  const auto offset = whole_number(text);
  if (!offset) {
    throw Error(ErrorKind::kFormat, {}, fmt::format("the cache has the offset '{}'", text));
  }
  return static_cast<std::int64_t>(*offset);
}

}  // namespace

CacheFolder::CacheFolder(std::string folder) : folder_(std::move(folder)) {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed) {
    fail_about(ErrorKind::kFile, folder_, "cannot be made ({})", failed.message());
  }
  const std::string file = folder_ + "/worker";
  const auto fail = [&](std::string_view what) {
    fail_about(ErrorKind::kFile, file, "{} ({})", what, std::strerror(errno));
  };
  lock_ = open_file(file, O_RDWR | O_CREAT, 0644);
  if (!lock_) fail("cannot be opened");
  if (try_lock(lock_) != Lock::kTaken) {
    fail(fmt::format("another worker has this folder; give each worker a {} of its own",
                     option("cache")));
  }
  const auto text = read_whole_file(file, kNameDigits);
  worker_name_.assign(text.begin(), text.end());
  if (is_name(worker_name_)) return;
  // New, or cut off while it was written for the first time.
  worker_name_ = random_id(file);
  if (pwrite(lock_.get(), worker_name_.data(), kNameDigits, 0) != ssize_t{kNameDigits} ||
      fsync(lock_.get()) != 0) {
    fail("cannot be written");
  }
}

std::string CacheFolder::partition(std::int32_t number) const {
  return fmt::format("{}/partition-{}", folder_, number);
}

std::string record_bytes(const ChangelogRecord& record) {
  StateWriter out;
  out.text(record.instructions);
  out.u64(static_cast<std::uint64_t>(record.position));
  out.u64(record.snapshot.last_event);
  out.text(record.snapshot.bytes);
  return file_text(out, kRecordFile);
}

ChangelogRecord record_from(const std::string& stream, std::string_view bytes) {
  StateReader in = reader_of(bytes, fmt::format("changelog of {}", stream), kRecordFile);
  ChangelogRecord out;
  out.instructions = in.text();
  out.position = static_cast<std::int64_t>(in.u64());
  out.snapshot.name = stream;
  out.snapshot.last_event = in.u64();
  out.snapshot.bytes = in.text();
  in.finish();
  return out;
}

Partition::Partition(PartitionOptions options) : options_(std::move(options)) {
  try {
    open();
    if (store_->note(kSourceNote) == options_.source) return;
  } catch (const Error&) {
    // Damaged, or of another instruction set or format: a cache can be made again.
  }
  clear();
}

void Partition::open() {
  store_ = std::make_unique<Store>(options_.folder, instruction_set(), Durability::kUnsynced);
  TableLimits limits;
  limits.streams =
      std::numeric_limits<std::size_t>::max();  // what is refused depends on events alone
  limits.in_memory = options_.in_memory;
  table_ = std::make_unique<StreamTable>(*store_, limits);
  unsaved_since_.clear();
  unsaved_by_age_.clear();
  for (const auto& [name, since] : store_->notes(kUnsavedNotes)) {
    unsaved_since_.emplace(name, offset_from(since));
    unsaved_by_age_.emplace(offset_from(since), name);
  }
  position_.reset();
  if (const auto position = store_->note(kPositionNote)) position_ = offset_from(*position);
  rebuilding_ = false;
  save_before_ = 0;
  applied_ = 0;
}

void Partition::reopen() {
  table_.reset();
  store_.reset();
  open();
}

void Partition::clear() {
  table_.reset();
  store_.reset();
  // Under another name first: half a store must not be taken for one.
  const std::string gone = options_.folder + ".gone";
  std::error_code failed, missing;
  std::filesystem::remove_all(gone, failed);
  std::filesystem::rename(options_.folder, gone, missing);
  if (!failed) std::filesystem::remove_all(gone, failed);
  if (failed) {
    fail_about(ErrorKind::kFile, options_.folder, "cannot be emptied ({})", failed.message());
  }
  open();
  store_->put_note(kSourceNote, options_.source);
  table_->commit();
}

std::int64_t Partition::low() const {
  return unsaved_by_age_.empty() ? *position_ : unsaved_by_age_.begin()->first;
}

void Partition::set_unsaved(const std::string& name, std::int64_t since) {
  if (!unsaved_since_.emplace(name, since).second) return;
  unsaved_by_age_.emplace(since, name);
  store_->put_note(kUnsavedNotes + name, std::to_string(since));
}

Output Partition::apply(const std::string& name, const Event& event, std::int64_t offset) {
  Output output = table_->apply(name, event);
  if (output.verdict == Verdict::kDamaged) {
    throw Error(ErrorKind::kFormat, {},
                fmt::format("{}; delete {}, which will be made again from the changelog",
                            output.why, options_.folder));
  }
  if (output.verdict == Verdict::kDone) set_unsaved(name, offset);
  position_ = offset + 1;
  ++applied_;
  return output;
}

const std::vector<TakenSnapshot>& Partition::take_snapshots() {
  const auto streams = static_cast<std::int64_t>(table_->names().size());
  const std::int64_t span = std::max(options_.span, options_.span_of_each_stream * streams);
  const std::int64_t oldest = std::max(*position_ - span, save_before_);
  const std::size_t most = std::max(kOldSnapshotsAtOnce, applied_);
  applied_ = 0;
  std::vector<std::string> old;
  for (const auto& [since, name] : unsaved_by_age_) {
    if (since >= oldest || old.size() == most) break;
    old.push_back(name);
  }
  const auto& taken = table_->take_snapshots(old);
  for (const TakenSnapshot& snapshot : taken) {
    const auto found = unsaved_since_.find(snapshot.name);
    if (found == unsaved_since_.end()) continue;
    unsaved_by_age_.erase({found->second, snapshot.name});
    unsaved_since_.erase(found);
    store_->erase_note(kUnsavedNotes + snapshot.name);
  }
  return taken;
}

void Partition::commit() {
  if (!rebuilding_) store_->put_note(kPositionNote, std::to_string(*position_));
  table_->commit();
}

void Partition::adopt(const TakenSnapshot& snapshot) { table_->adopt(snapshot); }

void Partition::begin_rebuild(std::int64_t low) {
  invariant(!position_, "an empty cache is rebuilt");
  rebuilding_ = true;
  position_ = low;
}

void Partition::finish_rebuild() {
  rebuilding_ = false;
  commit();
}

void Partition::raise_low(std::int64_t low) {
  while (!unsaved_by_age_.empty() && unsaved_by_age_.begin()->first < low) {
    const std::string name = unsaved_by_age_.begin()->second;
    unsaved_by_age_.erase(unsaved_by_age_.begin());
    unsaved_by_age_.emplace(low, name);
    unsaved_since_.at(name) = low;
    store_->put_note(kUnsavedNotes + name, std::to_string(low));
  }
}

}  // namespace pcgs::serve
