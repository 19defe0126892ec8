// Text from users and their files on its way into names and messages; and tables of texts.
//
// Names end up in JSON and in Python, which refuse anything but UTF-8; messages must stay one short
// line whatever the file holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pcgs {

// Without the blanks around it.
std::string_view trimmed(std::string_view text, std::string_view blanks = " ");

// Text before the first mark, or all of it; it is taken away, and the mark with it.
std::string_view cut_off(std::string_view& text, char mark);

// What digits alone say; nothing for anything else, and for more than a number holds.
std::optional<std::uint64_t> whole_number(std::string_view text);

// Whether `text` is well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

// With control characters (those of Unicode's first 256, too) and bytes that are not UTF-8 written as
// \xHH, except for the ones in `kept`.
std::string visible(std::string_view text, std::string_view kept = {});

// `text` as a message shows it: the first 40 bytes (then "..."), with control characters and bytes
// that are not UTF-8 written as \xHH.
std::string excerpt(std::string_view text);

}  // namespace pcgs

namespace pcgs::io {

// A name in a command to copy, as a shell takes it: in full where that is one plain word.
std::string as_argument(std::string_view name);

// A table of texts that can be printed, saved as CSV and typeset.
struct TextTable {
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // each as long as the head, if there is one
  std::size_t left = 1;                        // columns that begin on the left
};

// The first columns to the left, the others to the right, under the caption and the head if there
// are any. Widths count letters, not bytes.
std::string text(const TextTable& table);
std::string csv(const TextTable& table);
// A LaTeX table in the booktabs style; "±" becomes $\pm$.
std::string latex(const TextTable& table, const std::string& label);

// "1 round", "12 rounds".
std::string counted(std::size_t n, const char* what);
// "66 ns", "12 us", "34 ms".
std::string time_text(double ns);

}  // namespace pcgs::io
