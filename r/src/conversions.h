// Between R's vectors and the library's: R keeps matrices by column, the library by row.
#pragma once

#include <cpp11.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pcgs/intervals.h"
#include "pcgs/losses.h"
#include "pcgs/matrix.h"

namespace pcgs::r {

// A list of R, by the names of its fields: NULL for one that it does not have. Does not protect it: what R calls
// has its arguments protected by R.
class Fields {
 public:
  explicit Fields(SEXP list) : list_(list), names_(Rf_getAttrib(list, R_NamesSymbol)) {}
  SEXP operator[](const char* name) const;

 private:
  SEXP list_, names_;
};

// All expect what R code has made sure of: doubles, texts, a matrix of doubles.
Matrix matrix_of(SEXP matrix);
std::vector<std::string> column_names_of(SEXP matrix);
std::vector<double> numbers_of(SEXP numbers);
std::vector<std::string> texts_of(SEXP texts);
std::vector<std::size_t> counts_of(SEXP numbers);  // of doubles that are whole and not negative
std::vector<std::uint8_t> bytes_of(SEXP raw);
std::string text_of(SEXP text);
double number_of(SEXP number);
bool flag_of(SEXP flag);

cpp11::sexp r_matrix(const Matrix& matrix);
cpp11::sexp r_columns(const std::vector<std::vector<double>>& columns, std::size_t rows);
cpp11::sexp r_raw(const std::vector<std::uint8_t>& bytes);
cpp11::sexp r_texts(const std::vector<std::string>& texts);
// NA for none.
double r_number(const std::optional<double>& number);

TaskLoss task_of(const Fields& given);  // its fields loss and tau
// None where there are no levels.
std::optional<IntervalOptions> intervals_of(SEXP levels, const std::vector<std::size_t>& seasons);

}  // namespace pcgs::r
