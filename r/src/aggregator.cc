// The loop, one round at a time, on an aggregator that R holds by a pointer.
#include "pcgs/aggregator.h"

#include "conversions.h"
#include "data/whole_file.h"
#include "entry_points.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"

namespace pcgs::r {

namespace {

using namespace cpp11::literals;
using Pointer = cpp11::external_pointer<Aggregator>;

SEXP held(Aggregator aggregator) { return Pointer(new Aggregator(std::move(aggregator))); }

Aggregator& at(SEXP pointer) {
  Aggregator* const one = Pointer(pointer).get();
  if (one == nullptr) {
    throw Error(ErrorKind::kCall, {},
                "this aggregator is of another session, and saveRDS() keeps none; save_state() and "
                "load_state() do");
  }
  return *one;
}

// NULL: the only open one.
std::int64_t round_of(const Aggregator& aggregator, SEXP round) {
  return round == R_NilValue ? aggregator.last_opened()
                             : static_cast<std::int64_t>(number_of(round));
}

}  // namespace

SEXP method_table() {
  std::vector<std::string> names, summaries, sources;
  for (const MethodInfo& info : registered_methods()) {
    names.emplace_back(info.name);
    summaries.emplace_back(info.summary);
    sources.emplace_back(info.source);
  }
  return cpp11::writable::list({"name"_nm = r_texts(names), "summary"_nm = r_texts(summaries),
                                "source"_nm = r_texts(sources)});
}

SEXP aggregator_new(SEXP given) {
  const Fields options(given);
  const auto seasons = counts_of(options["seasons"]);
  AggregatorOptions made;
  made.task = task_of(options);
  if (const SEXP scale = options["scale"]; scale != R_NilValue) {
    made.scale = LossScale::from(text_of(scale), "scale");
  }
  made.names = texts_of(options["experts"]);
  made.intervals = intervals_of(options["intervals"], seasons);
  const std::size_t experts = made.names.size();
  return held(
      make_aggregator(with_seasons(text_of(options["method"]), seasons), experts, std::move(made)));
}

SEXP aggregator_from(SEXP bytes, SEXP origin) {
  return held(Aggregator::load_bytes(bytes_of(bytes), text_of(origin), make_method));
}

SEXP read_bytes(SEXP path) { return r_raw(read_whole_file(text_of(path))); }

SEXP aggregator_save(SEXP pointer, SEXP path) {
  at(pointer).save(text_of(path));
  return R_NilValue;
}

SEXP aggregator_bytes(SEXP pointer) { return r_raw(at(pointer).save_bytes()); }

SEXP aggregator_about(SEXP pointer) {
  const Aggregator& one = at(pointer);
  return cpp11::writable::list({"method"_nm = one.method().name(),
                                "experts"_nm = r_texts(one.names()),
                                "size"_nm = static_cast<double>(one.experts()),
                                "rounds"_nm = static_cast<double>(one.rounds()),
                                "last_opened"_nm = static_cast<double>(one.last_opened()),
                                "open_rounds"_nm = static_cast<double>(one.open_rounds())});
}

SEXP aggregator_predict(SEXP pointer, SEXP forecasts) {
  return cpp11::as_sexp(at(pointer).predict(numbers_of(forecasts)));
}

SEXP aggregator_learn(SEXP pointer, SEXP outcome, SEXP round) {
  Aggregator& one = at(pointer);
  const double y = number_of(outcome);
  round == R_NilValue ? one.learn(y) : one.learn(round_of(one, round), y);
  return R_NilValue;
}

SEXP aggregator_learn_losses(SEXP pointer, SEXP losses) {
  at(pointer).learn(numbers_of(losses));
  return R_NilValue;
}

SEXP aggregator_weights(SEXP pointer) {
  const auto weights = at(pointer).weights();
  return cpp11::as_sexp(std::vector<double>(weights.begin(), weights.end()));
}

SEXP aggregator_played(SEXP pointer, SEXP round) {
  const Aggregator& one = at(pointer);
  const auto weights = one.played(round_of(one, round));
  return cpp11::as_sexp(std::vector<double>(weights.begin(), weights.end()));
}

SEXP aggregator_intervals(SEXP pointer, SEXP round) {
  const Aggregator& one = at(pointer);
  Matrix out(0, 3);
  for (const Interval& interval : one.intervals(round_of(one, round))) {
    out.values.insert(out.values.end(), {interval.level, interval.low, interval.high});
    ++out.rows;
  }
  return r_matrix(out);
}

SEXP aggregator_abandon(SEXP pointer, SEXP round) {
  Aggregator& one = at(pointer);
  one.abandon(round_of(one, round));
  return R_NilValue;
}

SEXP aggregator_set_experts(SEXP pointer, SEXP names) {
  at(pointer).set_experts(texts_of(names), make_method);
  return R_NilValue;
}

}  // namespace pcgs::r
