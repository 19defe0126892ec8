#include "words.h"

#include <charconv>
#include <cpp11.hpp>
#include <string>

namespace pcgs::r {

namespace {

using namespace cpp11::literals;

std::string argument_name(std::string_view name) {
  return name == "methods" ? "method" : std::string(name);
}

bool is_number(std::string_view text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size();
}

std::string argument_value(std::string_view value) {
  if (value.empty()) return "TRUE";
  if (value == "none") return "numeric()";
  return is_number(value) ? std::string(value) : "\"" + std::string(value) + "\"";
}

// NA for what is not known.
cpp11::r_string text_or_na(const std::string& text) {
  return text.empty() ? cpp11::r_string(NA_STRING) : cpp11::r_string(text);
}

}  // namespace

const Wording& r_words() {
  const auto in_sentence = [](std::string_view name) {
    return name == "series" ? "series (not in R: give each by itself)" : argument_name(name);
  };
  static const Wording words{in_sentence, [](std::string_view name, std::string_view value) {
                               return argument_name(name) + " = " + argument_value(value);
                             }};
  return words;
}

void raise(const Error& error) {
  const ErrorPlace& place = error.place();
  const auto refuse = cpp11::package("pcgs")["refuse"];
  refuse(error.in_words_of(r_words()), "kind"_nm = std::string(kind_name(error.kind())),
         "file"_nm = text_or_na(place.file),
         "row"_nm = place.row > 0 ? static_cast<double>(place.row) : NA_REAL,
         "column"_nm = text_or_na(place.column),
         "field"_nm = text_or_na(argument_name(place.field)));
  cpp11::stop("%s", error.what());  // not reached
}

}  // namespace pcgs::r
