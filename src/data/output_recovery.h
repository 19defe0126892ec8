// Finishes what a process that was killed while it put its files in place had begun.
#pragma once

#include <string>
#include <vector>

#include "data/output_journal.h"

namespace pcgs {

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
