#include "data/output_recovery.h"

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
#include <filesystem>
#include <memory>
#include <optional>

#include "data/descriptor.h"
#include "data/whole_file.h"
#include "pcgs/error.h"

namespace pcgs {

namespace fs = std::filesystem;

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
      throw Error(
          fmt::format("{}: cannot be written ({})", journal.target(file), std::strerror(errno)));
    }
  }
  // Also after a call that failed: it may have renamed all and synced none.
  for (std::size_t f = in_first ? 0 : 1; f < (in_first ? 1 : journal.folders.size()); ++f) {
    if (const int why = sync_folder(journal.folders[f]); why != 0) {
      throw Error(fmt::format("{}: cannot be synced ({})", journal.folders[f], std::strerror(why)));
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
      throw Error(fmt::format("{}: was written since", journal.target(file)));
    }
  }
  // The first folder comes last. While something waits there, all others must be at hand.
  if (std::any_of(waiting.begin(), waiting.end(), [](const File& f) { return f.folder == 0; })) {
    for (std::size_t f = 1; f < journal.folders.size(); ++f) {
      if (!is_file(journal.path(f))) {
        throw Error(fmt::format("{}: is not to be found", journal.path(f)));
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
