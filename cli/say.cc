#include "say.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "data/text.h"
#include "out_of_memory.h"

namespace pcgs::cli {

namespace {

[[noreturn]] void lost() {
  throw LostOutput(
      fmt::format("the result could not be written to standard output ({})", std::strerror(errno)));
}

}  // namespace

void put(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) lost();
}

void say(std::string_view text) { put(visible(text, "\n")); }

void finish_saying() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) lost();
}

void complain(std::string_view sentence) noexcept {
  try {
    const std::string line = fmt::format("pcgs: {}\n", visible(sentence));
    std::fwrite(line.data(), 1, line.size(), stderr);
  } catch (...) {  // no memory for the sentence
    std::fputs(kOutOfMemory, stderr);
  }
}

}  // namespace pcgs::cli
