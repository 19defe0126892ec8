// The files that a command writes.
#pragma once

#include <string>
#include <vector>

#include "data/output_files.h"

namespace pcgs::cli {

// The names that a command was given. Empty names and - are no files; an input may be a folder.
struct NamedFiles {
  std::vector<std::string> outputs;
  std::vector<std::string> inputs;
};

// Comes before anything is read: if an earlier command was killed while it put its files in place,
// beside these, finishes that. Says so on standard error, a line each, and names temporaries of our
// outputs that such a command left; all that only where not `quiet`. What cannot be finished is always
// said.
void finish_earlier(const NamedFiles& files, bool quiet);

// Throws Error if an output is also an input or another output, by whatever name.
void check_distinct(const NamedFiles& files);

// The page that --report asks for. Nothing where no page is asked for; throws Error where this build
// makes none.
WholeFile* add_page(OutputSet& outputs, const std::string& path);

}  // namespace pcgs::cli
