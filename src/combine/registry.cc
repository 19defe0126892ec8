#include "pcgs/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "combine/blend.h"
#include "combine/hindsight_methods.h"
#include "core/spec.h"
#include "methods/methods.h"
#include "network/transformer.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

constexpr std::string_view kModel = "model";
constexpr std::string_view kSeason = "season";
constexpr std::string_view kLonger = "longer";

using Values = std::span<const OptionValue>;
// Given one value for each option, in their order, and the spec with all of them.
using Resolver = std::function<MethodSource(Values values, const std::string& name)>;

// For methods of which every option is a number with a standard: makers of them, or of controllers
// that steer the share recursion.
template <class... Doubles>
Resolver plain(std::unique_ptr<Method> (*make)(std::size_t experts, Doubles... options)) {
  return [make](Values values, const std::string&) -> MethodSource {
    std::array<double, sizeof...(Doubles)> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = *values[i].number;
    return [make, numbers](std::size_t experts) {
      return std::apply([&](auto... options) { return make(experts, options...); }, numbers);
    };
  };
}
template <std::unique_ptr<Controller> (*kMake)(double, double)>
std::unique_ptr<Method> steered(std::size_t experts, double eta, double rho) {
  return std::make_unique<ShareMethod>(experts, kMake(eta, rho));
}

std::unique_ptr<Method> hedge(std::size_t experts, double eta) {
  return std::make_unique<ShareMethod>(experts, make_hedge(eta));
}

MethodSource transformer(std::shared_ptr<const TransformerModel> model, std::string name,
                         const TransformerOverrides& overrides = {}) {
  return [model = std::move(model), name = std::move(name), overrides](std::size_t experts) {
    return std::make_unique<ShareMethod>(experts, make_transformer(model, name, overrides));
  };
}

// Of the file, or the shipped ones of this name where there is none.
std::shared_ptr<const TransformerModel> weights_of(const std::string& file,
                                                   std::string_view shipped = "regret") {
  if (file.empty()) return shipped_transformer(shipped);
  auto model = transformer_from_file(file);
  if (const bool combines = shipped == "combine"; model->combines() != combines) {
    throw Error(ErrorKind::kMismatch, {.field = "model"},
                fmt::format("{} was {}trained to combine forecasts; give it to {}", file,
                            combines ? "not " : "",
                            combines ? "pcgs-tf or guard" : "pcgs-tf:combine or blend"));
  }
  return model;
}

TransformerOverrides overrides_of(Values values) {
  return {values[0].number, values[1].number, values[2].number.value_or(0)};
}

MethodSource guard(double learned, const std::string& file, const std::string& name) {
  MethodSource network;
  if (learned > 0) network = transformer(weights_of(file), "pcgs-tf");
  if (learned == 0 && !file.empty()) {
    throw Error(ErrorKind::kRequest, {.field = "model"},
                fmt::format("{} has no network; leave model out or make learned larger", name));
  }
  return [learned, network, name](std::size_t experts) {
    return make_guard(experts, network ? network(experts) : nullptr, learned, name);
  };
}

MethodSource blend_source(Values values, const std::string& name) {
  std::vector<std::size_t> seasons;
  for (const OptionValue& value : values.first(2)) {
    if (!value.number) continue;
    if (*value.number != std::floor(*value.number)) {
      throw Error(ErrorKind::kValue, {.field = "season"},
                  fmt::format("{}: a season is a whole number of rounds", name));
    }
    seasons.push_back(static_cast<std::size_t>(*value.number));
  }
  if (seasons.size() == 2 && seasons[0] >= seasons[1]) {
    throw Error(ErrorKind::kValue, {.field = "longer"},
                fmt::format("{}: the longer season is not longer", name));
  }
  return [seasons, network = weights_of(values[2].text, "combine"), name](std::size_t experts) {
    return make_blend(experts, seasons, network, name);
  };
}

struct Entry {
  MethodInfo info;
  Resolver resolve;
};

// Every method but those that need forecasts takes it, after its own options.
const Option kGradient = {
    "gradient", "1: learn from linearised losses where there are forecasts, 0: do not",
    0,          0,
    1,          Option::Kind::kOverride};

// Built on first use, so that it is there for objects made before main.
std::span<const Entry> all_entries() {
  const Option eta = {"eta", "learning rate", 4, 1e-6, 1e4};
  const Option rho = {"rho", "restart rate", 0.01, 0, 0.999};
  const Option usual_rho = {"rho", "restart rate without surprise", 0.01, 0, 0.5};
  const Option learned = {"learned", "prior weight of pcgs-tf; 0 leaves it out and costs nothing",
                          0.25, 0, 0.8};
  const auto kOverride = Option::Kind::kOverride;
  const Option doubling = {
      "doubling", "1: rates bounded by the largest regret, as first published", 0, 0, 1, kOverride};
  const Option own_eta = {"eta", "this learning rate always", 0, 1e-6, 1e4, kOverride};
  const Option own_rho = {"rho", "this restart rate always", 0, 0, 0.999, kOverride};
  const Option uniform = {
      "uniform", "this share of the restarts goes to all experts alike", 0, 0, 1, kOverride};
  const Option model = {
      kModel, "a file of weights that pcgs-train wrote", 0, 0, 0, Option::Kind::kText};
  const Option season = {
      kSeason, "rounds in a season whose phase matters, such as 24 hours", 0, 2, 262144, kOverride};
  const Option longer = {kLonger,  "rounds in a longer one, such as 168 hours", 0, 2, 262144,
                         kOverride};
  const MethodTraits other = {};
  const MethodTraits share = {.share_form = true};
  const MethodTraits network = {.share_form = true, .learned = true, .takes_side = true};
  const MethodTraits combiner = {.share_form = true, .learned = true, .needs_forecasts = true};
  const MethodTraits mixture = {.learned = true, .takes_side = true};
  const MethodTraits regrets = {.linearises = true};
  const MethodTraits blend = {.needs_forecasts = true, .certifies_forecasts = true};
  // Never destroyed: threads that still work when the process ends may look something up.
  static const auto& kEntries = *[&] {
    auto* all = new std::vector<Entry>;
    const auto add = [&](std::string_view name, std::string_view summary, std::string_view source,
                         std::vector<Option> options, const MethodTraits& traits,
                         Resolver resolve) {
      if (!traits.needs_forecasts) options.push_back(kGradient);
      all->push_back({{name, summary, source, std::move(options), traits}, std::move(resolve)});
    };
    add("hedge", "exponential weights, no restarts", "Freund and Schapire 1997", {eta}, share,
        plain(hedge));
    add("fixed-share", "uniform restarts at a constant rate", "Herbster and Warmuth 1998",
        {eta, rho}, share, plain(steered<make_fixed_share>));
    add("variable-share", "restarts as large as the expert's loss", "Herbster and Warmuth 1998",
        {eta, rho}, other, plain(make_variable_share));
    add("genshare", "restarts towards the recently good, more after surprise", "this project",
        {eta, usual_rho}, share, plain(steered<make_genshare>));
    add("past-posteriors", "restarts towards experts that were good before",
        "Bousquet and Warmuth 2002", {eta, rho}, share, plain(steered<make_past_posteriors>));
    add("pcgs-tf",
        "a Transformer with a memory chooses rate, restarts and where they go; trained on regret",
        "this project", {own_eta, own_rho, uniform, model}, network,
        [](Values v, const std::string& name) {
          return transformer(weights_of(v[3].text), name, overrides_of(v));
        });
    add("pcgs-tf:oracle",
        "a Transformer that does, trained towards the oracle's path as in the paper; eta = 4 "
        "unless given",
        "the paper on PCGS", {own_eta, own_rho, uniform}, network,
        [](Values v, const std::string& name) {
          return transformer(shipped_transformer("oracle"), name, overrides_of(v));
        });
    add("pcgs-tf:combine",
        "a Transformer over errors with their sign; trained on the error of the combined forecast",
        "this project", {own_eta, own_rho, uniform, model}, combiner,
        [](Values v, const std::string& name) {
          return transformer(weights_of(v[3].text, "combine"), name, overrides_of(v));
        });
    add("learn-alpha", "Bayes over a grid of fixed-share rates, nothing to tune",
        "Monteleoni and Jaakkola 2003", {}, other, plain(make_learn_alpha));
    add("adahedge", "exponential weights that set their own rate", "de Rooij et al. 2014", {},
        other, plain(make_adahedge));
    add("squint", "an average over all learning rates", "Koolen and van Erven 2015", {}, other,
        plain(make_squint));
    add("ml-poly", "positive regrets, a rate for each expert", "Gaillard et al. 2014", {}, regrets,
        plain(make_ml_poly));
    add("ml-prod", "products, a rate for each expert", "Gaillard et al. 2014", {}, regrets,
        plain(make_ml_prod));
    add("ml-ewa", "exponential weights, a rate for each expert", "Gaillard and Goude, opera", {},
        regrets, plain(make_ml_ewa));
    add("boa", "Bernstein online aggregation, a rate for each expert", "Wintenberger 2017",
        {doubling}, regrets, [](Values v, const std::string&) -> MethodSource {
          return v[0].number.value_or(0) >= 0.5 ? make_boa_doubling : make_boa;
        });
    add("guard",
        "stays with the best of pcgs-tf, a bank of share filters, ml-poly, boa and adahedge",
        "this project", {learned, model}, mixture,
        [](Values v, const std::string& name) { return guard(*v[0].number, v[1].text, name); });
    add("blend",
        "raw experts, their averages, filters, stacks, corrections and a network in two levels",
        "this project", {season, longer, model}, blend, blend_source);
    return all;
  }();
  return kEntries;
}

const Entry& entry_of(const Spec& spec) {
  const auto entries = all_entries();
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& e) { return e.info.name == spec.name; });
  if (entry != entries.end()) return *entry;
  throw Error(ErrorKind::kUnknown, {.field = "method"},
              fmt::format("there is no method '{}'; choose one of {}", spec.name,
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

// Whether the method does with gradients what it does unless told otherwise. Being told the same
// makes no difference, to its name neither.
bool takes_usual_gradient(const Entry& entry, std::span<OptionValue> values) {
  auto& gradient = values.back().number;
  if (!gradient) return true;
  if (*gradient != 0 && *gradient != 1) {
    throw Error(ErrorKind::kValue, {.field = "gradient"},
                fmt::format("gradient is {} for {}; give 0 or 1", *gradient, entry.info.name));
  }
  if ((*gradient == 1) != entry.info.traits.linearises) return false;
  gradient.reset();
  return true;
}

// The spec with this option, if its method takes it and none is assigned; else as it is.
std::string with_assigned(std::string_view spec, std::string_view key, const std::string& value) {
  Spec parts = parse_spec("method", spec);
  const auto& options = entry_of(parts).info.options;
  const bool takes = std::any_of(options.begin(), options.end(),
                                 [&](const Option& option) { return option.name == key; });
  const bool has = std::any_of(parts.assignments.begin(), parts.assignments.end(),
                               [&](const Assignment& one) { return one.key == key; });
  if (!takes || has) return std::string(spec);
  parts.assignments.push_back({std::string(key), value});
  return spec_text(parts);
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

std::span<const HindsightMethod> hindsight_methods() {
  static const auto& kMethods = *[] {
    std::vector<std::string> hedge, fixed_share;
    for (const double eta : kEtaGrid) {
      hedge.push_back(fmt::format("hedge{{eta={}}}", eta));
      for (const double rho : kRhoGrid) {
        fixed_share.push_back(fmt::format("fixed-share{{eta={},rho={}}}", eta, rho));
      }
    }
    return new const std::vector<HindsightMethod>{{"hedge*", std::move(hedge)},
                                                  {kTunedFixedShare, std::move(fixed_share)}};
  }();
  return kMethods;
}

const HindsightMethod* find_hindsight_method(std::string_view spec) {
  for (const HindsightMethod& method : hindsight_methods()) {
    if (method.name == spec) return &method;
  }
  if (is_playable(spec)) return nullptr;
  throw Error(ErrorKind::kUnknown, {.field = "method"},
              fmt::format("'{}' cannot be tuned in hindsight; the starred methods are {}", spec,
                          listed_names(hindsight_methods())));
}

std::vector<std::string> candidates_of(const std::string& spec) {
  const HindsightMethod* tuned = find_hindsight_method(spec);
  return tuned != nullptr ? tuned->candidates : std::vector{spec};
}

const MethodInfo& method_info(std::string_view spec) {
  return entry_of(parse_spec("method", spec)).info;
}

MethodSource resolve_method(std::string_view spec) {
  const Spec parts = parse_spec("method", spec);
  const Entry& entry = entry_of(parts);
  auto values = option_values("method", parts, entry.info.options);
  const bool as_usual = entry.info.traits.needs_forecasts || takes_usual_gradient(entry, values);
  const std::string name = full_name(entry.info, values);
  const bool linear = entry.info.traits.linearises == as_usual;
  // Methods that linearise of themselves take any losses, the others those in [0,1].
  const bool any_losses = entry.info.traits.linearises;
  const Linear how = !linear ? Linear::kNever : any_losses ? Linear::kFree : Linear::kCapped;
  if (!entry.info.traits.needs_forecasts) values.pop_back();
  MethodSource source = entry.resolve(values, name);
  return [source, name, how, wrapped = linear || !as_usual](std::size_t experts) {
    if (experts == 0)
      throw Error(ErrorKind::kMissing, {.field = "experts"},
                  "there are no experts to combine; give at least one");
    auto method = source(experts);
    return wrapped ? make_linearised(std::move(method), how, name) : std::move(method);
  };
}

std::string with_model(std::string_view spec, const std::string& path) {
  return with_assigned(spec, kModel, path);
}

std::string with_seasons(std::string_view spec, std::span<const std::size_t> seasons) {
  if (seasons.empty()) return std::string(spec);
  const std::string with = with_assigned(spec, kSeason, fmt::format("{}", seasons.front()));
  if (seasons.size() == 1 || with == spec) return with;
  return with_assigned(with, kLonger, fmt::format("{}", seasons.back()));
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
