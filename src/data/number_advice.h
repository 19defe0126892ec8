// What a message says about a field that is not the number it should be.
#pragma once

#include <string>
#include <string_view>

#include "data/number.h"
#include "data/table_request.h"

namespace pcgs::io {

// "\"x\" is not a number": half a sentence on a field of this kind.
std::string number_objection(NumberKind kind, std::string_view field);

// "--decimal , if it is 2.5": the options that would make a number of a field that is text; empty
// if none would. Where more than one reading is possible, all of them, so that nobody guesses.
std::string format_advice(std::string_view field, NumberFormat format);

// "give numbers, or leave the column out with --ignore b", or what format_advice() says instead of
// "numbers" if that is not empty.
std::string number_advice(const WantedColumn& column, const std::string& name,
                          const std::string& formats = {});

}  // namespace pcgs::io
