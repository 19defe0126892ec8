#include "say.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <new>

#include "core/kernels.h"
#include "data/text.h"
#include "data/whole_file.h"
#include "pcgs_commit.h"

namespace pcgs::cli {

namespace {

[[noreturn]] void lost() {
  throw LostOutput(
      fmt::format("the result could not be written to standard output ({})", std::strerror(errno)));
}

[[noreturn]] void end() {
  remove_temporaries_for_good();
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    std::fputs(kOutOfMemory, stderr);
    _exit(2);
  } catch (...) {
  }
  std::abort();
}

}  // namespace

const Wording& program_words() {
  static const std::map<std::string_view, std::string_view> others = {
      {"outcome", "--y"},
      {"series", "--by"},
      {"model_column", "--expert-column"},
      {"models", "--experts"},
      {"methods", "--method"},
      {"model_file", "--model"},
      {"state", "--resume"},
      {"calibrate", "--no-calibration"}};
  static const auto name_of = [](std::string_view name) {
    const auto at = others.find(name);
    if (at != others.end()) return std::string(at->second);
    std::string out = "--" + std::string(name);
    std::ranges::replace(out, '_', '-');
    return out;
  };
  static const Wording words{
      name_of, [](std::string_view name, std::string_view value) {
        if (value == "none") {  // a switch of its own
          return name == "season" ? std::string("--no-season") : name_of(name);
        }
        return value.empty() ? name_of(name) : fmt::format("{} {}", name_of(name), value);
      }};
  return words;
}

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

std::string version() {
  return fmt::format("pcgs {} (commit {}, {})", PCGS_VERSION, PCGS_COMMIT, instruction_set());
}

void end_well_without_memory() { std::set_terminate(end); }

}  // namespace pcgs::cli
