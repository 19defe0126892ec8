#include "data/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
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
    const bool is_new = open_.back().names.insert(name).second;
    (is_new ? name_ : twice_.emplace()) = std::move(name);
    return is_new;
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
  const std::optional<std::string>& twice() const { return twice_; }

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
  std::optional<std::string> twice_;
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
  const std::size_t nul = text.find('\0');
  if (nul != text.npos) {  // the parser would stop there, content
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
  if (const auto& name = builder.twice()) {
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

namespace pcgs::results {

std::string_view Place::origin() const { return above_ == nullptr ? name_ : above_->origin(); }

std::string Place::path() const {
  if (above_ == nullptr) return {};
  const std::string before = above_->path();
  if (name_.empty()) return fmt::format("{}[{}]", before, index_);
  return fmt::format("{}{}{}", before, before.empty() ? "" : ".", name_);
}

void Place::refuse(std::string_view why) const {
  const std::string field = path();
  throw Error(
      ErrorKind::kFormat, {.file = std::string(origin()), .field = field},
      fmt::format("{}{}{}; give a result as pcgs wrote it", field, field.empty() ? "" : " ", why));
}

void Place::refuse_kind(const ordered_json& kind) const {
  if (kind.is_null()) refuse("has no kind");
  refuse(fmt::format("is of the kind {}, which does not belong here",
                     io::json_text(kind).substr(0, 60)));
}

void Place::require_type(const ordered_json& json, double) const {
  if (!json.is_number()) refuse("is not a number");
}

void Place::require_type(const ordered_json& json, std::size_t) const {
  if (!json.is_number_unsigned()) refuse("is not a whole number of at least 0");
}

void Place::require_type(const ordered_json& json, const std::string&) const {
  if (!json.is_string()) refuse("is not a text");
}

void Place::require_type(const ordered_json& json, bool) const {
  if (!json.is_boolean()) refuse("is neither true nor false");
}

ordered_json parse(std::string_view text, std::string_view origin) {
  return io::parse_json(text, origin, "what pcgs prints as JSON or writes as results");
}

std::size_t budget_from(const std::string& key, const Place& place) {
  std::size_t budget = 0;
  const auto [end, failed] = std::from_chars(key.data(), key.data() + key.size(), budget);
  if (failed != std::errc() || end != key.data() + key.size() || std::to_string(budget) != key) {
    place.refuse("is not a number of switches");
  }
  return budget;
}

Fields::Fields(const ordered_json& in, const Place& place) : in_(&in), place_(&place) {
  if (!in.is_object()) place.refuse("is not an object");
}

void Fields::require(bool holds, const char* key, std::string_view why) const {
  if (reading() && !holds) Place(*place_, key).refuse(why);
}

}  // namespace pcgs::results
