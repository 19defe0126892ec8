#include "data/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "data/as_argument.h"
#include "data/input_bytes.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

// A command that can be copied.
std::string conversion(std::string_view from, const std::string& origin) {
  const std::string iconv = fmt::format("iconv -f {} -t UTF-8", from);
  if (origin == kStandardInput) return iconv;
  if (origin.ends_with(".gz")) {
    return fmt::format("zcat {} | {} > new.csv", as_argument(origin), iconv);
  }
  return fmt::format("{} {} > new.csv", iconv, as_argument(origin));
}

bool has_nul_in_every_second_byte(std::string_view text, std::size_t first) {
  constexpr std::size_t kLookedAt = 64;
  const std::string_view start = text.substr(0, kLookedAt);
  if (start.size() < 4) return false;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if ((start[i] == '\0') != (i % 2 == first)) return false;
  }
  return true;
}

}  // namespace

void require_text(std::string_view text, const std::string& origin) {
  const auto refuse_utf16 = [&](std::string_view from) {
    throw Error(fmt::format("{}: is in UTF-16; give UTF-8, which you get with {}", origin,
                            conversion(from, origin)));
  };
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) refuse_utf16("UTF-16");
  const std::size_t nul = text.find('\0');
  if (nul == std::string_view::npos) return;
  // Without a mark iconv takes the order of our own machines, which is little-endian.
  if (has_nul_in_every_second_byte(text, 1)) refuse_utf16("UTF-16");
  if (has_nul_in_every_second_byte(text, 0)) refuse_utf16("UTF-16BE");
  const std::string_view before = text.substr(0, nul);
  throw Error(
      fmt::format("{}: line {} holds a NUL byte, so this is not a text file; give CSV in UTF-8",
                  origin, 1 + std::count(before.begin(), before.end(), '\n')));
}

std::string latin1_advice(const std::string& origin) {
  return fmt::format("if it is Latin-1, convert it with {}", conversion("ISO-8859-1", origin));
}

}  // namespace pcgs::io
