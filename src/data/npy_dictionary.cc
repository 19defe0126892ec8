#include "data/npy_dictionary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, const std::string& origin)
      : text_(text), origin_(origin) {}

  NpyDictionary parse() {
    NpyDictionary found;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted("a key in quotes");
      expect(':');
      if (key == "descr") {
        once(has_type, key);
        found.type = type();
      } else if (key == "fortran_order") {
        once(has_order, key);
        found.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape, key);
        found.shape = shape();
      } else {
        malformed(fmt::format("has a key '{}' that NPY does not know", excerpt(key)));
      }
      if (take(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    if (!left().empty()) malformed("goes on after its closing brace");
    if (!has_type) malformed("lacks the key 'descr'");
    if (!has_order) malformed("lacks the key 'fortran_order'");
    if (!has_shape) malformed("lacks the key 'shape'");
    return found;
  }

 private:
  std::string_view left() const { return text_.substr(at_); }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size()); }

  bool take(char c) {
    skip_space();
    if (left().empty() || left().front() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) expected(fmt::format("'{}'", c));
  }

  std::string_view quoted(std::string_view what) {
    skip_space();
    const char quote = left().empty() ? '\0' : left().front();
    if (quote != '\'' && quote != '"') expected(what);
    const std::size_t start = at_ + 1;
    const std::size_t end = text_.find(quote, start);
    if (end == std::string_view::npos) expected(what);
    at_ = end + 1;
    return text_.substr(start, end - start);
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {std::string_view("False"), std::string_view("True")}) {
      if (left().substr(0, word.size()) != word) continue;
      at_ += word.size();
      return word == "True";
    }
    expected("True or False");
  }

  std::string type() {
    if (take('[')) {
      fail(fmt::format("holds records with named fields; {}", kNpyAcceptedTypes));
    }
    return std::string(quoted("a type in quotes"));
  }

  // Python wants the comma in (3,): (3) is a number, not a tuple.
  std::vector<std::size_t> shape() {
    std::vector<std::size_t> sizes;
    expect('(');
    while (!take(')')) {
      sizes.push_back(dimension());
      if (take(',')) continue;
      if (sizes.size() < 2) expected("','");
      expect(')');
      break;
    }
    return sizes;
  }

  std::size_t dimension() {
    skip_space();
    std::size_t value = 0;
    const char* const start = left().data();
    const auto [stopped, error] = std::from_chars(start, start + left().size(), value);
    if (error == std::errc::result_out_of_range) malformed("has a shape too large to address");
    if (error != std::errc()) expected("a whole number");
    at_ += static_cast<std::size_t>(stopped - start);
    return value;
  }

  void once(bool& seen, std::string_view key) {
    if (seen) malformed(fmt::format("has the key '{}' twice", key));
    seen = true;
  }

  [[noreturn]] void expected(std::string_view what) {
    malformed(fmt::format("should have {} at byte {} but has \"{}\"", what, at_, excerpt(left())));
  }

  [[noreturn]] void malformed(std::string_view why) {
    fail(fmt::format("the NPY header {}; write the file with numpy.save", why));
  }

  [[noreturn]] void fail(std::string_view why) { throw Error(fmt::format("{}: {}", origin_, why)); }

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0;
};

}  // namespace

NpyDictionary parse_npy_dictionary(std::string_view text, const std::string& origin) {
  return DictionaryParser(text, origin).parse();
}

}  // namespace pcgs::io
