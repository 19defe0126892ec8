// What is said on the disk while the files of an OutputSet get their names, so that somebody else can
// finish it.
//
// A journal is called pcgs-unfinished-ID and is text, a line each:
//
//   pcgs-unfinished 1
//   # one sentence for a person who finds it
//   id 0123456789abcdef
//   here 0
//   folder /data/results          the folders, from 0 on
//   folder /data/states
//   file 0 none trace.csv         folder, what was there before, name
//   file 1 812-1700000000123456789 state
//   end 89abcdef                  CRC-32 of all that is above
//
// "What was there before" is its size and the time of its last change in nanoseconds. Names have
// bytes below 33, % and 127 as %XX. A file's new content lies beside it as NAME.partial-ID, with the
// id of the journal, until it is renamed; a journal cannot speak of any other file.
//
// The journal in folder 0 is the one that counts: where it is, the set is complete and only names are
// missing; before that, nothing has changed. The other folders hold copies with another number at
// `here`, written before it and removed before it, so that whoever looks there finds it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pcgs {

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

}  // namespace pcgs
