#include "pcgs/error.h"

#include <fmt/format.h>

#include <array>

#include "pcgs/note.h"

namespace pcgs {

namespace {

// Around an option in a sentence: BEGIN name END, or BEGIN name IS value END. Control characters that
// no message has otherwise.
constexpr char kBegin = '\x11', kIs = '\x12', kEnd = '\x13';

const Wording& library_wording() {
  static const Wording wording{[](std::string_view name) { return std::string(name); },
                               [](std::string_view name, std::string_view value) {
                                 return value.empty() ? std::string(name)
                                                      : fmt::format("{} = {}", name, value);
                               }};
  return wording;
}

std::string with_place(const ErrorPlace& place, std::string_view sentence) {
  std::string where;
  if (place.row > 0) where = fmt::format("row {}", place.row);
  if (place.line > 0) {
    where +=
        where.empty() ? fmt::format("line {}", place.line) : fmt::format(" (line {})", place.line);
  }
  if (!place.column.empty()) {
    where += fmt::format("{}column {}", where.empty() ? "" : ", ", place.column);
  }
  std::string out;
  for (const std::string& part : {place.file, where}) {
    if (!part.empty()) out += part + ": ";
  }
  return out.append(sentence);
}

// In the order of the enums.
constexpr std::array<std::string_view, 10> kErrorKinds = {
    "file",      "format",   "value",   "missing", "unknown",
    "duplicate", "mismatch", "request", "limit",   "call"};
constexpr std::array<std::string_view, 9> kNoteKinds = {
    "reading", "times", "season", "zeros", "coming", "experts", "unused", "learned", "outliers"};

}  // namespace

std::string_view kind_name(ErrorKind kind) { return kErrorKinds[static_cast<std::size_t>(kind)]; }
std::string_view kind_name(NoteKind kind) { return kNoteKinds[static_cast<std::size_t>(kind)]; }

std::string option(std::string_view name) { return fmt::format("{}{}{}", kBegin, name, kEnd); }

std::string option(std::string_view name, std::string_view value) {
  return fmt::format("{}{}{}{}{}", kBegin, name, kIs, value, kEnd);
}

std::string option_on(std::string_view name) { return option(name, ""); }

std::string worded(std::string_view sentence, const Wording& wording) {
  std::string out;
  while (true) {
    const std::size_t begin = sentence.find(kBegin);
    const std::size_t end = begin == sentence.npos ? sentence.npos : sentence.find(kEnd, begin);
    if (end == sentence.npos) return out.append(sentence);
    out.append(sentence.substr(0, begin));
    const std::string_view inside = sentence.substr(begin + 1, end - begin - 1);
    const std::size_t value = inside.find(kIs);
    out += value == inside.npos ? wording.name(inside)
                                : wording.value(inside.substr(0, value), inside.substr(value + 1));
    sentence.remove_prefix(end + 1);
  }
}

std::string worded(std::string_view sentence) { return worded(sentence, library_wording()); }

Error::Error(ErrorKind kind, ErrorPlace place, std::string_view sentence)
    : Error(std::make_shared<const What>(What{kind, place, with_place(place, sentence)})) {}

Error::Error(std::shared_ptr<const What> what)
    : std::runtime_error(worded(what->sentence)), what_(std::move(what)) {}

}  // namespace pcgs
