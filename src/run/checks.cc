#include "run/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "combine/hindsight_methods.h"
#include "network/transformer.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "run/rounds.h"

namespace pcgs::compare {

// ---- Requests -----------------------------------------------------------------------------------

namespace {

[[noreturn]] void refuse(const char* field, const std::string& why) {
  throw Error(ErrorKind::kRequest, {.field = field}, why);
}

// One that is there twice; null if none is.
template <class T>
const T* repeated(const std::vector<T>& all) {
  for (auto at = all.begin(); at != all.end(); ++at) {
    if (std::find(all.begin(), at, *at) != at) return &*at;
  }
  return nullptr;
}

// Fields that say nothing without another one, which is not there.
void check_needs(const Request& request) {
  struct Need {
    bool given;
    const char *field, *needs;
    bool there;
  };
  const bool forecasts = !request.outcome.empty(), quantiles = !request.quantiles.empty();
  for (const Need& one : {
           Need{!request.series.empty(), "series", "outcome", forecasts},
           Need{!request.model_column.empty(), "model_column", "outcome", forecasts},
           Need{request.loss.has_value(), "loss", "outcome", forecasts},
           Need{request.season && !request.season->empty(), "season", "outcome", forecasts},
           Need{request.block != 1, "block", "outcome", forecasts},
           Need{request.delay != 0, "delay", "outcome", forecasts},
           Need{request.intervals && !request.intervals->empty(), "intervals", "outcome",
                forecasts},
           Need{quantiles, "quantiles", "outcome", forecasts},
           Need{!request.known.empty(), "known", "quantiles", quantiles},
           Need{request.transform != QuantileScale::kRaw, "transform", "quantiles", quantiles},
           Need{!request.calibrate, "calibrate", "quantiles", quantiles},
           Need{!request.drop.empty(), "drop", "state", !request.state.empty()},
       }) {
    if (!one.given || one.there) continue;
    refuse(one.field, fmt::format("{} goes with {}; give it, or leave {} out", option(one.field),
                                  option(one.needs), option(one.field)));
  }
}

// What panels of quantiles cannot do yet.
void check_quantiles(const Request& request) {
  if (request.quantiles.empty()) return;
  for (const auto& [field, given] : {std::pair{"methods", !request.methods.empty()},
                                     {"model_file", !request.model_file.empty()},
                                     {"switches", !request.switches.empty()},
                                     {"switch_cost", request.switch_cost.has_value()},
                                     {"loss", request.loss.has_value()},
                                     {"scale", !request.scale.empty()},
                                     {"season", request.season.has_value()},
                                     {"block", request.block != 1},
                                     {"delay", request.delay != 0},
                                     {"intervals", request.intervals.has_value()},
                                     {"models", !request.models.empty()},
                                     {"side", !request.side.empty()},
                                     {"trace", !request.observers.empty()},
                                     {"certificate", request.certify_forecasts},
                                     {"skip_learned", request.skip_learned},
                                     {"drop", !request.drop.empty()}}) {
    if (given) {
      refuse(field, fmt::format("{} does not go with {}; leave it out", option(field),
                                option("quantiles")));
    }
  }
  for (const auto& [field, what, given] :
       {std::tuple{"model_column", "column that holds the name of the model",
                   &request.model_column},
        {"time", "time", &request.time}}) {
    if (!given->empty()) continue;
    refuse(field, fmt::format("quantiles are read from a row for each model and time; name the {} "
                              "with {}",
                              what, option(field)));
  }
}

void check_numbers(const Request& request) {
  if (request.block < 1) refuse("block", fmt::format("{} must be at least 1", option("block")));
  if (request.season) {
    const auto& season = *request.season;
    const bool fits = season.size() <= 2 &&
                      std::ranges::all_of(season, [](std::size_t one) { return one >= 2; }) &&
                      (season.size() < 2 || season[0] < season[1]);
    if (!fits) {
      refuse("season", fmt::format("{} must be one number of rounds from 2 on, or two, the shorter "
                                   "first",
                                   option("season")));
    }
  }
  const auto shares = interval_levels(request);
  for (const double share : shares) {
    if (share > 0 && share < 1) continue;
    refuse("intervals", fmt::format("{} has {}; give shares of outcomes between 0 and 1",
                                    option("intervals"), share));
  }
  if (const auto* twice = repeated(shares)) {
    refuse("intervals",
           fmt::format("{} has {:g} % twice; give each once", option("intervals"), 100 * *twice));
  }
  if (const auto* twice = repeated(request.switches)) {
    refuse("switches",
           fmt::format("{} has {} twice; give each number once", option("switches"), *twice));
  }
  const auto cost = request.switch_cost;
  if (cost && !(*cost >= 0 && *cost <= kMostSwitchCost)) {
    refuse("switch_cost",
           fmt::format("{} must be a number from 0 to {}", option("switch_cost"), kMostSwitchCost));
  }
}

// Each column has one role.
void check_roles(const Request& request) {
  std::vector<std::pair<std::string, const char*>> taken;
  const auto take = [&](const std::string& name, const char* field) {
    if (name.empty()) return;
    for (const auto& [other, earlier] : taken) {
      if (other != name) continue;
      throw Error(ErrorKind::kRequest, {.column = name, .field = field},
                  fmt::format("is given to {} and to {}; give it to one of them", option(earlier),
                              option(field)));
    }
    taken.emplace_back(name, field);
  };
  if (!request.outcome.empty() && contains(request.side, request.outcome)) {
    throw Error(ErrorKind::kRequest, {.column = request.outcome, .field = "side"},
                fmt::format("is the outcome, which is not known when it is forecast; leave it out "
                            "of {}",
                            option("side")));
  }
  take(request.outcome, "outcome");
  take(request.time, "time");
  take(request.model_column, "model_column");
  for (const auto& name : request.series) take(name, "series");
}

}  // namespace

void check_request(const Request& request) {
  check_needs(request);
  check_quantiles(request);
  check_numbers(request);
  check_roles(request);
  if (!request.series.empty() && !request.observers.empty()) {
    refuse("series", fmt::format("a run on several series has no {} and no {}; leave {} out",
                                 option("trace"), option("certificate"), option("series")));
  }
  if (!request.series.empty() && request.switch_cost) {
    refuse("switch_cost", fmt::format("{} is for one series; leave {} out", option("switch_cost"),
                                      option("series")));
  }
  if (!request.state.empty() &&
      (request.methods.size() > 1 || request.methods == std::vector<std::string>{"all"})) {
    refuse("methods", fmt::format("a run resumes one method; leave {} out", option("methods")));
  }
  if (!request.state.empty() && request.certify_forecasts) {
    refuse("certificate",
           fmt::format("{} is about a whole run, and this one resumes from a state; leave it out",
                       option("certificate")));
  }
}

std::vector<double> interval_levels(const Request& request) {
  auto levels = request.intervals.value_or(std::vector{0.8, 0.95});
  std::ranges::sort(levels);
  return levels;
}

// ---- Methods ------------------------------------------------------------------------------------

std::vector<std::string> all_methods(bool forecasts) {
  std::vector<std::string> names;
  for (const MethodInfo& method : registered_methods()) {
    if (!method.traits.needs_forecasts) names.emplace_back(method.name);
  }
  for (const HindsightMethod& method : hindsight_methods()) names.emplace_back(method.name);
  if (forecasts) names.emplace_back(kDefaultForForecasts);
  return names;
}

std::vector<std::string> names_from(const MethodRequest& request) {
  if (request.methods.empty()) {
    return {std::string(request.forecasts ? kDefaultForForecasts : kDefaultMethod)};
  }
  const bool all = request.methods.size() == 1 && request.methods.front() == "all";
  return all ? all_methods(request.forecasts) : request.methods;
}

std::vector<std::string> methods_from(const MethodRequest& request) {
  const std::string& model = request.model;
  auto methods = names_from(request);
  for (std::string& method : methods) {
    if (is_playable(method)) method = with_seasons(method, request.seasons);
  }
  if (model.empty()) return methods;
  // Each kind of weights goes to the methods that can use it, so that both kinds may stand in a list.
  const bool combines = transformer_from_file(model)->combines();
  bool used = false;
  for (std::string& method : methods) {
    if (!is_playable(method) || method_info(method).traits.needs_forecasts != combines) continue;
    const std::string with = with_model(method, model);
    used = used || with != method;
    method = with;
  }
  if (!used) {
    throw Error(ErrorKind::kRequest, {.field = "model_file"},
                fmt::format("{} gives weights to {}, which are not among the methods; add one",
                            option("model_file", model),
                            combines ? "pcgs-tf:combine and blend" : "pcgs-tf and guard"));
  }
  return methods;
}

void check_methods(const std::vector<std::string>& methods, const MethodSetting& setting) {
  const std::size_t side = setting.side;
  if (const auto* twice = repeated(methods)) {
    throw Error(ErrorKind::kDuplicate, {.field = "methods"},
                fmt::format("method {} is given twice; give it once", *twice));
  }
  for (const auto& name : methods) {
    if (find_hindsight_method(name) != nullptr) continue;
    if (method_info(name).traits.needs_forecasts && !setting.forecasts) {
      throw Error(
          ErrorKind::kRequest, {.field = "methods"},
          fmt::format("{} combines forecasts, and here are losses; give forecasts and their "
                      "outcomes with {}, or another method",
                      name, option("outcome")));
    }
    const std::size_t needed = make_method(name, setting.experts)->side_needed();
    if (needed == 0 || needed == side) continue;
    throw Error(ErrorKind::kRequest, {.field = "side"},
                fmt::format("{} needs {} number{} of side information in every round, and here are "
                            "{}; give them with {}",
                            name, needed, needed == 1 ? "" : "s", side, option("side")));
  }
}

// ---- Numbers ------------------------------------------------------------------------------------

void check_values(const Problem& problem, const std::string& outcome_name) {
  const auto refuse = [&](std::size_t t, const std::string& column, std::string_view why) {
    throw Error(ErrorKind::kValue,
                {.file = problem.origin, .row = problem.file_row(t), .column = column}, why);
  };
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const auto row = problem.values.row(t);
    const bool unknown = problem.has_forecasts() && std::isnan(problem.outcomes[t]);
    if (problem.has_forecasts() && !unknown) {
      const double y = problem.outcomes[t];
      if (const auto objection = problem.task.objection_to_outcome(y); !objection.empty()) {
        refuse(t, outcome_name, fmt::format("the outcome {} {}", y, objection));
      }
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double x = row[k];
      if (std::isnan(x)) {
        if (problem.has_forecasts()) continue;
        refuse(
            t, problem.experts[k],
            fmt::format("the loss is missing; give finite losses, or name the outcome with {} if "
                        "these are forecasts",
                        option("outcome")));
      }
      double loss = x;
      if (problem.has_forecasts()) {
        if (const auto objection = problem.task.objection_to_forecast(x); !objection.empty()) {
          refuse(t, problem.experts[k], fmt::format("the forecast {} {}", x, objection));
        }
        if (unknown) continue;
        loss = problem.task(x, problem.outcomes[t]);
      }
      if (loss < 0) {
        refuse(t, problem.experts[k],
               fmt::format("the loss {} is negative; give losses in [0, 1], or not below 0 with "
                           "{} or {}",
                           loss, option("scale", "C"), option("scale", "auto")));
      }
      if (problem.scale.wants_unit(problem.source()) && !(loss <= 1)) {
        refuse(t, problem.experts[k],
               fmt::format("the loss {} is outside [0, 1]; give losses in [0, 1], or divide and "
                           "clip them with {} or {}; if these are forecasts, name the "
                           "outcome with {}",
                           loss, option("scale", "C"), option("scale", "auto"), option("outcome")));
      }
    }
    for (std::size_t i = 0; t < problem.side.rows && i < problem.side.columns; ++i) {
      const double x = problem.side.row(t)[i];
      if (std::isfinite(x)) continue;
      refuse(t, "", fmt::format("side information {} is {}; give finite numbers", i + 1, x));
    }
  }
}

// Columns that are hardly forecasts.

namespace {

constexpr std::size_t kEvidence = 20;  // rounds

struct Doubt {
  const char* why = nullptr;  // null if there is none
  bool is_outcome = false;
};

Doubt doubt(const Problem& problem, std::size_t k, bool same_name) {
  std::size_t forecasts = 0, same = 0, counting = 0, right = 0, judged = 0;
  double first = 0, before = 0;
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const double f = problem.values.row(t)[k];
    if (std::isnan(f)) continue;
    if (forecasts == 0) first = f;
    if (f == first) ++same;
    if (forecasts > 0 && f == before + 1) ++counting;
    before = f;
    ++forecasts;
    if (std::isnan(problem.outcomes[t])) continue;
    ++judged;
    if (f == problem.outcomes[t]) ++right;
  }
  if (judged >= (same_name ? 1 : kEvidence) && right == judged) {
    return {"equals the outcome in every row", true};
  }
  if (forecasts < kEvidence) return {};
  if (same == forecasts) return {"holds the same number in every row"};
  if (counting + 1 == forecasts) return {"counts the rows"};
  return {};
}

}  // namespace

void check_columns(const Problem& problem, const std::string& outcome, bool named) {
  for (std::size_t k = 0; k < problem.experts.size(); ++k) {
    const std::string& name = problem.experts[k];
    const Doubt found = doubt(problem, k, name == outcome);
    if (found.why == nullptr || (named && !found.is_outcome)) continue;
    throw Error(
        ErrorKind::kValue, {.file = problem.origin, .column = name},
        named ? fmt::format("{}, which no forecast of {} does; take it out", found.why, outcome)
        : found.is_outcome
            ? fmt::format("{}, which no forecast of {} does; leave it out with {}", found.why,
                          outcome, option("ignore"))
            : fmt::format("{}, which no forecast of {} does; leave it out with {}, or name the "
                          "columns to combine with {} if it is one of them",
                          found.why, outcome, option("ignore"), option("models")));
  }
}

void note_zeros(const Problem& problem, const TellNote& tell) {
  constexpr double kFar = 10;  // usual distances
  const std::size_t experts = problem.experts.size();
  if (!tell || experts < 3) return;
  // The sum of each expert's distances from the median, and its zeros with the size of the median.
  std::vector<double> distances(experts), awake;
  std::vector<std::size_t> others(experts);
  std::vector<std::vector<double>> zeros(experts);
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const auto row = problem.values.row(t);
    awake.clear();
    std::copy_if(row.begin(), row.end(), std::back_inserter(awake),
                 [](double f) { return !std::isnan(f); });
    if (awake.size() < 3) continue;
    const auto middle = awake.begin() + static_cast<std::ptrdiff_t>(awake.size() / 2);
    std::nth_element(awake.begin(), middle, awake.end());
    for (std::size_t k = 0; k < experts; ++k) {
      if (std::isnan(row[k])) continue;
      if (row[k] == 0) {
        zeros[k].push_back(std::abs(*middle));
      } else {
        distances[k] += std::abs(row[k] - *middle);
        ++others[k];
      }
    }
  }
  for (std::size_t k = 0; k < experts; ++k) {
    const double usual = distances[k] / static_cast<double>(others[k]);
    const auto far = std::count_if(zeros[k].begin(), zeros[k].end(),
                                   [&](double size) { return size > kFar * usual; });
    if (far == 0) continue;
    tell({NoteKind::kZeros,
          fmt::format("{}: {} is 0 in {} row{} where the other columns are far from it; if that "
                      "means that there is no forecast, leave the field empty",
                      problem.origin, problem.experts[k], far, far == 1 ? "" : "s")});
  }
}

}  // namespace pcgs::compare
