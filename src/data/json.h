// JSON in files and requests: one reader and one writer.
//
// The reader takes exactly one value. It refuses what is not JSON, text that is not UTF-8, anything but space after the
// value, a name that stands twice in one object, and values that are nested more than kDeepestJson deep. Its cost is
// linear in the length of the text (but for the logarithm in looking up names), whatever the text is: objects of
// nlohmann's own parser cost the square of their names, and its callback the square of the length.
//
// How the fields of results stand in JSON is said once for reading and for writing: a struct names its fields in one
// function, fields(Fields&, Struct&), in the order in which they are written; one with a kKind has that before them.
// Reading throws an Error that names the origin and the field that is missing or of another type; fields without a name
// here are passed over.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace pcgs::io {

inline constexpr std::size_t kDeepestJson = 32;

// Names in the order of the text. Throws Error of the kind kFormat, or kDuplicate for a name that stands twice; the
// place is `origin` as the file, the line, and as the column the number of the byte in that line. `wanted` ends the
// sentence: "give ...".
nlohmann::ordered_json parse_json(std::string_view text, std::string_view origin,
                                  std::string_view wanted);

// indent -1: on one line. What is not UTF-8, such as the path of a file, gets replacement signs.
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace pcgs::io

namespace pcgs::results {

using nlohmann::ordered_json;

// JSON has no infinity: what is not finite is no number in a result.
inline std::optional<double> finite(double x) {
  return std::isfinite(x) ? std::optional(x) : std::nullopt;
}

// One value for each budget, in the order of the budgets; none where no path stays awake. In JSON
// an object whose keys are the budgets.
template <class T>
struct ByBudget {
  std::vector<std::pair<std::size_t, std::optional<T>>> at_budgets;

  // Null if this budget was not asked for.
  const std::optional<T>* find(std::size_t switches) const {
    const auto at = std::find_if(at_budgets.begin(), at_budgets.end(),
                                 [&](const auto& one) { return one.first == switches; });
    return at == at_budgets.end() ? nullptr : &at->second;
  }
  // Requires that it was.
  const std::optional<T>& at(std::size_t switches) const { return *find(switches); }
  bool has_all(const std::vector<std::size_t>& switches) const {
    return std::all_of(switches.begin(), switches.end(),
                       [&](std::size_t s) { return find(s) != nullptr; });
  }
  bool operator==(const ByBudget&) const = default;
};

inline ByBudget<double> by_budget(const std::vector<std::size_t>& switches,
                                  const std::vector<double>& values) {
  ByBudget<double> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (out.find(switches[i]) != nullptr) continue;
    out.at_budgets.emplace_back(switches[i], finite(values[i]));
  }
  return out;
}

// Values under names, in order; in JSON an object.
template <class T>
struct ByName {
  std::vector<std::pair<std::string, T>> by_name;

  bool operator==(const ByName&) const = default;
};

// A value inside a result, for messages: "results.json: methods[2].mean".
class Place {
 public:
  explicit Place(std::string_view origin) : name_(origin) {}
  Place(const Place& above, std::string_view field) : above_(&above), name_(field) {}
  Place(const Place& above, std::size_t index) : above_(&above), index_(index) {}

  [[noreturn]] void refuse(std::string_view why) const;  // throws Error
  [[noreturn]] void refuse_kind(const ordered_json& kind) const;
  // Refuse what is not of the type of the second.
  void require_type(const ordered_json& json, double) const;
  void require_type(const ordered_json& json, std::size_t) const;
  void require_type(const ordered_json& json, bool) const;
  void require_type(const ordered_json& json, const std::string&) const;

 private:
  std::string_view origin() const;
  std::string path() const;  // "methods[2].mean"

  const Place* above_ = nullptr;  // must outlive this one
  std::string_view name_{};       // empty: the index-th of a list
  std::size_t index_ = 0;
};

// The text as JSON. Throws Error if it is none, nested deeper than any result, or has a key twice.
ordered_json parse(std::string_view text, std::string_view origin);

// The number that the key of a budget is.
std::size_t budget_from(const std::string& key, const Place& place);

template <class T>
ordered_json encode(const T& value);
template <class T>
void decode(const ordered_json& json, const Place& place, T& out);

class Fields {
 public:
  explicit Fields(ordered_json& out) : out_(&out) {}
  Fields(const ordered_json& in, const Place& place);  // refuses what is no object

  // A field that is always there; an empty optional is null.
  template <class T>
  void operator()(const char* key, T& value) {
    if (!reading()) {
      (*out_)[key] = encode(value);
      return;
    }
    const Place below(*place_, key);
    const auto at = in_->find(key);
    if (at == in_->end()) below.refuse("is missing");
    decode(*at, below, value);
  }
  // Several of them, in this order.
  template <class T, class... Others>
  void operator()(const char* key, T& value, const char* next, Others&... others) {
    (*this)(key, value);
    (*this)(next, others...);
  }

  // A field that is left out where there is nothing to say: an empty optional, list or text, or what is T{}.
  template <class T>
  void unless_empty(const char* key, T& value) {
    if (reading()) value = T{};
    if constexpr (requires { value.has_value(); }) {
      if (reading() && in_->contains(key)) value = typename T::value_type{};
      if (value) (*this)(key, *value);
    } else if constexpr (requires { value.empty(); }) {
      if (reading() ? in_->contains(key) : !value.empty()) (*this)(key, value);
    } else {
      if (reading() ? in_->contains(key) : value != T{}) (*this)(key, value);
    }
  }

  // Several of them, in this order.
  template <class T, class... Others>
  void unless_empty(const char* key, T& value, const char* next, Others&... others) {
    unless_empty(key, value);
    unless_empty(next, others...);
  }

  // Fields that stand here and are there together, or not at all: `key` is one of them.
  template <class T>
  void together(const char* key, std::optional<T>& value) {
    if (reading()) value = in_->contains(key) ? std::optional<T>(T{}) : std::nullopt;
    if (value) fields(*this, *value);
  }

  // Reading: throws Error unless it holds. Writing: nothing.
  void require(bool holds, const char* key, std::string_view why) const;

 private:
  bool reading() const { return out_ == nullptr; }

  ordered_json* out_ = nullptr;
  const ordered_json* in_ = nullptr;
  const Place* place_ = nullptr;
};

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

template <class T>
ordered_json encode(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (IsList<T>::value) {
    ordered_json out = ordered_json::array();
    for (const auto& one : value) out.push_back(encode(one));
    return out;
  } else if constexpr (requires { value.has_value(); }) {
    return value ? encode(*value) : ordered_json(nullptr);
  } else if constexpr (requires { value.at_budgets; }) {
    ordered_json out = ordered_json::object();
    for (const auto& [switches, at] : value.at_budgets) out[std::to_string(switches)] = encode(at);
    return out;
  } else if constexpr (requires { value.by_name; }) {
    ordered_json out = ordered_json::object();
    for (const auto& [name, one] : value.by_name) out[name] = encode(one);
    return out;
  } else if constexpr (requires { value.valueless_by_exception(); }) {
    return std::visit([](const auto& one) { return encode(one); }, value);
  } else {
    ordered_json out = ordered_json::object();
    if constexpr (requires { T::kKind; }) out["kind"] = T::kKind;
    Fields writer(out);
    fields(writer, const_cast<T&>(value));  // a writer changes nothing
    return out;
  }
}

// An object whose keys are read by `read_key`.
template <class Entries, class ReadKey>
void decode_entries(const ordered_json& json, const Place& place, Entries& out,
                    const ReadKey& read_key) {
  if (!json.is_object()) place.refuse("is not an object");
  out.clear();
  for (const auto& [key, value] : json.items()) {
    const Place below(place, key);
    auto& [name, one] = out.emplace_back();
    name = read_key(key, below);
    decode(value, below, one);
  }
}

// The alternative whose kKind the object names.
template <class... Kinds>
void decode_kind(const ordered_json& json, const Place& place, std::variant<Kinds...>& out) {
  if (!json.is_object()) place.refuse("is not an object");
  const auto kind = json.value("kind", ordered_json(nullptr));
  const auto read_if = [&]<class Kind>(std::type_identity<Kind>) {
    if (kind != Kind::kKind) return false;
    decode(json, place, out.template emplace<Kind>());
    return true;
  };
  if (!(read_if(std::type_identity<Kinds>()) || ...)) place.refuse_kind(kind);
}

template <class T>
void decode(const ordered_json& json, const Place& place, T& out) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    place.require_type(json, T{});
    out = json.get<T>();
  } else if constexpr (IsList<T>::value) {
    if (!json.is_array()) place.refuse("is not a list");
    out.clear();
    out.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
      decode(json[i], Place(place, i), out.emplace_back());
    }
  } else if constexpr (requires { out.has_value(); }) {
    out.reset();
    if (json.is_null()) return;
    out =
        typename T::value_type{};  // emplace() is too early for clang inside the class that holds T
    decode(json, place, *out);
  } else if constexpr (requires { out.at_budgets; }) {
    decode_entries(json, place, out.at_budgets, budget_from);
  } else if constexpr (requires { out.by_name; }) {
    decode_entries(json, place, out.by_name,
                   [](const std::string& key, const Place&) { return key; });
  } else if constexpr (requires { out.valueless_by_exception(); }) {
    decode_kind(json, place, out);
  } else {
    Fields reader(json, place);
    fields(reader, out);
  }
}

}  // namespace pcgs::results
