#include "serve/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

#include "core/kernels.h"
#include "data/invariant.h"
#include "pcgs/error.h"

namespace pcgs::worker {

namespace {

constexpr const char* kSourceNote = "source";
constexpr const char* kPositionNote = "position";
const std::string kUnsavedNotes = "unsaved/";

// Old snapshots that one transaction takes at the most, or as many as it has events: each event makes no
// more than one stream too old.
constexpr std::size_t kOldSnapshotsAtOnce = 200;

std::int64_t offset_from(const std::string& text) {
  std::int64_t offset = -1;
  const char* end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, offset);
  if (failed != std::errc() || rest != end || offset < 0) {
    throw Error(fmt::format("the cache has the offset '{}'", text));
  }
  return offset;
}

}  // namespace

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
  store_ = std::make_unique<store::Store>(options_.folder, instruction_set(),
                                          store::Durability::kUnsynced);
  stream::TableLimits limits;
  limits.streams =
      std::numeric_limits<std::size_t>::max();  // what is refused depends on events alone
  limits.in_memory = options_.in_memory;
  table_ = std::make_unique<stream::StreamTable>(*store_, limits);
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
    throw Error(fmt::format("{}: cannot be emptied ({})", options_.folder, failed.message()));
  }
  open();
  table_->changes().put_note(kSourceNote, options_.source);
  table_->commit();
}

std::int64_t Partition::low() const {
  return unsaved_by_age_.empty() ? *position_ : unsaved_by_age_.begin()->first;
}

void Partition::set_unsaved(const std::string& name, std::int64_t since) {
  if (!unsaved_since_.emplace(name, since).second) return;
  unsaved_by_age_.emplace(since, name);
  table_->changes().put_note(kUnsavedNotes + name, std::to_string(since));
}

stream::Output Partition::apply(const std::string& name, const stream::Event& event,
                                std::int64_t offset) {
  stream::Output output = table_->apply(name, event);
  if (output.verdict == stream::Verdict::kDamaged) {
    throw Error(fmt::format("{}; delete {}, which will be made again from the changelog",
                            output.why, options_.folder));
  }
  if (output.verdict == stream::Verdict::kDone) set_unsaved(name, offset);
  position_ = offset + 1;
  ++applied_;
  return output;
}

const std::vector<stream::TakenSnapshot>& Partition::take_snapshots() {
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
  for (const stream::TakenSnapshot& snapshot : taken) {
    const auto found = unsaved_since_.find(snapshot.name);
    if (found == unsaved_since_.end()) continue;
    unsaved_by_age_.erase({found->second, snapshot.name});
    unsaved_since_.erase(found);
    table_->changes().erase_note(kUnsavedNotes + snapshot.name);
  }
  return taken;
}

void Partition::commit() {
  if (!rebuilding_) table_->changes().put_note(kPositionNote, std::to_string(*position_));
  table_->commit();
}

void Partition::adopt(const stream::TakenSnapshot& snapshot) { table_->adopt(snapshot); }

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
    table_->changes().put_note(kUnsavedNotes + name, std::to_string(low));
  }
}

}  // namespace pcgs::worker
