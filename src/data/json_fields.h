// How the fields of results stand in JSON, said once for reading and for writing.
//
// A struct names its fields in one function, fields(Fields&, Struct&), in the order in which they
// are written; one with a kKind has that before them. Reading throws an Error that names the origin
// and the field that is missing or of another type; fields without a name here are passed over.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "data/keyed_values.h"

namespace pcgs::results {

using nlohmann::ordered_json;

// A value inside a result, for messages: "results.json: methods[2].mean".
class Place {
 public:
  explicit Place(std::string_view origin) : name_(origin) {}
  Place(const Place& above, std::string_view field) : above_(&above), name_(field) {}
  Place(const Place& above, std::size_t index) : above_(&above), index_(index) {}

  [[noreturn]] void refuse(std::string_view why) const;  // throws Error
  [[noreturn]] void refuse_kind(const ordered_json& kind) const;

 private:
  std::string_view origin() const;
  std::string path() const;  // "methods[2].mean"

  const Place* above_ = nullptr;  // must outlive this one
  std::string_view name_{};       // empty: the index-th of a list
  std::size_t index_ = 0;
};

// The text as JSON. Throws Error if it is none, nested deeper than any result, or has a key twice.
ordered_json parse(std::string_view text, std::string_view origin);

void decode(const ordered_json& json, const Place& place, double& out);
void decode(const ordered_json& json, const Place& place, std::size_t& out);
void decode(const ordered_json& json, const Place& place, std::string& out);
void decode(const ordered_json& json, const Place& place, bool& out);
// The number that the key of a budget is.
std::size_t budget_from(const std::string& key, const Place& place);

template <class T>
ordered_json encode(const T& value);
template <class T>
void decode(const ordered_json& json, const Place& place, T& out);
template <class T>
void decode(const ordered_json& json, const Place& place, std::optional<T>& out);
template <class T>
void decode(const ordered_json& json, const Place& place, std::vector<T>& out);
template <class T>
void decode(const ordered_json& json, const Place& place, ByBudget<T>& out);
template <class T>
void decode(const ordered_json& json, const Place& place, ByName<T>& out);
// The alternative whose kKind the object names.
template <class... Kinds>
void decode(const ordered_json& json, const Place& place, std::variant<Kinds...>& out);

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

  // A field that is left out where there is nothing to say.
  template <class T>
  void unless_empty(const char* key, std::optional<T>& value) {
    if (reading()) value.reset();
    if (reading() ? in_->contains(key) : value.has_value()) {
      if (reading()) value = T{};  // emplace() is too early for clang inside the class that holds T
      (*this)(key, *value);
    }
  }
  template <class T>
  void unless_empty(const char* key, std::vector<T>& value) {
    if (reading()) value.clear();
    if (reading() ? in_->contains(key) : !value.empty()) (*this)(key, value);
  }
  // The same for texts, and for what is false.
  template <class T>
  void unless_empty(const char* key, T& value) {
    if (reading()) value = T{};
    if (reading() ? in_->contains(key) : value != T{}) (*this)(key, value);
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

template <class T>
void decode(const ordered_json& json, const Place& place, T& out) {
  Fields reader(json, place);
  fields(reader, out);
}

template <class T>
void decode(const ordered_json& json, const Place& place, std::optional<T>& out) {
  out.reset();
  if (json.is_null()) return;
  out = T{};
  decode(json, place, *out);
}

template <class T>
void decode(const ordered_json& json, const Place& place, std::vector<T>& out) {
  if (!json.is_array()) place.refuse("is not a list");
  out.clear();
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    decode(json[i], Place(place, i), out.emplace_back());
  }
}

template <class T>
void decode(const ordered_json& json, const Place& place, ByBudget<T>& out) {
  if (!json.is_object()) place.refuse("is not an object");
  out.at_budgets.clear();
  for (const auto& [key, value] : json.items()) {
    const Place below(place, key);
    auto& at = out.at_budgets.emplace_back();
    at.first = budget_from(key, below);
    decode(value, below, at.second);
  }
}

template <class T>
void decode(const ordered_json& json, const Place& place, ByName<T>& out) {
  if (!json.is_object()) place.refuse("is not an object");
  out.by_name.clear();
  for (const auto& [key, value] : json.items()) {
    const Place below(place, key);
    auto& at = out.by_name.emplace_back();
    at.first = key;
    decode(value, below, at.second);
  }
}

template <class... Kinds>
void decode(const ordered_json& json, const Place& place, std::variant<Kinds...>& out) {
  if (!json.is_object()) place.refuse("is not an object");
  const auto kind = json.value("kind", ordered_json(nullptr));
  const auto read_if = [&]<class Kind>(std::type_identity<Kind>) {
    if (kind != Kind::kKind) return false;
    decode(json, place, out.template emplace<Kind>());
    return true;
  };
  if (!(read_if(std::type_identity<Kinds>()) || ...)) place.refuse_kind(kind);
}

}  // namespace pcgs::results
