// The files of one run, which appear together or not at all; and the end of what a process that was killed had begun.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/whole_file.h"

namespace pcgs {

// What is said on the disk while the files of an OutputSet get their names, so that somebody else can
// finish it.
//
// A journal is called pcgs-unfinished-ID and is text, a line each:
//
//   pcgs-unfinished 1
//   # one sentence for a person who finds it
//   id 0123456789abcdef
//   here 0
//   folder "/data/results"        the folders, from 0 on
//   folder "/data/states"
//   file 0 none "trace.csv"       folder, what was there before, name
//   file 1 812-1700000000123456789 "state"
//   end 89abcdef                  CRC-32 of all that is above
//
// "What was there before" is its size and the time of its last change in nanoseconds. In names
// quotes and backslashes have a backslash before them. A file's new content lies beside it as NAME.partial-ID, with the
// id of the journal, until it is renamed; a journal cannot speak of any other file.
//
// The journal in folder 0 is the one that counts: where it is, the set is complete and only names are
// missing; before that, nothing has changed. The other folders hold copies with another number at
// `here`, written before it and removed before it, so that whoever looks there finds it.
struct OutputJournal {
  struct File {
    std::size_t folder = 0;
    std::string before;
    std::string name;
  };
  std::string id;
  std::size_t here = 0;
  std::vector<std::string> folders;
  std::vector<File> files;

  // Where its copy in this folder lies.
  std::string path(std::size_t folder) const;
  std::string target(const File& file) const;
  std::string temporary(const File& file) const;
};

inline constexpr std::string_view kJournalPrefix = "pcgs-unfinished-";
inline constexpr std::size_t kLongestJournal = std::size_t{1} << 20;

std::string to_text(const OutputJournal& journal);
// Nothing if this is no journal, or a damaged one.
std::optional<OutputJournal> read_journal(std::string_view text);

bool is_id(std::string_view text);

// What a file looks like, for File::before.
inline constexpr const char* kNoFile = "none";
std::string look_of(const std::string& path);

// Every file is opened, and refused if it cannot be written, when it is added; none is there before
// commit(). Dropped without, the set leaves nothing behind, also no folder that it made.
//
// commit() puts all of them on the disk under the names of temporaries, then says so in a journal
// (OutputJournal), then renames them and removes the journal. Killed before the journal is there,
// all files are the old ones; killed afterwards, the next command finishes it (recover_outputs).
// A set that publishes in a folder holds it meanwhile, so two sets with the same names do not mix either.
class OutputSet {
 public:
  OutputSet() = default;
  ~OutputSet();
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;

  // Makes a folder, with those above it. Throws Error if it cannot be made.
  void add_folder(const std::string& path);
  // Throws Error if the file cannot be written, or if it is in the set already, by whatever name.
  // The file lives until commit(), or as long as the set.
  WholeFile& add(const std::string& path);

  // Throws Error if something could not be written: what was there before is unchanged then, or the
  // sentence says that it is not, and the journal stays.
  void commit();

 private:
  OutputJournal journal() const;
  void put_in_place(const OutputJournal& journal);

  std::string id_;
  std::vector<std::unique_ptr<WholeFile>> files_;
  std::vector<std::string> made_;  // folders, in the order in which they were made
};

// Gives every file of a complete set its name and removes the journal and its copies. Whoever calls
// holds the journal. May be called again after it failed, by anybody. Throws Error, with what has
// gone wrong and not what follows from it:
// - if a file that has not been replaced yet is not what it was: it was written since, and that is
//   not lost to something older. Nothing is moved then;
// - if one of the folders is not the one that it was, or not there. Nothing is moved then;
// - if a file cannot be renamed, or a folder cannot be synced.
void finish(const OutputJournal& journal);

// Whether no file of the set has its name yet.
bool nothing_moved(const OutputJournal& journal);

struct Recovery {
  std::vector<std::string> done;  // sentences about what was finished
  std::vector<std::string> left;  // about what could not be: files may be mixed
};

// Looks through these folders. What a process that lives has begun is waited for, and what a dead one
// began is finished, or cleaned away if it had not got so far. What another user began, and what is no
// journal, is left alone. Folders that are not there are none.
Recovery recover_outputs(const std::vector<std::string>& folders);

// Temporaries of these files whose process was killed before they were complete. Those of which a
// journal speaks are not among them.
std::vector<std::string> stale_temporaries(const std::vector<std::string>& paths);

}  // namespace pcgs
