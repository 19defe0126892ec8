#include "data/number_advice.h"

#include <fmt/format.h>

#include <vector>

#include "data/as_argument.h"
#include "data/text.h"

namespace pcgs::io {
namespace {

// "--decimal ,": what to give to get from one format to the other.
std::string options(NumberFormat from, NumberFormat to) {
  std::string text;
  if (to.decimal != from.decimal) text = fmt::format("--decimal {}", to.decimal);
  if (to.thousands == from.thousands) return text;
  text += text.empty() ? "" : " and ";
  if (to.thousands == '\0') return text + "no --thousands";
  return text + fmt::format("--thousands {}", as_argument({&to.thousands, 1}));
}

}  // namespace

std::string number_objection(NumberKind kind, std::string_view field) {
  const std::string shown = fmt::format("\"{}\"", excerpt(field));
  switch (kind) {
    case NumberKind::kMissing:
      return field.empty() ? "the value is missing"
                           : fmt::format("the value is missing ({})", shown);
    case NumberKind::kInfinite:
      return shown + " is infinite, and only finite numbers are accepted";
    case NumberKind::kOutOfRange:
      return shown + " is out of the range of double precision";
    case NumberKind::kFinite:
    case NumberKind::kText:
      break;
  }
  return shown + " is not a number";
}

std::string format_advice(std::string_view field, NumberFormat format) {
  constexpr std::string_view kDecimals = ".,";
  constexpr std::string_view kThousands("\0,.'_ ", 6);
  // One change is likelier than two.
  for (const int changes : {1, 2}) {
    std::string advice;
    for (const char decimal : kDecimals) {
      for (const char thousands : kThousands) {
        const NumberFormat other{decimal, thousands};
        const int changed =
            (decimal != format.decimal ? 1 : 0) + (thousands != format.thousands ? 1 : 0);
        if (changed != changes || decimal == thousands) continue;
        const Number number = parse_number(field, other);
        if (number.kind != NumberKind::kFinite) continue;
        const bool needless = thousands != format.thousands && thousands != '\0' &&
                              parse_number(field, {decimal, '\0'}).kind == NumberKind::kFinite;
        if (needless) continue;
        advice += fmt::format("{}{} if it is {}", advice.empty() ? "" : " or ",
                              options(format, other), number.value);
      }
    }
    if (!advice.empty()) return advice;
  }
  return {};
}

std::string number_advice(const WantedColumn& column, const std::string& name,
                          const std::string& formats) {
  const std::string give = "give " + (formats.empty() ? "numbers" : formats);
  if (!column.may_be_ignored) return give;
  return fmt::format("{}, or leave the column out with --ignore {}", give, as_argument(name));
}

}  // namespace pcgs::io
