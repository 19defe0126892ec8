#include "data/output_set.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>

#include "data/output_recovery.h"
#include "pcgs/error.h"

namespace pcgs {

namespace fs = std::filesystem;

namespace {

void sync_or_throw(const std::string& folder) {
  if (const int why = sync_folder(folder); why != 0) {
    throw Error(fmt::format("{}: cannot be synced ({}); what was there before is unchanged", folder,
                            std::strerror(why)));
  }
}

// Everything that says on the disk that a set is on its way: the copies of the journal and the
// journal. Held, which says that we live, until this object goes; removed with it, unless the journal
// has to stay.
class JournalFiles {
 public:
  explicit JournalFiles(const OutputJournal& journal) : journal_(journal) {
    files_.reserve(journal.folders.size());
  }
  ~JournalFiles() {
    if (!stays_) remove();
  }
  JournalFiles(const JournalFiles&) = delete;
  JournalFiles& operator=(const JournalFiles&) = delete;

  void write(std::size_t folder) {
    OutputJournal here = journal_;
    here.here = folder;
    auto& file =
        files_.emplace_back(std::make_unique<WholeFile>(journal_.path(folder), journal_.id));
    file->write(to_text(here));
    file->prepare();
    file->publish();
  }
  // The journal goes first: it is the one that counts. False if it is still there, and so are all.
  bool remove() {
    for (std::size_t f = 0; f < journal_.folders.size(); ++f) {
      if (unlink(journal_.path(f).c_str()) != 0 && errno != ENOENT && f == 0) return false;
    }
    return true;
  }
  void stay() { stays_ = true; }

 private:
  const OutputJournal& journal_;
  std::vector<std::unique_ptr<WholeFile>> files_;
  bool stays_ = false;
};

}  // namespace

OutputSet::~OutputSet() {
  files_.clear();
  std::error_code ignored;
  for (std::size_t i = made_.size(); i-- > 0;) {
    fs::remove(made_[i], ignored);  // only if nothing is in it
  }
}

void OutputSet::add_folder(const std::string& path) {
  std::error_code failed;
  fs::path missing = fs::absolute(path, failed);
  std::vector<std::string> to_make;
  while (!missing.empty() && !fs::exists(missing, failed)) {
    if (missing.has_filename()) to_make.push_back(missing.string());
    missing = missing.parent_path();
  }
  std::error_code why;
  for (std::size_t i = to_make.size(); i-- > 0 && !why;) {
    if (fs::create_directory(to_make[i], why)) made_.push_back(to_make[i]);
  }
  if (fs::is_directory(path, failed)) return;
  if (!why) why = std::make_error_code(std::errc::not_a_directory);
  throw Error(
      fmt::format("{}: cannot be made a folder ({}); give another one", path, why.message()));
}

WholeFile& OutputSet::add(const std::string& path) {
  const std::string place = place_of(path);
  for (const auto& file : files_) {
    if (file->place() == place) {
      throw Error(fmt::format("{}: is named twice; give each output a file of its own", path));
    }
  }
  if (id_.empty()) id_ = random_id(path);
  return *files_.emplace_back(std::make_unique<WholeFile>(path, id_));
}

OutputJournal OutputSet::journal() const {
  OutputJournal journal;
  journal.id = id_;
  for (const auto& file : files_) {
    const std::string folder = folder_of(file->place());
    const auto known = std::find(journal.folders.begin(), journal.folders.end(), folder);
    const auto index = static_cast<std::size_t>(known - journal.folders.begin());
    if (known == journal.folders.end()) journal.folders.push_back(folder);
    journal.files.push_back(
        {index, look_of(file->place()), fs::path(file->place()).filename().string()});
  }
  return journal;
}

void OutputSet::commit() {
  for (const auto& folder : made_) sync_or_throw(folder_of(folder));
  if (files_.size() == 1) {
    files_.front()->commit();
  } else if (files_.size() > 1) {
    for (const auto& file : files_) file->prepare();
    std::vector<std::string> folders = journal().folders;
    std::sort(folders.begin(), folders.end());  // so that no two sets wait for each other
    std::vector<Descriptor> held;
    held.reserve(folders.size());
    for (const auto& folder : folders) held.push_back(lock_folder(folder));
    put_in_place(journal());  // as things are now that nobody else publishes
  }
  made_.clear();
  files_.clear();
}

void OutputSet::put_in_place(const OutputJournal& journal) {
  const SignalsWait until_all_are_there;
  JournalFiles said(journal);
  for (std::size_t f = 1; f < journal.folders.size(); ++f) said.write(f);
  // Temporaries and copies outlive a power cut before the journal may.
  for (const auto& folder : journal.folders) sync_or_throw(folder);
  said.write(0);
  if (const int why = sync_folder(journal.folders[0]); why != 0 && said.remove()) {
    throw Error(fmt::format("{}: cannot be synced ({}); what was there before is unchanged",
                            journal.folders[0], std::strerror(why)));
  }

  // From here on the set is complete, and whoever comes next would finish it.
  said.stay();
  for (const auto& file : files_) file->hand_over();
  std::string why;
  try {
    finish(journal);
    return;
  } catch (const std::exception&) {  // memory may end here as well
  }
  try {
    finish(journal);  // as the next command would try
    return;
  } catch (const std::exception& error) {
    why = error.what();
  }
  if (nothing_moved(journal) && said.remove()) {
    for (const auto& file : files_) file->take_back();
    throw Error(fmt::format("{}; what was there before is unchanged", why));
  }
  throw Error(fmt::format(
      "{}; other files of this run are in place already: {} says which, and the next command there "
      "tries again",
      why, journal.path(0)));
}

}  // namespace pcgs
