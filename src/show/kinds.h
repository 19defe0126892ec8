// How a kind of result is made from the fields of its struct: for the .cc file that has these.
#pragma once

#include <algorithm>

#include "data/json.h"
#include "show/result.h"
#include "show/sections.h"

namespace pcgs::results {

struct Difference;
struct ErrorLine;
struct ForecastAnswer;
struct TimeSpan;

void fields(Fields& f, Difference& difference);
void fields(Fields& f, ErrorLine& line);
void fields(Fields& f, TimeSpan& times);
void fields(Fields& f, ForecastAnswer& answer);

// Of a struct that has either a config or budgets.
template <class T>
std::optional<std::size_t> switches_of(const T& one) {
  if constexpr (requires { one.config; }) {
    return one.config.switches;
  } else if constexpr (requires { one.switches; }) {
    const auto most = std::max_element(one.switches.begin(), one.switches.end());
    return most == one.switches.end() ? std::optional<std::size_t>() : *most;
  } else {
    return std::nullopt;
  }
}

// `show` is what puts a T on a page: (const T&, const report::Shown&, report::PageParts&).
template <class T, auto show = nullptr>
Kind make_kind(int place, const char* name = T::kKind) {
  Kind kind;
  kind.name = name;
  kind.place = place;
  kind.read = [](const ordered_json& json, const Place& at) {
    T value;
    decode(json, at, value);
    return Result(std::move(value));
  };
  kind.write = [](const Result& result, int indent) {
    return io::json_text(encode(*result.get_if<T>()), indent);
  };
  if constexpr (show != nullptr) {
    kind.show = [](const report::Shown& one, report::PageParts& page) {
      show(*one.result.template get_if<T>(), one, page);
    };
  }
  kind.switches = [](const Result& result) { return switches_of(*result.get_if<T>()); };
  return kind;
}

}  // namespace pcgs::results
