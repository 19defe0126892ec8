// The files of one run, which appear together or not at all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/output_journal.h"
#include "data/whole_file.h"

namespace pcgs {

// Every file is opened, and refused if it cannot be written, when it is added; none is there before
// commit(). Dropped without, the set leaves nothing behind, also no folder that it made.
//
// commit() puts all of them on the disk under the names of temporaries, then says so in a journal
// (output_journal.h), then renames them and removes the journal. Killed before the journal is there,
// all files are the old ones; killed afterwards, the next command finishes it (output_recovery.h).
// Who publishes in a folder holds it meanwhile, so two sets with the same names do not mix either.
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

}  // namespace pcgs
