// What the program says: results on standard output, sentences on standard error.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "pcgs/error.h"

namespace pcgs::cli {

// How sentences of the library name options: "block" is --block, "outcome" is --y.
const Wording& program_words();

// Standard output cannot be written: the disk is full, say.
class LostOutput : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Text for people. Control characters, which may have come from a file or an argument and would
// command the terminal, are shown as \xHH; line ends are kept. Throws LostOutput.
void say(std::string_view text);
// Text for programs, as it is. Throws LostOutput.
void put(std::string_view text);
// Throws LostOutput if something that was said did not arrive.
void finish_saying();

// "pcgs: SENTENCE" on a line of standard error, whatever characters are in it. Never throws: who
// cannot be told is not told.
void complain(std::string_view sentence) noexcept;

// What pcgs --version says: the version, the commit that was built and what the kernels compute with
// here. The last bits of results depend on the last two.
std::string version();

// Memory that ends where no exception can pass.
inline constexpr const char* kOutOfMemory =
    "pcgs: this does not fit into memory; give fewer rounds or experts\n";

// From here on, a bad_alloc that leaves a destructor (those of JSON values allocate) or is caught by
// nobody ends the program as one that main() catches does: one sentence, exit code 2, no temporaries.
// Any other exception that nobody catches is our fault and aborts, without temporaries too.
void end_well_without_memory();

}  // namespace pcgs::cli
