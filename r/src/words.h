// The library's sentences in R's words, and its errors as conditions of R.
#pragma once

#include "pcgs/error.h"

namespace pcgs::r {

// "block" is block, "methods" is method; with values block = 24, skip_learned = TRUE, season = numeric().
const Wording& r_words();

// Ends in R, as a condition of class pcgs_error with the error's kind and place.
[[noreturn]] void raise(const Error& error);

}  // namespace pcgs::r
