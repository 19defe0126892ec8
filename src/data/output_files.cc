#include "data/output_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <memory>
#include <new>
#include <optional>
#include <sstream>

#include "data/checksums.h"
#include "data/text.h"
#include "data/whole_file.h"
#include "pcgs/error.h"

namespace pcgs {

namespace fs = std::filesystem;

// The journal as text.

namespace {

constexpr std::string_view kFirstLine = "pcgs-unfinished 1";
constexpr std::size_t kIdLength = 16;

// The line that ends a journal of which all the rest is this.
std::string last_line(std::string_view text) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  return fmt::format("end {:08x}\n", crc32({bytes, text.size()}));
}

std::string sentence(const OutputJournal& journal) {
  return fmt::format(
      "A pcgs command was stopped while it put the files below in place, or just before. The next "
      "one that reads or writes here sees to it; by hand: if there is no {}, remove this file, for "
      "then nothing has changed; else rename every NAME.partial-{} that is still there to NAME, "
      "then remove this file.",
      visible(journal.path(0)), journal.id);
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos;
}

}  // namespace

std::string OutputJournal::path(std::size_t folder) const {
  return fmt::format("{}/{}{}", folders[folder], kJournalPrefix, id);
}

std::string OutputJournal::target(const File& file) const {
  return fmt::format("{}/{}", folders[file.folder], file.name);
}

std::string OutputJournal::temporary(const File& file) const {
  return temporary_name(target(file), id);
}

bool is_id(std::string_view text) {
  return text.size() == kIdLength && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::string look_of(const std::string& path) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return kNoFile;
  return fmt::format("{}-{}{:09}", found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

std::string to_text(const OutputJournal& journal) {
  std::ostringstream out;
  out << kFirstLine << "\n# " << sentence(journal) << "\nid " << journal.id << "\nhere "
      << journal.here << '\n';
  for (const auto& folder : journal.folders) out << "folder " << std::quoted(folder) << '\n';
  for (const auto& file : journal.files) {
    out << "file " << file.folder << ' ' << file.before << ' ' << std::quoted(file.name) << '\n';
  }
  if (!out) throw std::bad_alloc();
  const std::string text = std::move(out).str();
  return text + last_line(text);
}

std::optional<OutputJournal> read_journal(std::string_view text) {
  const auto end =
      text.substr(0, text.size() - std::min<std::size_t>(text.size(), 1)).rfind('\n') + 1;
  if (text.substr(end) != last_line(text.substr(0, end))) return {};
  std::istringstream in{std::string(text.substr(0, end))};
  std::string line, kind;
  if (!std::getline(in, line) || line != kFirstLine || !std::getline(in, line)) return {};
  OutputJournal journal;
  while (in >> kind) {
    if (kind == "id") {
      in >> journal.id;
    } else if (kind == "here") {
      in >> journal.here;
    } else if (kind == "folder") {
      in >> std::quoted(journal.folders.emplace_back());
    } else {
      auto& file = journal.files.emplace_back();
      in >> file.folder >> file.before >> std::quoted(file.name);
    }
  }
  if (in.bad()) throw std::bad_alloc();
  const auto& folders = journal.folders;
  const bool sound =
      in.eof() && is_id(journal.id) && journal.here < folders.size() &&
      std::ranges::all_of(folders, [](const auto& folder) { return folder.starts_with('/'); }) &&
      std::ranges::all_of(journal.files, [&](const auto& file) {
        return file.folder < folders.size() && is_plain_name(file.name);
      });
  return sound ? std::optional(std::move(journal)) : std::nullopt;
}

// A set.

namespace {

void sync_or_throw(const std::string& folder,
                   std::string_view but = "; what was there before is unchanged") {
  if (const int why = sync_folder(folder); why != 0) {
    throw Error(ErrorKind::kFile, {.file = folder},
                fmt::format("cannot be synced ({}){}", std::strerror(why), but));
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
  std::error_code failed, why;
  fs::path made;
  for (const auto& part : fs::absolute(path, failed)) {
    made /= part;
    if (!why && !fs::exists(made, failed) && fs::create_directory(made, why)) {
      made_.push_back(made.string());
    }
  }
  if (fs::is_directory(path, failed)) return;
  if (!why) why = std::make_error_code(std::errc::not_a_directory);
  throw Error(ErrorKind::kFile, {.file = path},
              fmt::format("cannot be made a folder ({}); give another one", why.message()));
}

WholeFile& OutputSet::add(const std::string& path) {
  const std::string place = place_of(path);
  for (const auto& file : files_) {
    if (file->place() == place) {
      throw Error(ErrorKind::kDuplicate, {.file = path},
                  "is named twice; give each output a file of its own");
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
  try {
    sync_or_throw(journal.folders[0]);
  } catch (const Error&) {
    if (said.remove()) throw;
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

// What was begun and not finished.

namespace {

using File = OutputJournal::File;

bool is_file(const std::string& path) {
  struct stat found = {};
  return lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
}

std::vector<File> waiting_files(const OutputJournal& journal) {
  std::vector<File> out;
  for (const auto& file : journal.files) {
    if (is_file(journal.temporary(file))) out.push_back(file);
  }
  return out;
}

// The names in a folder that begin so, in order; none if it cannot be read.
std::vector<std::string> names_in(const std::string& folder, std::string_view start) {
  std::vector<std::string> names;
  // Not std::filesystem's iterator, which ends the program without a word where memory ends.
  const std::unique_ptr<DIR, int (*)(DIR*)> all(opendir(folder.c_str()), closedir);
  while (const dirent* entry = all ? readdir(all.get()) : nullptr) {
    if (std::string_view(entry->d_name).starts_with(start)) names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// One folder and what is unfinished in it.
class Folder {
 public:
  Folder(std::string path, Recovery& recovery) : path_(std::move(path)), recovery_(recovery) {}

  void look_through() {
    const auto names = names_in(path_, kJournalPrefix);
    if (names.empty()) return;
    const Descriptor waited = lock_folder(path_);  // until a process that lives has finished
    for (const auto& name : names) {
      const std::string id = name.substr(kJournalPrefix.size(), kIdLength);
      const std::string journal = fmt::format("{}{}", kJournalPrefix, id);
      if (!is_id(id)) continue;
      if (name == journal) see_to(name, id);
      if (name == temporary_name(journal, id)) remove_if_dead(name);
    }
  }

  void see_to(const std::string& name, const std::string& id) {
    const std::string path = fmt::format("{}/{}", path_, name);
    const auto leave = [&](const std::string& why) {
      say_left(fmt::format(
          "{}: a command was stopped while it put its files in place, and that cannot be finished "
          "({}); files that this one names may be of two runs",
          path, why));
    };
    const Descriptor opened = open_file(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (!opened) {
      if (errno != ENOENT) leave(std::strerror(errno));
      return;
    }
    struct stat found = {};
    if (fstat(opened.get(), &found) != 0 || !S_ISREG(found.st_mode)) return leave("it is no file");
    if (found.st_uid != geteuid()) return leave("it belongs to somebody else");
    const Lock lock = try_lock(opened);
    if (lock == Lock::kHeldByOther) return;  // lives
    if (lock == Lock::kUnknown) return leave("files cannot be locked here");
    struct stat now = {};  // somebody may have finished it while we opened it
    if (stat(path.c_str(), &now) != 0 || now.st_ino != found.st_ino) return;
    auto journal = read_from(opened);
    if (!journal || journal->id != id) {
      say_left(
          fmt::format("{}: is damaged, or no journal of pcgs, and is left alone; remove it if "
                      "the files beside it are as you want them",
                      path));
      return;
    }
    journal->folders[journal->here] = path_;  // wherever it has been moved
    try {
      journal->here == 0 ? roll_forward(*journal) : see_to_copy(*journal, path);
    } catch (const Error& error) {
      leave(error.what());
    }
  }

 private:
  // Once, though two folders may lead to it.
  void say_left(std::string sentence) {
    auto& left = recovery_.left;
    if (std::find(left.begin(), left.end(), sentence) == left.end()) {
      left.push_back(std::move(sentence));
    }
  }

  static std::optional<OutputJournal> read_from(const Descriptor& opened) {
    std::string text(kLongestJournal, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
      const ssize_t got = ::read(opened.get(), text.data() + size, text.size() - size);
      if (got == 0) break;
      if (got < 0 && errno != EINTR) return {};
      if (got > 0) size += static_cast<std::size_t>(got);
    }
    return read_journal(std::string_view(text).substr(0, size));
  }

  // A journal that had not got its name: nothing has changed.
  void remove_if_dead(const std::string& name) const {
    const std::string path = fmt::format("{}/{}", path_, name);
    const Descriptor opened = open_file(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (opened && try_lock(opened) == Lock::kTaken) unlink(path.c_str());
  }

  void roll_forward(const OutputJournal& journal) {
    finish(journal);
    std::vector<std::string> names;
    for (const auto& file : journal.files) names.push_back(journal.target(file));
    recovery_.done.push_back(
        fmt::format("a command was stopped while it put its files in place, which is finished now: "
                    "{} are as it made them",
                    fmt::join(names, ", ")));
  }

  // The journal itself is elsewhere.
  void see_to_copy(const OutputJournal& journal, const std::string& path) {
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(journal.path(0), ignored))) {
      Folder(journal.folders[0], recovery_).see_to(fs::path(path).filename().string(), journal.id);
      return;
    }
    const auto waiting = waiting_files(journal);
    const auto in = [&](std::size_t folder) {
      return std::any_of(waiting.begin(), waiting.end(),
                         [&](const File& file) { return file.folder == folder; });
    };
    // Without a journal the set was not complete: its temporaries are still in the first folder. Or
    // all is finished, and nothing of it is left here.
    if (in(journal.here) && !in(0)) {
      throw Error(fmt::format("{} is not to be found", journal.path(0)));
    }
    unlink(path.c_str());
  }

  std::string path_;
  Recovery& recovery_;
};

}  // namespace

void finish(const OutputJournal& journal) {
  const auto waiting = waiting_files(journal);
  for (const auto& file : waiting) {
    const std::string now = look_of(journal.target(file));
    if (now != file.before && now != kNoFile) {
      throw Error(ErrorKind::kFile, {.file = journal.target(file)}, "was written since");
    }
  }
  // The first folder comes last. While something waits there, all others must be at hand.
  if (std::any_of(waiting.begin(), waiting.end(), [](const File& f) { return f.folder == 0; })) {
    for (std::size_t f = 1; f < journal.folders.size(); ++f) {
      if (!is_file(journal.path(f))) {
        throw Error(ErrorKind::kFile, {.file = journal.path(f)}, "is not to be found");
      }
    }
  }
  for (std::size_t f = journal.folders.size(); f-- > 0;) {
    for (const auto& file : waiting) {
      if (file.folder != f) continue;
      if (std::rename(journal.temporary(file).c_str(), journal.target(file).c_str()) != 0) {
        throw Error(ErrorKind::kFile, {.file = journal.target(file)},
                    fmt::format("cannot be written ({})", std::strerror(errno)));
      }
    }
    // Also after a call that failed: it may have renamed all and synced none.
    sync_or_throw(journal.folders[f], "");
  }
  // If one of them stays, whoever comes next finds nothing to do and removes it.
  for (std::size_t f = journal.folders.size(); f-- > 0;) unlink(journal.path(f).c_str());
}

bool nothing_moved(const OutputJournal& journal) {
  return waiting_files(journal).size() == journal.files.size();
}

Recovery recover_outputs(const std::vector<std::string>& folders) {
  Recovery recovery;
  for (const auto& folder : folders) Folder(folder, recovery).look_through();
  return recovery;
}

std::vector<std::string> stale_temporaries(const std::vector<std::string>& paths) {
  std::vector<std::string> stale;
  for (const auto& path : paths) {
    const std::string place = place_of(path), folder = folder_of(place);
    const std::string start = temporary_name(fs::path(place).filename().string(), "");
    const auto journals = names_in(folder, kJournalPrefix);
    for (const auto& name : names_in(folder, start)) {
      const std::string journal = fmt::format("{}{}", kJournalPrefix, name.substr(start.size()));
      if (std::binary_search(journals.begin(), journals.end(), journal)) continue;
      const std::string temporary = fmt::format("{}/{}", folder, name);
      const Descriptor opened = open_file(temporary, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      if (opened && try_lock(opened, true) == Lock::kTaken) stale.push_back(temporary);
    }
  }
  return stale;
}

}  // namespace pcgs
