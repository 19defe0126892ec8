// How methods and families of sequences are written, with their options:
//
//     name      name{a=1,b=2}      name{file=/a/path}      name{file="a path, with a comma"}
//
// A value is a number or a text. A text that holds a comma, a brace or a double quote, or that
// begins or ends with a space, stands in double quotes; a double quote inside it is doubled, as in
// CSV. A name may hold a colon.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/option.h"

namespace pcgs {

struct Assignment {
  std::string key;
  std::string value;  // without its quotes
};

struct Spec {
  std::string name;
  std::vector<Assignment> assignments;
};

// `kind` is what it names, for messages: "method". Throws Error.
Spec parse_spec(std::string_view kind, std::string_view text);

// What parse_spec() would read as this.
std::string spec_text(const Spec& spec);

// "a,b{x=1,y=2},c" -> the three texts; commas inside braces do not separate. Throws Error if one is
// empty.
std::vector<std::string> split_list(std::string_view kind, std::string_view list);

// Neither where nothing was assigned and the option has no standard.
struct OptionValue {
  std::optional<double> number;
  std::string text;
};

// One value for each option, in their order: as assigned, else standard. Throws Error with what
// would be accepted.
std::vector<OptionValue> option_values(std::string_view kind, const Spec& spec,
                                       std::span<const Option> options);
// The same where every option is a number and has a standard.
std::vector<double> number_values(std::string_view kind, const Spec& spec,
                                  std::span<const Option> options);

// "a, b, c", for messages.
template <class Range>
std::string listed_names(const Range& range) {
  std::string out;
  for (const auto& item : range) out += (out.empty() ? "" : ", ") + std::string(item.name);
  return out;
}

}  // namespace pcgs
