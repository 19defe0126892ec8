// How wrong forecasts were: the table of errors and the sentences of `pcgs run`.
#include "conversions.h"
#include "entry_points.h"
#include "problem.h"
#include "run/comparison.h"
#include "run/errors.h"
#include "show/forecast_answer.h"

namespace pcgs::r {

namespace {

using namespace cpp11::literals;

// The lines of the table as columns, in the order of the table.
class ErrorColumns {
 public:
  explicit ErrorColumns(const std::vector<results::ErrorLine>& lines) : lines_(lines) {}

  template <class Of>
  std::vector<double> numbers(const Of& of) const {
    std::vector<double> out;
    for (const results::ErrorLine& line : lines_) out.push_back(of(line));
    return out;
  }
  cpp11::sexp texts(std::string results::ErrorLine::*field) const {
    std::vector<std::string> out;
    for (const results::ErrorLine& line : lines_) out.push_back(line.*field);
    return r_texts(out);
  }
  std::vector<double> numbers(std::optional<double> results::ErrorLine::*field) const {
    return numbers([field](const results::ErrorLine& line) { return r_number(line.*field); });
  }

 private:
  const std::vector<results::ErrorLine>& lines_;
};

}  // namespace

SEXP answer(SEXP given, SEXP methods, SEXP forecasts) {
  using results::ErrorLine;
  const compare::Problem problem = problem_of(Fields(given));
  const std::vector<std::string> names = texts_of(methods);
  const double* const column = REAL(forecasts);
  compare::Comparison comparison;
  comparison.rounds = problem.rounds();
  for (std::size_t i = 0; i < names.size(); ++i) {
    compare::MethodResult one;
    one.name = names[i];
    one.forecasts.assign(column + i * problem.rounds(), column + (i + 1) * problem.rounds());
    comparison.methods.push_back(std::move(one));
  }
  const auto found = results::errors_answer(compare::errors_of(problem, comparison), problem.task);
  const ErrorColumns lines(found.errors);
  return cpp11::writable::list(
      {"measure"_nm = found.measure, "headline"_nm = results::headline(found),
       "sureness"_nm = results::sureness(found), "name"_nm = lines.texts(&ErrorLine::name),
       "kind"_nm = lines.texts(&ErrorLine::kind),
       "rounds"_nm =
           lines.numbers([](const ErrorLine& one) { return static_cast<double>(one.rounds); }),
       "rmse"_nm = lines.numbers(&ErrorLine::rmse), "mae"_nm = lines.numbers(&ErrorLine::mae),
       "mape"_nm = lines.numbers(&ErrorLine::mape), "bias"_nm = lines.numbers(&ErrorLine::bias),
       "loss"_nm = lines.numbers(&ErrorLine::loss),
       "difference"_nm = lines.numbers(&ErrorLine::difference)});
}

}  // namespace pcgs::r
