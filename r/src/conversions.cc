#include "conversions.h"

#include <algorithm>
#include <cstring>

namespace pcgs::r {

SEXP Fields::operator[](const char* name) const {
  for (R_xlen_t i = 0; i < Rf_xlength(names_); ++i) {
    if (std::strcmp(CHAR(STRING_ELT(names_, i)), name) == 0) return VECTOR_ELT(list_, i);
  }
  return R_NilValue;
}

Matrix matrix_of(SEXP matrix) {
  Matrix out(static_cast<std::size_t>(Rf_nrows(matrix)),
             static_cast<std::size_t>(Rf_ncols(matrix)));
  const double* const in = REAL(matrix);
  for (std::size_t k = 0; k < out.columns; ++k) {
    for (std::size_t t = 0; t < out.rows; ++t) out.row(t)[k] = in[k * out.rows + t];
  }
  return out;
}

std::vector<std::string> column_names_of(SEXP matrix) {
  return texts_of(VECTOR_ELT(Rf_getAttrib(matrix, R_DimNamesSymbol), 1));
}

std::vector<double> numbers_of(SEXP numbers) {
  return {REAL(numbers), REAL(numbers) + Rf_xlength(numbers)};
}

std::vector<std::string> texts_of(SEXP texts) {
  std::vector<std::string> out;
  const R_xlen_t count = Rf_xlength(texts);
  out.reserve(static_cast<std::size_t>(count));
  for (R_xlen_t i = 0; i < count; ++i) out.emplace_back(Rf_translateCharUTF8(STRING_ELT(texts, i)));
  return out;
}

std::vector<std::size_t> counts_of(SEXP numbers) {
  std::vector<std::size_t> out;
  for (const double x : numbers_of(numbers)) out.push_back(static_cast<std::size_t>(x));
  return out;
}

std::vector<std::uint8_t> bytes_of(SEXP raw) { return {RAW(raw), RAW(raw) + Rf_xlength(raw)}; }

std::string text_of(SEXP text) { return Rf_translateCharUTF8(STRING_ELT(text, 0)); }

double number_of(SEXP number) { return Rf_asReal(number); }

bool flag_of(SEXP flag) { return Rf_asLogical(flag) == TRUE; }

namespace {

cpp11::sexp empty_matrix(std::size_t rows, std::size_t columns) {
  return cpp11::safe[Rf_allocMatrix](REALSXP, static_cast<int>(rows), static_cast<int>(columns));
}

}  // namespace

cpp11::sexp r_matrix(const Matrix& matrix) {
  cpp11::sexp out = empty_matrix(matrix.rows, matrix.columns);
  double* const to = REAL(out);
  for (std::size_t t = 0; t < matrix.rows; ++t) {
    for (std::size_t k = 0; k < matrix.columns; ++k) to[k * matrix.rows + t] = matrix.row(t)[k];
  }
  return out;
}

cpp11::sexp r_columns(const std::vector<std::vector<double>>& columns, std::size_t rows) {
  cpp11::sexp out = empty_matrix(rows, columns.size());
  double* to = REAL(out);
  for (const auto& column : columns) to = std::copy(column.begin(), column.end(), to);
  return out;
}

cpp11::sexp r_raw(const std::vector<std::uint8_t>& bytes) {
  cpp11::sexp out = cpp11::safe[Rf_allocVector](RAWSXP, static_cast<R_xlen_t>(bytes.size()));
  std::copy(bytes.begin(), bytes.end(), RAW(out));
  return out;
}

cpp11::sexp r_texts(const std::vector<std::string>& texts) {
  return cpp11::sexp(cpp11::as_sexp(texts));
}

double r_number(const std::optional<double>& number) { return number.value_or(NA_REAL); }

TaskLoss task_of(const Fields& given) {
  return TaskLoss(text_of(given["loss"]), number_of(given["tau"]));
}

std::optional<IntervalOptions> intervals_of(SEXP levels, const std::vector<std::size_t>& seasons) {
  if (Rf_xlength(levels) == 0) return {};
  return IntervalOptions{numbers_of(levels), seasons.empty() ? 0 : seasons.front()};
}

}  // namespace pcgs::r
