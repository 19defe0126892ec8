#include "first_network.h"

#include <fmt/format.h>

#include "grown_model.h"
#include "network/error_stream.h"
#include "network/model.h"
#include "network/token_stream.h"
#include "network/transformer.h"
#include "pcgs/error.h"
#include "side_columns.h"

namespace pcgs::train {

std::string schema_of(const Options& options) {
  return options.combines() ? tokens::ErrorStream::schema_name()
                            : tokens::TokenStream::schema_name();
}

namespace {

infer::AttentionKind attention_of(const Options& options) {
  return options.attention == "none"   ? infer::AttentionKind::kNone
         : options.attention == "full" ? infer::AttentionKind::kFull
                                       : infer::AttentionKind::kInduced;
}

infer::Config fresh_config(const Options& options, std::size_t side_features) {
  infer::Config config;
  const bool errors = options.combines();
  config.features =
      errors ? tokens::ErrorStream::kExpertFeatures : tokens::TokenStream::kExpertFeatures;
  config.shared =
      errors ? tokens::ErrorStream::kSharedFeatures : tokens::TokenStream::kSharedFeatures;
  config.side = side_features;
  config.width = options.width;
  config.layers = options.layers;
  config.heads = options.heads;
  config.hidden = options.hidden;
  config.attention = attention_of(options);
  config.inducing = config.attention == infer::AttentionKind::kInduced ? options.inducing : 0;
  config.memory = options.memory;
  config.pool_hidden = options.pool_hidden;
  config.controls = constants_of(options.trainer.maps);
  if (const auto problem = infer::problem_with(config); !problem.empty()) throw Error(problem);
  return config;
}

// Restarts that follow the anchor closely, and small rates: a good combination to begin with.
void start_near_anchor(ControllerNet& net) {
  torch::NoGradGuard no_gradients;
  net.tensors().at("pool.down.bias").copy_(torch::tensor({1.0f, -3.0f}));
}

// The model's own, but for a constant eta that may take the place of one that it has learned, or the
// other way round.
void adopt_maps(Options& options, const TransformerModel& usable, infer::Model& model) {
  const double eta = options.trainer.maps.constant_eta;
  options.trainer.maps = usable.maps();
  if (options.eta_given) {
    options.trainer.maps.constant_eta = eta;
    model.config.controls = constants_of(options.trainer.maps);
  }
  if (options.recipe == "oracle" && options.trainer.maps.constant_eta == 0) {
    throw Error(fmt::format(
        "{} chooses eta by itself, which the oracle's path cannot teach it; give --eta {} or "
        "--recipe both",
        options.init, kPaperEta));
  }
}

infer::Model given_model(Options& options, std::size_t side_features) {
  infer::Model model = infer::read_model_file(options.init);
  const TransformerModel usable(model, options.init);  // or an Error says why not
  if (usable.combines() != options.combines()) {
    throw Error(fmt::format("{} {} forecasts; go on from it with --recipe {}", options.init,
                            usable.combines() ? "combines" : "does not combine",
                            usable.combines() ? "combine" : "regret"));
  }
  if (usable.side() > side_features) {
    throw Error(
        fmt::format("{} takes {} number{} of side information in every round, and here are "
                    "{}; give a --side with at least as many columns",
                    options.init, usable.side(), usable.side() == 1 ? "" : "s", side_features));
  }
  add_side_columns(model, side_features);
  Growth growth;
  growth.inducing = options.inducing;
  growth.inducing_given = options.inducing_given;
  if (options.attention_given) growth.attention = attention_of(options);
  if (options.memory_given) growth.memory = options.memory;
  model = grown(model, growth, options.trainer.seed);
  if (const auto problem = infer::problem_with(model); !problem.empty()) throw Error(problem);
  adopt_maps(options, usable, model);
  return model;
}

}  // namespace

std::unique_ptr<ControllerNet> first_network(Options& options, std::size_t side_features,
                                             torch::Device device) {
  if (!options.init.empty()) {
    return std::make_unique<ControllerNet>(given_model(options, side_features), device);
  }
  auto net = std::make_unique<ControllerNet>(fresh_config(options, side_features),
                                             options.trainer.seed, device);
  if (options.combines()) start_near_anchor(*net);
  return net;
}

}  // namespace pcgs::train
