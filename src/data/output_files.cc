#include "data/output_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>

#include "data/checksums.h"
#include "data/whole_file.h"
#include "pcgs/error.h"

namespace pcgs {

namespace fs = std::filesystem;

// The journal as text.

namespace {

constexpr std::string_view kFirstLine = "pcgs-unfinished 1";

std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f || byte == '%') {
      out += fmt::format("%{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

template <class Number>
bool read_number(std::string_view text, Number& value, int base = 10) {
  const auto end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, value, base);
  return !text.empty() && problem == std::errc() && stopped == end;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = static_cast<unsigned char>(text[i]);
    if (byte == '%') {
      if (!read_number(text.substr(std::min(i + 1, text.size()), 2), byte, 16)) return {};
      i += 2;
    }
    if (byte == 0 || i >= text.size()) return {};
    out += static_cast<char>(byte);
  }
  return out;
}

std::uint32_t checksum(std::string_view text) {
  return crc32({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::string sentence(const OutputJournal& journal) {
  if (journal.here == 0) {
    return fmt::format(
        "A pcgs command was stopped while it put the files below in place. The next one that reads "
        "or writes here finishes that; by hand: rename every NAME.partial-{} that is still there "
        "to "
        "NAME, then remove this file.",
        journal.id);
  }
  return fmt::format(
      "A pcgs command was stopped while it put the files below in place, or just before. The next "
      "one that reads or writes here sees to it; by hand: do what {} says, or, if there is none, "
      "remove this file, for then nothing has changed.",
      escaped(journal.path(0)));
}

// Takes lines off a text.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool next() {
    const auto end = rest_.find('\n');
    if (end == rest_.npos) return false;
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }
  // The next word of the line.
  std::string_view word() {
    const auto end = std::min(line_.find(' '), line_.size());
    const auto found = line_.substr(0, end);
    line_.remove_prefix(std::min(end + 1, line_.size()));
    return found;
  }
  std::string_view line() const { return line_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view line_, rest_;
};

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos;
}

bool read_line(Lines& lines, OutputJournal& journal) {
  const auto kind = lines.word();
  if (kind == "here") return read_number(lines.word(), journal.here);
  if (kind == "id") {
    journal.id = lines.word();
    return is_id(journal.id);
  }
  if (kind == "folder") {
    auto folder = unescaped(lines.word());
    if (!folder || !folder->starts_with('/')) return false;
    journal.folders.push_back(std::move(*folder));
    return true;
  }
  if (kind != "file") return false;
  OutputJournal::File file;
  if (!read_number(lines.word(), file.folder)) return false;
  file.before = lines.word();
  auto name = unescaped(lines.word());
  if (!name || !is_plain_name(*name)) return false;
  file.name = std::move(*name);
  journal.files.push_back(std::move(file));
  return true;
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
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::string look_of(const std::string& path) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return kNoFile;
  return fmt::format("{}-{}{:09}", found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

std::string to_text(const OutputJournal& journal) {
  std::string text = fmt::format("{}\n# {}\nid {}\nhere {}\n", kFirstLine, sentence(journal),
                                 journal.id, journal.here);
  for (const auto& folder : journal.folders) text += fmt::format("folder {}\n", escaped(folder));
  for (const auto& file : journal.files) {
    text += fmt::format("file {} {} {}\n", file.folder, file.before, escaped(file.name));
  }
  return text + fmt::format("end {:08x}\n", checksum(text));
}

std::optional<OutputJournal> read_journal(std::string_view text) {
  Lines lines(text);
  if (!lines.next() || lines.line() != kFirstLine) return {};
  if (!lines.next() || !lines.line().starts_with("# ")) return {};
  OutputJournal journal;
  while (lines.next()) {
    if (lines.line().starts_with("end ")) {
      const auto covered = text.substr(0, text.size() - lines.line().size() - 1);
      lines.word();
      std::uint32_t said = 0;
      const bool whole =
          lines.rest().empty() && read_number(lines.line(), said, 16) && said == checksum(covered);
      bool sound = whole && !journal.id.empty() && journal.here < journal.folders.size();
      for (const auto& file : journal.files) sound = sound && file.folder < journal.folders.size();
      if (!sound) return {};
      return journal;
    }
    if (!read_line(lines, journal)) return {};
  }
  return {};
}

// A set.

namespace {

void sync_or_throw(const std::string& folder) {
  if (const int why = sync_folder(folder); why != 0) {
    throw Error(ErrorKind::kFile, {.file = folder},
                fmt::format("cannot be synced ({}); what was there before is unchanged",
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
  if (const int why = sync_folder(journal.folders[0]); why != 0 && said.remove()) {
    throw Error(ErrorKind::kFile, {.file = journal.folders[0]},
                fmt::format("cannot be synced ({}); what was there before is unchanged",
                            std::strerror(why)));
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

// The names in a folder, in order; none if it cannot be read.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  // Not std::filesystem's iterator, which ends the program without a word where memory ends.
  const std::unique_ptr<DIR, int (*)(DIR*)> all(opendir(folder.c_str()), closedir);
  while (const dirent* entry = all ? readdir(all.get()) : nullptr)
    names.emplace_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

void rename_all(const OutputJournal& journal, const std::vector<File>& files, bool in_first) {
  for (const auto& file : files) {
    if ((file.folder == 0) != in_first) continue;
    if (std::rename(journal.temporary(file).c_str(), journal.target(file).c_str()) != 0) {
      throw Error(ErrorKind::kFile, {.file = journal.target(file)},
                  fmt::format("cannot be written ({})", std::strerror(errno)));
    }
  }
  // Also after a call that failed: it may have renamed all and synced none.
  for (std::size_t f = in_first ? 0 : 1; f < (in_first ? 1 : journal.folders.size()); ++f) {
    if (const int why = sync_folder(journal.folders[f]); why != 0) {
      throw Error(ErrorKind::kFile, {.file = journal.folders[f]},
                  fmt::format("cannot be synced ({})", std::strerror(why)));
    }
  }
}

// One folder and what is unfinished in it.
class Folder {
 public:
  Folder(std::string path, Recovery& recovery) : path_(std::move(path)), recovery_(recovery) {}

  void look_through() {
    const auto names = names_in(path_);
    const bool any = std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return name.starts_with(kJournalPrefix);
    });
    if (!any) return;
    const Descriptor waited = lock_folder(path_);  // until a process that lives has finished
    for (const auto& name : names) {
      const std::string_view view = name;
      if (!view.starts_with(kJournalPrefix)) continue;
      const auto id = view.substr(kJournalPrefix.size());
      if (is_id(id)) {
        see_to(name, std::string(id));
      } else if (is_id(id.substr(0, 16)) &&
                 temporary_name(view.substr(0, kJournalPrefix.size() + 16), id.substr(0, 16)) ==
                     name) {
        remove_if_dead(name);
      }
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
  rename_all(journal, waiting, false);
  rename_all(journal, waiting, true);
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
    const auto names = names_in(folder);
    for (const auto& name : names) {
      if (!name.starts_with(start)) continue;
      const std::string journal = fmt::format("{}{}", kJournalPrefix, name.substr(start.size()));
      if (std::binary_search(names.begin(), names.end(), journal)) continue;
      const std::string temporary = fmt::format("{}/{}", folder, name);
      const Descriptor opened = open_file(temporary, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      if (opened && try_lock(opened, true) == Lock::kTaken) stale.push_back(temporary);
    }
  }
  return stale;
}

}  // namespace pcgs
