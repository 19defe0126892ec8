#include "run/method_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "combine/hindsight_methods.h"
#include "network/transformer.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"

namespace pcgs::compare {

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
  for (auto at = methods.begin(); at != methods.end(); ++at) {
    if (std::find(methods.begin(), at, *at) != at) {
      throw Error(ErrorKind::kDuplicate, {.field = "methods"},
                  fmt::format("method {} is given twice; give it once", *at));
    }
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

}  // namespace pcgs::compare
