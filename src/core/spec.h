// How methods and families of sequences are written, with their options:
//
//     name      name{a=1,b=2}      name:a=1:b=2
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/number_option.h"

namespace pcgs {

// Views into the text that was parsed.
struct Spec {
  std::string_view name;
  std::vector<std::string_view> assignments;  // "a=1", "b=2"
};

std::string_view trimmed(std::string_view text);

// `kind` is what it names, for messages: "method". Throws Error.
Spec parse_spec(std::string_view kind, std::string_view text);

// "a,b{x=1,y=2},c" -> the three texts; commas inside braces do not separate. Throws Error if one is
// empty.
std::vector<std::string> split_list(std::string_view kind, std::string_view list);

// One value for each option, in their order: as assigned, else standard. Throws Error with what
// would be accepted.
std::vector<double> option_values(std::string_view kind, const Spec& spec,
                                  std::span<const NumberOption> options);

// "a, b, c", for messages.
template <class Range>
std::string listed_names(const Range& range) {
  std::string out;
  for (const auto& item : range) out += (out.empty() ? "" : ", ") + std::string(item.name);
  return out;
}

}  // namespace pcgs
