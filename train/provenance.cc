#include "provenance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <cmath>

#include "first_network.h"

namespace pcgs::train {

namespace {

using nlohmann::ordered_json;

ordered_json scores_json(const Report& report) {
  ordered_json out = ordered_json::object();
  for (const auto& s : report.scores) {
    if (s.combines) {
      out[s.name] = {{"error_to_best_candidate", std::exp(s.beyond / 2)}, {"won", s.wins}};
    } else {
      out[s.name] = {{"regret", s.regret}, {"tuned_fixed_share", s.tuned}, {"won", s.wins}};
    }
  }
  return out;
}

// The options of a page, in the order of --help.
class OptionList {
 public:
  template <class T>
  void add(const char* name, const T& value) {
    list_.by_name.emplace_back(name, fmt::format("{}", value));
  }
  void add_unless_empty(const char* name, const std::string& value) {
    if (!value.empty()) add(name, value);
  }
  results::ByName<std::string> list() && { return std::move(list_); }

 private:
  results::ByName<std::string> list_;
};

void add_data(const Options& options, OptionList& list) {
  if (!options.losses.empty()) {
    list.add("losses", options.losses);
    list.add_unless_empty("side", options.side);
    list.add("window", options.window);
    list.add("switches", options.switches);
    return;
  }
  list.add("sequences", options.sequences);
  list.add("renew", options.renew);
  list.add_unless_empty("family", options.family);
  if (!options.combines() && options.family.empty()) list.add("families", options.families);
  list.add_unless_empty("favour", options.favoured_in_words());
  list.add("held-out", options.held_out);
  if (!options.combines()) list.add("switches", options.switches);
}

void add_schedule(const TrainerOptions& t, OptionList& list) {
  list.add("steps", t.steps);
  if (t.minutes > 0) list.add("minutes", t.minutes);
  list.add("tokens-per-step", t.tokens_per_step);
  list.add("rate", t.rate);
  list.add("warm-up", t.warm_up);
  list.add("weight-decay", t.weight_decay);
  list.add("clip", t.clip);
  list.add("seed", t.seed);
  list.add("check-every", t.check_every);
  list.add("patience", t.patience);
  if (!t.frozen.empty()) list.add("freeze", fmt::format("{}", fmt::join(t.frozen, ",")));
}

void add_network(const infer::Config& network, const ControlMaps& maps, OptionList& list) {
  list.add("eta", maps.constant_eta > 0 ? fmt::format("{}", maps.constant_eta) : "learned");
  list.add("rho", maps.constant_rho > 0 ? fmt::format("{}", maps.constant_rho) : "learned");
  list.add("rho-max", maps.rho_max);
  list.add("uniform", maps.uniform);
  list.add("width", network.width);
  list.add("layers", network.layers);
  list.add("heads", network.heads);
  list.add("hidden", network.hidden);
  list.add("attention", name_of(network.attention));
  if (network.inducing > 0) list.add("inducing", network.inducing);
  list.add("memory", network.memory);
}

}  // namespace

ordered_json provenance_of(const Options& options, const Report& last, const RunFacts& facts) {
  const TrainerOptions& t = options.trainer;
  return {{"recipe", options.recipe},
          {"oracle_weight", t.recipe.oracle},
          {"caution", t.recipe.caution},
          {"init", options.init.empty() ? "random" : options.init},
          {"data", options.combines() ? "made-up errors and forecasters of made-up series"
                   : options.losses.empty()
                       ? "families, prior, squares of made-up errors, forecasters of made-up "
                         "series"
                       : options.losses},
          {"side", options.side},
          {"side_features", facts.side_features},
          {"sequences", options.losses.empty() ? options.sequences : 0},
          {"family", options.family},
          {"favour", options.favoured_in_words()},
          {"renew", options.losses.empty() ? options.renew : 0},
          {"families", options.losses.empty() && !options.combines() ? options.families : 0},
          {"window", options.losses.empty() ? 0 : options.window},
          {"switches", options.switches},
          {"tokens", schema_of(options)},
          {"maps", constants_of(t.maps)},
          {"freeze", t.frozen},
          {"bfloat16", t.narrow},
          {"seed", t.seed},
          {"steps", last.step},
          {"best_step", last.best_step},
          {"tokens_per_step", t.tokens_per_step},
          {"rate", t.rate},
          {"weight_decay", t.weight_decay},
          {"skipped_steps", last.skipped},
          {"seconds", std::round(facts.seconds)},
          {"device", facts.on_gpu ? "cuda" : "cpu"},
          {"processes", options.processes},
          {"torch", TORCH_VERSION},
          {"held_out", scores_json(last)}};
}

results::TrainingResult training_result(const Options& options, const infer::Config& network,
                                        TrainingOutcome outcome, const RunFacts& facts) {
  OptionList list;
  list.add("recipe", options.recipe);
  if (options.trainer.recipe.oracle > 0) {
    list.add("oracle-weight", options.trainer.recipe.oracle);
    list.add("switch-weight", options.trainer.recipe.switch_weight);
  }
  if (options.trainer.recipe.caution > 0) list.add("caution", options.trainer.recipe.caution);
  list.add_unless_empty("init", options.init);
  add_data(options, list);
  add_schedule(options.trainer, list);
  add_network(network, options.trainer.maps, list);
  list.add("device", facts.on_gpu ? "cuda" : "cpu");
  list.add("processes", options.processes);
  return {options.recipe,
          static_cast<std::size_t>(outcome.last.step),
          static_cast<std::size_t>(outcome.last.best_step),
          static_cast<std::size_t>(outcome.last.skipped),
          std::round(facts.seconds),
          std::move(outcome.course),
          std::move(list).list()};
}

}  // namespace pcgs::train
