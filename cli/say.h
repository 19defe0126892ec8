// What the program says: results on standard output, sentences on standard error.
#pragma once

#include <stdexcept>
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

}  // namespace pcgs::cli
