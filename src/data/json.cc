#include "data/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

using nlohmann::ordered_json;

// Over the bytes of a text; says how far the parser, which keeps copies of it, has come.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, const char*& furthest) : at_(at), furthest_(&furthest) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }
  bool operator!=(const Cursor& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

// Builds the value from the parser's events.
class Builder {
 public:
  using number_integer_t = ordered_json::number_integer_t;
  using number_unsigned_t = ordered_json::number_unsigned_t;
  using number_float_t = ordered_json::number_float_t;
  using string_t = ordered_json::string_t;
  using binary_t = ordered_json::binary_t;

  bool null() { return add(nullptr) != nullptr; }
  bool boolean(bool value) { return add(value) != nullptr; }
  bool number_integer(number_integer_t value) { return add(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) { return add(value) != nullptr; }
  bool number_float(number_float_t value, const string_t&) { return add(value) != nullptr; }
  bool string(string_t& value) { return add(std::move(value)) != nullptr; }
  bool binary(binary_t&) { return false; }  // JSON has none

  bool start_object(std::size_t) { return open(ordered_json::object()); }
  bool key(string_t& name) {
    if (!open_.back().names.insert(name).second) {
      twice_ = std::move(name);
      is_twice_ = true;
      return false;
    }
    name_ = std::move(name);
    return true;
  }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(ordered_json::array()); }
  bool end_array() { return close(); }
  // Of the parser: the text is not JSON.
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) {
    return false;
  }

  ordered_json take() { return std::move(root_); }
  bool is_deep() const { return is_deep_; }
  const std::string* twice() const { return is_twice_ ? &twice_ : nullptr; }

 private:
  struct Open {
    ordered_json* value;  // stays where it is: nothing is added beside it before it is closed
    std::set<std::string> names;
  };

  ordered_json* add(ordered_json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    ordered_json& parent = *open_.back().value;
    if (parent.is_array()) {
      auto& items = parent.get_ref<ordered_json::array_t&>();
      return &items.emplace_back(std::move(value));
    }
    // The vector inside: the map's own insertion would compare with every name before it.
    using Object = ordered_json::object_t;
    Object::Container& fields = parent.get_ref<Object&>();
    return &fields.emplace_back(std::move(name_), std::move(value)).second;
  }

  bool open(ordered_json value) {
    if (open_.size() == kDeepestJson) {
      is_deep_ = true;
      return false;
    }
    open_.push_back({add(std::move(value)), {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  ordered_json root_;
  std::vector<Open> open_;
  std::string name_;  // of the value that comes next
  std::string twice_;
  bool is_twice_ = false;
  bool is_deep_ = false;
};

ErrorPlace place_in(std::string_view text, std::size_t bytes, std::string_view origin) {
  const std::string_view before = text.substr(0, bytes);
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 where there is none
  const auto lines = std::count(before.begin(), before.end(), '\n');
  return {.file = std::string(origin),
          .line = static_cast<std::size_t>(lines) + 1,
          .column = std::to_string(std::max<std::size_t>(bytes - line_begin, 1))};
}

}  // namespace

ordered_json parse_json(std::string_view text, std::string_view origin, std::string_view wanted) {
  if (const std::size_t nul = text.find('\0');
      nul != text.npos) {  // the parser would stop there, content
    throw Error(ErrorKind::kFormat, place_in(text, nul + 1, origin),
                fmt::format("not JSON; give {}", wanted));
  }
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* furthest = begin;
  Builder builder;
  if (ordered_json::sax_parse(Cursor(begin, furthest), Cursor(end, furthest), &builder)) {
    return builder.take();
  }
  ErrorPlace place = place_in(text, static_cast<std::size_t>(furthest - begin), origin);
  if (const std::string* name = builder.twice()) {
    place.field = *name;
    throw Error(
        ErrorKind::kDuplicate, std::move(place),
        fmt::format("the key {} stands twice in one object; give {}", excerpt(*name), wanted));
  }
  if (builder.is_deep()) {
    throw Error(ErrorKind::kFormat, std::move(place),
                fmt::format("values are nested more than {} deep; give {}", kDeepestJson, wanted));
  }
  throw Error(ErrorKind::kFormat, std::move(place), fmt::format("not JSON; give {}", wanted));
}

std::string json_text(const ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace pcgs::io
