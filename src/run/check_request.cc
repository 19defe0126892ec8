#include "run/check_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "combine/hindsight_methods.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "run/table_columns.h"

namespace pcgs::compare {

namespace {

[[noreturn]] void refuse(const char* field, const std::string& why) {
  throw Error(ErrorKind::kRequest, {.field = field}, why);
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
  if (request.model_column.empty()) {
    refuse(
        "model_column",
        fmt::format("quantiles are read from a row for each model and time; name the column that "
                    "holds the name of the model with {}",
                    option("model_column")));
  }
  if (request.time.empty()) {
    refuse("time", fmt::format("quantiles are read from a row for each model and time; name the "
                               "time with {}",
                               option("time")));
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
  if (request.intervals) {
    auto shares = *request.intervals;
    std::ranges::sort(shares);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (!(shares[i] > 0 && shares[i] < 1)) {
        refuse("intervals", fmt::format("{} has {}; give shares of outcomes between 0 and 1",
                                        option("intervals"), shares[i]));
      }
      if (i > 0 && shares[i] == shares[i - 1]) {
        refuse("intervals", fmt::format("{} has {:g} % twice; give each once", option("intervals"),
                                        100 * shares[i]));
      }
    }
  }
  for (auto at = request.switches.begin(); at != request.switches.end(); ++at) {
    if (std::find(request.switches.begin(), at, *at) == at) continue;
    refuse("switches",
           fmt::format("{} has {} twice; give each number once", option("switches"), *at));
  }
  const auto cost = request.switch_cost;
  if (cost && !(*cost >= 0 && *cost <= kMostSwitchCost)) {
    refuse("switch_cost",
           fmt::format("{} must be a number from 0 to {}", option("switch_cost"), kMostSwitchCost));
  }
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
  if (!request.state.empty() && request.certify_forecasts) {
    refuse("certificate",
           fmt::format("{} is about a whole run, and this one resumes from a state; leave it out",
                       option("certificate")));
  }
}

}  // namespace pcgs::compare
