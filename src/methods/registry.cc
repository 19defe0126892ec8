#include "pcgs/registry.h"

#include <fmt/format.h>

#include <algorithm>

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

constexpr std::string_view kModel = "model";

using Numbers = std::span<const double>;
using Values = std::span<const OptionValue>;
// Given one value for each option, in their order, and the spec with all of them.
using Resolver = std::function<MethodSource(Values values, const std::string& name)>;

// For methods of which every option is a number with a standard.
Resolver plain(std::unique_ptr<Method> (*make)(std::size_t experts, Numbers options)) {
  return [make](Values values, const std::string&) -> MethodSource {
    std::vector<double> numbers;
    for (const OptionValue& value : values) numbers.push_back(*value.number);
    return [make, numbers](std::size_t experts) { return make(experts, numbers); };
  };
}

MethodSource transformer(std::shared_ptr<const TransformerModel> model, std::string name,
                         const TransformerOverrides& overrides = {}) {
  return [model = std::move(model), name = std::move(name), overrides](std::size_t experts) {
    return std::make_unique<ShareMethod>(experts, make_transformer(model, name, overrides));
  };
}

// Of the file, or the shipped ones where there is none.
std::shared_ptr<const TransformerModel> weights_of(const std::string& file) {
  return file.empty() ? shipped_transformer("regret") : transformer_from_file(file);
}

TransformerOverrides overrides_of(Values values) {
  return {values[0].number, values[1].number, values[2].number.value_or(0)};
}

MethodSource guard(double learned, const std::string& file, const std::string& name) {
  MethodSource network;
  if (learned > 0) network = transformer(weights_of(file), "pcgs-tf");
  if (learned == 0 && !file.empty()) {
    throw Error(fmt::format("{} has no network; leave model out or make learned larger", name));
  }
  return [learned, network, name](std::size_t experts) {
    return make_guard(experts, network ? network(experts) : nullptr, learned, name);
  };
}

struct Entry {
  MethodInfo info;
  Resolver resolve;
};

// Built on first use, so that it is there for objects made before main.
std::span<const Entry> all_entries() {
  const Option eta = {"eta", "learning rate", 4, 1e-6, 1e4};
  const Option rho = {"rho", "restart rate", 0.01, 0, 0.999};
  const Option usual_rho = {"rho", "restart rate without surprise", 0.01, 0, 0.5};
  const Option learned = {"learned", "prior weight of pcgs-tf; 0 leaves it out and costs nothing",
                          0.25, 0, 0.8};
  const auto kOverride = Option::Kind::kOverride;
  const Option own_eta = {"eta", "this learning rate always", 0, 1e-6, 1e4, kOverride};
  const Option own_rho = {"rho", "this restart rate always", 0, 0, 0.999, kOverride};
  const Option uniform = {
      "uniform", "this share of the restarts goes to all experts alike", 0, 0, 1, kOverride};
  const Option model = {
      kModel, "a file of weights that pcgs-train wrote", 0, 0, 0, Option::Kind::kText};
  const MethodTraits other = {};
  const MethodTraits share = {.share_form = true};
  const MethodTraits network = {.share_form = true, .learned = true, .takes_side = true};
  const MethodTraits mixture = {.learned = true, .takes_side = true};
  // Never destroyed: threads that still work when the process ends may look something up.
  static const auto& kEntries = *new const std::vector<Entry>{
      {{"hedge", "exponential weights, no restarts", "Freund and Schapire 1997", {eta}, share},
       plain([](std::size_t k, Numbers o) { return steered(k, make_hedge, o[0]); })},
      {{"fixed-share",
        "uniform restarts at a constant rate",
        "Herbster and Warmuth 1998",
        {eta, rho},
        share},
       plain([](std::size_t k, Numbers o) { return steered(k, make_fixed_share, o[0], o[1]); })},
      {{"variable-share",
        "restarts as large as the expert's loss",
        "Herbster and Warmuth 1998",
        {eta, rho},
        other},
       plain([](std::size_t k, Numbers o) { return make_variable_share(k, o[0], o[1]); })},
      {{"genshare",
        "restarts towards the recently good, more after surprise",
        "this project",
        {eta, usual_rho},
        share},
       plain([](std::size_t k, Numbers o) { return steered(k, make_genshare, o[0], o[1]); })},
      {{"past-posteriors",
        "restarts towards experts that were good before",
        "Bousquet and Warmuth 2002",
        {eta, rho},
        share},
       plain(
           [](std::size_t k, Numbers o) { return steered(k, make_past_posteriors, o[0], o[1]); })},
      {{"pcgs-tf",
        "a Transformer chooses rate, restarts and where they go; trained on regret",
        "this project",
        {own_eta, own_rho, uniform, model},
        network},
       [](Values v, const std::string& name) {
         return transformer(weights_of(v[3].text), name, overrides_of(v));
       }},
      {{"pcgs-tf:oracle",
        "the same, trained towards the oracle's path as in the paper; eta = 4",
        "the paper on PCGS",
        {own_eta, own_rho, uniform},
        network},
       [](Values v, const std::string& name) {
         return transformer(shipped_transformer("oracle"), name, overrides_of(v));
       }},
      {{"learn-alpha",
        "Bayes over a grid of fixed-share rates, nothing to tune",
        "Monteleoni and Jaakkola 2003",
        {},
        other},
       plain([](std::size_t k, Numbers) { return make_learn_alpha(k); })},
      {{"adahedge",
        "exponential weights that set their own rate",
        "de Rooij et al. 2014",
        {},
        other},
       plain([](std::size_t k, Numbers) { return make_adahedge(k); })},
      {{"squint", "an average over all learning rates", "Koolen and van Erven 2015", {}, other},
       plain([](std::size_t k, Numbers) { return make_squint(k); })},
      {{"ml-poly", "positive regrets, a rate for each expert", "Gaillard et al. 2014", {}, other},
       plain([](std::size_t k, Numbers) { return make_ml_poly(k); })},
      {{"boa",
        "Bernstein online aggregation, a rate for each expert",
        "Wintenberger 2017",
        {},
        other},
       plain([](std::size_t k, Numbers) { return make_boa(k); })},
      {{"guard",
        "stays with the best of pcgs-tf, a bank of share filters, ml-poly, boa and adahedge",
        "this project",
        {learned, model},
        mixture},
       [](Values v, const std::string& name) { return guard(*v[0].number, v[1].text, name); }},
  };
  return kEntries;
}

const Entry& entry_of(const Spec& spec) {
  const auto entries = all_entries();
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& e) { return e.info.name == spec.name; });
  if (entry != entries.end()) return *entry;
  throw Error(fmt::format("there is no method '{}'; choose one of {}", spec.name,
                          listed_names(registered_methods())));
}

// The spec with every option that has a value.
std::string full_name(const MethodInfo& info, Values values) {
  Spec full = {std::string(info.name), {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& [number, text] = values[i];
    if (!number && text.empty()) continue;
    full.assignments.push_back(
        {std::string(info.options[i].name), number ? fmt::format("{}", *number) : text});
  }
  return spec_text(full);
}

}  // namespace

std::span<const MethodInfo> registered_methods() {
  static const auto& kInfos = *[] {
    auto* infos = new std::vector<MethodInfo>;
    for (const Entry& entry : all_entries()) infos->push_back(entry.info);
    return infos;
  }();
  return kInfos;
}

std::string share_form_names() {
  std::vector<MethodInfo> found;
  for (const MethodInfo& method : registered_methods()) {
    if (method.traits.share_form) found.push_back(method);
  }
  return listed_names(found);
}

const MethodInfo& method_info(std::string_view spec) {
  return entry_of(parse_spec("method", spec)).info;
}

MethodSource resolve_method(std::string_view spec) {
  const Spec parts = parse_spec("method", spec);
  const Entry& entry = entry_of(parts);
  const auto values = option_values("method", parts, entry.info.options);
  return [source = entry.resolve(values, full_name(entry.info, values))](std::size_t experts) {
    if (experts == 0) throw Error("there are no experts to combine; give at least one");
    return source(experts);
  };
}

std::string with_model(std::string_view spec, const std::string& path) {
  Spec parts = parse_spec("method", spec);
  const auto& options = entry_of(parts).info.options;
  const bool takes = std::any_of(options.begin(), options.end(),
                                 [](const Option& option) { return option.name == kModel; });
  const bool has = std::any_of(parts.assignments.begin(), parts.assignments.end(),
                               [](const Assignment& one) { return one.key == kModel; });
  if (!takes || has) return std::string(spec);
  parts.assignments.push_back({std::string(kModel), path});
  return spec_text(parts);
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
