#include <algorithm>
#include <charconv>
#include <string>

#include "data/fields.h"
#include "show/kinds.h"
#include "show/sections.h"
#include "show/quantile_result.h"

namespace pcgs::results {

namespace {

// The name of a central interval: how much it should hold.
bool is_share(const std::string& text) {
  double share = 0;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, share);
  return problem == std::errc() && end == last && share > 0 && share < 1;
}

}  // namespace

void fields(Fields& f, QuantileResult::Shape& shape) {
  f("name", shape.name, "rounds", shape.rounds, "held", shape.held, "width", shape.width, "above",
    shape.above, "below", shape.below);
  f.require(std::ranges::all_of(shape.held.by_name,
                                [](const auto& held) { return is_share(held.first); }),
            "held", "has names that are not between 0 and 1");
}

void fields(Fields& f, QuantileResult::Other& other) {
  f("name", other.name, "rounds", other.rounds, "score", other.score, "difference",
    other.difference);
}

void fields(Fields& f, QuantileResult::Scores& scores) {
  f("rounds", scores.rounds, "score", scores.score);
  f.unless_empty("beside_best", scores.beside_best);
  f.unless_empty("beside_equal_weights", scores.beside_equal);
  f.unless_empty("shape", scores.shape);
  f.unless_empty("others", scores.others);
}

void fields(Fields& f, QuantileResult::Proved& proved) {
  f("rounds", proved.rounds, "score", proved.score, "above_path", proved.above_path, "path_bound",
    proved.path_bound, "above_expert", proved.above_expert, "expert_bound", proved.expert_bound);
}

void fields(Fields& f, QuantileResult::One& one) {
  f("key", one.key);
  fields(f, one.scores);
  f.unless_empty("certificate", one.proved);
}

void fields(Fields& f, QuantileResult::Value& one) {
  f("column", one.column, "value", one.value);
  fields(f, one.scores);
}

void fields(Fields& f, QuantileResult::Coming& one) {
  f("key", one.key, "time", one.time);
  f.unless_empty("known", one.known);
  f("quantiles", one.quantiles);
}

void fields(Fields& f, QuantileResult& result) {
  f("levels", result.levels, "scale", result.scale, "by", result.by, "experts", result.experts,
    "rounds", result.rounds);
  fields(f, result.answer);
  f("shapes", result.shapes, "between", result.between, "crossed", result.crossed, "wild",
    result.wild, "series", result.series);
  f.unless_empty("by_value", result.values);
  f("coming", result.coming);
  f.unless_empty("certificate", result.proved);
  f.require(!result.levels.empty(), "levels", "is empty");
  f.require(result.scale == "raw" || result.scale == "log1p", "scale", "is unknown");
  f.require(result.between.size() == result.levels.size() + 1, "between",
            "is not one longer than levels");
  f.require(result.shapes.empty() || result.shapes.size() <= result.answer.errors.size(), "shapes",
            "has more than there are errors");
  f.require(!result.series.empty(), "series", "is empty");
  const auto has_key = [&](const auto& one) { return one.key.size() == result.by.size(); };
  f.require(std::ranges::all_of(result.series, has_key), "series", "have keys of another length");
  f.require(std::ranges::all_of(result.values,
                                [&](const auto& one) {
                                  return std::ranges::find(result.by, one.column) !=
                                         result.by.end();
                                }),
            "by_value", "have columns that are not in by");
  f.require(std::ranges::all_of(result.coming, has_key), "coming", "have keys of another length");
  f.require(std::ranges::all_of(result.coming,
                                [&](const auto& one) {
                                  return one.quantiles.empty() ||
                                         one.quantiles.size() == result.levels.size();
                                }),
            "coming", "have another number of quantiles");
}

const Kind& QuantileResult::kind() {
  static const Kind kKind = make_kind<QuantileResult, report::show_quantiles>(30);
  return kKind;
}

}  // namespace pcgs::results
