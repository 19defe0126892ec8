#include "pcgs/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "control/controllers.h"
#include "control/transformer.h"
#include "core/spec.h"
#include "methods/methods.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

template <class... Doubles>
std::unique_ptr<Method> steered(std::size_t experts,
                                std::unique_ptr<Controller> (*make)(Doubles...),
                                Doubles... options) {
  return std::make_unique<ShareMethod>(experts, make(options...));
}

std::unique_ptr<Method> transformer(std::size_t experts,
                                    std::shared_ptr<const TransformerModel> model,
                                    std::string name) {
  return std::make_unique<ShareMethod>(experts,
                                       make_transformer(std::move(model), std::move(name)));
}

using Options = std::span<const double>;

constexpr double kShareOfLearned = 0.25;  // pcgs-tf's part of guard's prior, unless it is said

// Built on first use, so that it is there for objects made before main.
std::span<const MethodInfo> all_methods() {
  const static NumberOption kEta = {"eta", "learning rate", 4, 1e-6, 1e4};
  const static NumberOption kRho = {"rho", "restart rate", 0.01, 0, 0.999};
  const static NumberOption kUsualRho = {"rho", "restart rate without surprise", 0.01, 0, 0.5};
  const static NumberOption kLearned = {
      "learned", "prior weight of pcgs-tf; 0 leaves it out and costs nothing", kShareOfLearned, 0,
      0.8};
  // Never destroyed: threads that still work when the process ends may look something up.
  static const auto& kMethods = *new const std::vector<MethodInfo>{
      {"hedge",
       "exponential weights, no restarts",
       "Freund and Schapire 1997",
       {kEta},
       [](std::size_t k, Options o) { return steered(k, make_hedge, o[0]); }},
      {"fixed-share",
       "uniform restarts at a constant rate",
       "Herbster and Warmuth 1998",
       {kEta, kRho},
       [](std::size_t k, Options o) { return steered(k, make_fixed_share, o[0], o[1]); }},
      {"variable-share",
       "restarts as large as the expert's loss",
       "Herbster and Warmuth 1998",
       {kEta, kRho},
       [](std::size_t k, Options o) { return make_variable_share(k, o[0], o[1]); }},
      {"genshare",
       "restarts towards the recently good, more after surprise",
       "this project",
       {kEta, kUsualRho},
       [](std::size_t k, Options o) { return steered(k, make_genshare, o[0], o[1]); }},
      {"past-posteriors",
       "restarts towards experts that were good before",
       "Bousquet and Warmuth 2002",
       {kEta, kRho},
       [](std::size_t k, Options o) { return steered(k, make_past_posteriors, o[0], o[1]); }},
      {"pcgs-tf",
       "a Transformer chooses rate, restarts and where they go; trained on regret",
       "this project",
       {},
       [](std::size_t k, Options) {
         return transformer(k, shipped_transformer("regret"), "pcgs-tf");
       }},
      {"pcgs-tf:oracle",
       "the same, trained towards the oracle's path as in the paper; eta = 4",
       "the paper on PCGS",
       {},
       [](std::size_t k, Options) {
         return transformer(k, shipped_transformer("oracle"), "pcgs-tf:oracle");
       }},
      {"learn-alpha",
       "Bayes over a grid of fixed-share rates, nothing to tune",
       "Monteleoni and Jaakkola 2003",
       {},
       [](std::size_t k, Options) { return make_learn_alpha(k); }},
      {"adahedge",
       "exponential weights that set their own rate",
       "de Rooij et al. 2014",
       {},
       [](std::size_t k, Options) { return make_adahedge(k); }},
      {"squint",
       "an average over all learning rates",
       "Koolen and van Erven 2015",
       {},
       [](std::size_t k, Options) { return make_squint(k); }},
      {"ml-poly",
       "positive regrets, a rate for each expert",
       "Gaillard et al. 2014",
       {},
       [](std::size_t k, Options) { return make_ml_poly(k); }},
      {"boa",
       "Bernstein online aggregation, a rate for each expert",
       "Wintenberger 2017",
       {},
       [](std::size_t k, Options) { return make_boa(k); }},
      {"guard",
       "stays with the best of pcgs-tf, a bank of share filters, ml-poly, boa and adahedge",
       "this project",
       {kLearned},
       [](std::size_t k, Options o) {
         return make_guard(
             k, o[0] > 0 ? transformer(k, shipped_transformer("regret"), "pcgs-tf") : nullptr, o[0],
             fmt::format("guard{{learned={}}}", o[0]));
       }},
  };
  return kMethods;
}

// pcgs-tf{model=FILE} and guard{model=FILE} have the weights of that file; everything up to the
// last brace is its path.
std::optional<std::string> own_model(std::string_view method, std::string_view spec) {
  const std::string start = fmt::format("{}{{model=", method);
  spec = trimmed(spec);
  if (!spec.starts_with(start) || spec.back() != '}') return std::nullopt;
  return std::string(spec.substr(start.size(), spec.size() - start.size() - 1));
}

std::string names_of_all() { return listed_names(all_methods()); }

MethodSource source_of(std::string_view spec) {
  if (const auto path = own_model("pcgs-tf", spec)) {
    return [model = transformer_from_file(*path), name = fmt::format("pcgs-tf{{model={}}}", *path)](
               std::size_t experts) { return transformer(experts, model, name); };
  }
  if (const auto path = own_model("guard", spec)) {
    return [model = transformer_from_file(*path),
            name = fmt::format("guard{{model={}}}", *path)](std::size_t experts) {
      return make_guard(experts, transformer(experts, model, "pcgs-tf"), kShareOfLearned, name);
    };
  }
  const Spec parts = parse_spec("method", spec);
  const auto methods = all_methods();
  const auto named = [&](std::string_view name) {
    return std::find_if(methods.begin(), methods.end(),
                        [&](const MethodInfo& m) { return m.name == name; });
  };
  const auto source = [](const MethodInfo& info, const Spec& with) -> MethodSource {
    return [make = info.make, values = option_values("method", with, info.options)](
               std::size_t experts) { return make(experts, values); };
  };
  // A name may hold a colon itself.
  if (const auto whole = named(trimmed(spec)); whole != methods.end()) {
    return source(*whole, {whole->name, {}});
  }
  const auto info = named(parts.name);
  if (info == methods.end()) {
    throw Error(
        fmt::format("there is no method '{}'; choose one of {}", parts.name, names_of_all()));
  }
  return source(*info, parts);
}

}  // namespace

std::span<const MethodInfo> registered_methods() { return all_methods(); }

MethodSource resolve_method(std::string_view spec) {
  return [source = source_of(spec)](std::size_t experts) {
    if (experts == 0) throw Error("there are no experts to combine; give at least one");
    return source(experts);
  };
}

std::unique_ptr<Method> make_method(std::string_view spec, std::size_t experts) {
  return resolve_method(spec)(experts);
}

std::vector<std::string> split_specs(std::string_view list) { return split_list("method", list); }

Aggregator make_aggregator(std::string_view spec, std::size_t experts,
                           Aggregator::Options options) {
  return Aggregator(make_method(spec, experts), std::move(options));
}

Aggregator load_aggregator(const std::string& path) { return Aggregator::load(path, make_method); }

}  // namespace pcgs
