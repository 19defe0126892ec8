#include "data/output_journal.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>

#include "data/crc32.h"
#include "data/whole_file.h"

namespace pcgs {

namespace {

constexpr std::string_view kFirstLine = "pcgs-unfinished 1";

std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f || byte == '%') {
      out += fmt::format("%{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

template <class Number>
bool read_number(std::string_view text, Number& value, int base = 10) {
  const auto end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, value, base);
  return !text.empty() && problem == std::errc() && stopped == end;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = static_cast<unsigned char>(text[i]);
    if (byte == '%') {
      if (!read_number(text.substr(std::min(i + 1, text.size()), 2), byte, 16)) return {};
      i += 2;
    }
    if (byte == 0 || i >= text.size()) return {};
    out += static_cast<char>(byte);
  }
  return out;
}

std::uint32_t checksum(std::string_view text) {
  return crc32({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::string sentence(const OutputJournal& journal) {
  if (journal.here == 0) {
    return fmt::format(
        "A pcgs command was stopped while it put the files below in place. The next one that reads "
        "or writes here finishes that; by hand: rename every NAME.partial-{} that is still there "
        "to "
        "NAME, then remove this file.",
        journal.id);
  }
  return fmt::format(
      "A pcgs command was stopped while it put the files below in place, or just before. The next "
      "one that reads or writes here sees to it; by hand: do what {} says, or, if there is none, "
      "remove this file, for then nothing has changed.",
      escaped(journal.path(0)));
}

// Takes lines off a text.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool next() {
    const auto end = rest_.find('\n');
    if (end == rest_.npos) return false;
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }
  // The next word of the line.
  std::string_view word() {
    const auto end = std::min(line_.find(' '), line_.size());
    const auto found = line_.substr(0, end);
    line_.remove_prefix(std::min(end + 1, line_.size()));
    return found;
  }
  std::string_view line() const { return line_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view line_, rest_;
};

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos;
}

bool read_line(Lines& lines, OutputJournal& journal) {
  const auto kind = lines.word();
  if (kind == "here") return read_number(lines.word(), journal.here);
  if (kind == "id") {
    journal.id = lines.word();
    return is_id(journal.id);
  }
  if (kind == "folder") {
    auto folder = unescaped(lines.word());
    if (!folder || !folder->starts_with('/')) return false;
    journal.folders.push_back(std::move(*folder));
    return true;
  }
  if (kind != "file") return false;
  OutputJournal::File file;
  if (!read_number(lines.word(), file.folder)) return false;
  file.before = lines.word();
  auto name = unescaped(lines.word());
  if (!name || !is_plain_name(*name)) return false;
  file.name = std::move(*name);
  journal.files.push_back(std::move(file));
  return true;
}

}  // namespace

std::string OutputJournal::path(std::size_t folder) const {
  return fmt::format("{}/{}{}", folders[folder], kJournalPrefix, id);
}

std::string OutputJournal::target(const File& file) const {
  return fmt::format("{}/{}", folders[file.folder], file.name);
}

std::string OutputJournal::temporary(const File& file) const {
  return temporary_name(target(file), id);
}

bool is_id(std::string_view text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::string look_of(const std::string& path) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return kNoFile;
  return fmt::format("{}-{}{:09}", found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

std::string to_text(const OutputJournal& journal) {
  std::string text = fmt::format("{}\n# {}\nid {}\nhere {}\n", kFirstLine, sentence(journal),
                                 journal.id, journal.here);
  for (const auto& folder : journal.folders) text += fmt::format("folder {}\n", escaped(folder));
  for (const auto& file : journal.files) {
    text += fmt::format("file {} {} {}\n", file.folder, file.before, escaped(file.name));
  }
  return text + fmt::format("end {:08x}\n", checksum(text));
}

std::optional<OutputJournal> read_journal(std::string_view text) {
  Lines lines(text);
  if (!lines.next() || lines.line() != kFirstLine) return {};
  if (!lines.next() || !lines.line().starts_with("# ")) return {};
  OutputJournal journal;
  while (lines.next()) {
    if (lines.line().starts_with("end ")) {
      const auto covered = text.substr(0, text.size() - lines.line().size() - 1);
      lines.word();
      std::uint32_t said = 0;
      const bool whole =
          lines.rest().empty() && read_number(lines.line(), said, 16) && said == checksum(covered);
      bool sound = whole && !journal.id.empty() && journal.here < journal.folders.size();
      for (const auto& file : journal.files) sound = sound && file.folder < journal.folders.size();
      if (!sound) return {};
      return journal;
    }
    if (!read_line(lines, journal)) return {};
  }
  return {};
}

}  // namespace pcgs
