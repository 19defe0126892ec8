#include "problem.h"

namespace pcgs::r {

namespace {

TimeColumn times_of(const Fields& given) {
  TimeColumn times;
  times.calendar = true;
  times.text.name = text_of(given["name"]);
  for (const std::string& text : texts_of(given["text"])) times.text.add(text);
  times.at = numbers_of(given["at"]);
  return times;
}

}  // namespace

compare::Problem problem_of(const Fields& given) {
  compare::Problem problem;
  problem.origin = text_of(given["origin"]);
  problem.experts = texts_of(given["experts"]);
  problem.values = matrix_of(given["values"]);
  problem.outcomes = numbers_of(given["y"]);
  problem.task = task_of(given);
  if (const SEXP scale = given["scale"]; scale != R_NilValue) {
    problem.scale = LossScale::from(text_of(scale), "scale");
  }
  problem.block = counts_of(given["block"]).front();
  problem.delay = counts_of(given["delay"]).front();
  if (const SEXP times = given["times"]; times != R_NilValue) {
    problem.times = times_of(Fields(times));
  }
  return problem;
}

}  // namespace pcgs::r
