#include "network/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <type_traits>

#include "data/invariant.h"
#include "network/error_stream.h"
#include "network/model.h"
#include "network/token_stream.h"
#include "pcgs/error.h"

namespace pcgs::tokens {

void side_features(std::span<const double> side, std::span<float> out) {
  std::transform(side.begin(), side.end(), out.begin(), [](double x) {
    return static_cast<float>(std::copysign(std::log1p(std::abs(x)), x));
  });
}

}  // namespace pcgs::tokens

namespace pcgs {

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }

// Of losses, or of errors with their sign.
template <class Stream>
class Transformer final : public Controller {
 public:
  Transformer(std::shared_ptr<const TransformerModel> model, std::string name,
              const TransformerOverrides& overrides)
      : model_(std::move(model)),
        name_(std::move(name)),
        maps_(model_->maps()),
        fixed_eta_(overrides.eta),
        fixed_rho_(overrides.rho) {
    if (!fixed_eta_ && maps_.constant_eta > 0) fixed_eta_ = maps_.constant_eta;
    if (!fixed_rho_ && maps_.constant_rho > 0) fixed_rho_ = maps_.constant_rho;
    maps_.uniform += (1 - maps_.uniform) * overrides.uniform;
  }

  std::string name() const override { return name_; }
  std::size_t side_needed() const override { return model_->side(); }
  bool needs_forecasts() const override { return model_->combines(); }

  void reset(std::size_t experts) override {
    stream_.emplace(experts);
    errors_.resize(experts);
    forward_.emplace(model_->network(), experts);
    memory_.emplace(model_->network().config(), experts);
    shared_.assign(model_->network().config().common(), 0.0f);
    logits_.assign(experts, 0.0f);
    q_.assign(experts, 0.0);
  }

  Controls after(const Round& round) override {
    show(round);
    const auto own = stream_->shared();
    const auto rest = std::copy(own.begin(), own.end(), shared_.begin());
    if (model_->side() > 0) {
      invariant(round.side.size() == model_->side(), "a round has the side information it needs");
      tokens::side_features(round.side, {rest, shared_.end()});
    }
    const infer::Pooled out = forward_->run(stream_->tokens(), shared_, logits_, &*memory_);
    if constexpr (kOfErrors) {
      for (std::size_t k = 0; k < q_.size(); ++k) logits_[k] += stream_->anchor()[k];
    }

    const float most = *std::max_element(logits_.begin(), logits_.end());
    double total = 0;
    for (std::size_t k = 0; k < q_.size(); ++k) {
      total += q_[k] = std::exp(static_cast<double>(logits_[k] - most));
    }
    const double uniform = maps_.uniform / static_cast<double>(q_.size());
    for (double& q : q_) q = (1 - maps_.uniform) * q / total + uniform;

    const double rate = maps_.least_rate + softplus(static_cast<double>(out.rate));
    const double eta = std::min(rate / stream_->scale(), kLargestEta);
    const double rho = maps_.rho_max * sigmoid(static_cast<double>(out.restart));
    return {fixed_eta_.value_or(eta), fixed_rho_.value_or(rho), q_};
  }

  void save(StateWriter& out) const override {
    out.u64(model_->fingerprint());
    stream_->save(out);
    std::vector<float> remembered(memory_->size());
    memory_->copy_to(remembered);
    tokens::save_experts(out, remembered, 0);
  }

  void load(StateReader& in) override {
    if (in.u64() != model_->fingerprint()) {
      in.fail("it was saved with other weights of the controller than these");
    }
    stream_->load(in);
    std::vector<float> remembered(memory_->size());
    const double most = infer::kLargestMemory;
    tokens::load_floats(in, remembered, -most, most);
    memory_->copy_from(remembered);
  }

 private:
  static constexpr bool kOfErrors = std::is_same_v<Stream, tokens::ErrorStream>;

  void show(const Round& round) {
    if constexpr (kOfErrors) {
      const RoundForecasts& f = round.forecasts;
      invariant(f.task != nullptr, "a round has the forecasts that it needs");
      for (std::size_t k = 0; k < errors_.size(); ++k) {
        // A sleeper's error is that of the combination: sleeping says nothing.
        const double forecast = round.is_awake(k) ? f.given[k] : f.combined;
        errors_[k] = std::clamp(forecast - f.outcome, -1e150, 1e150);
      }
      stream_->observe(errors_, round.losses);
    } else {
      stream_->observe(round.losses);
    }
  }

  std::shared_ptr<const TransformerModel> model_;
  std::string name_;
  ControlMaps maps_;
  std::optional<double> fixed_eta_, fixed_rho_;  // not left to the network
  std::optional<Stream> stream_;
  std::optional<infer::Forward> forward_;
  std::optional<infer::Memory> memory_;
  std::vector<double> errors_;  // [K] scratch
  std::vector<float> shared_;   // what is the same for all experts: the stream's, side information
  std::vector<float> logits_;   // [K]
  std::vector<double> q_;       // [K]
};

}  // namespace

TransformerModel::TransformerModel(const infer::Model& model, const std::string& origin)
    : network_(model),
      maps_(control_maps_of(model, origin)),
      fingerprint_(infer::model_fingerprint(model)),
      combines_(model.token_schema == tokens::ErrorStream::schema_name()) {
  using tokens::ErrorStream, tokens::TokenStream;
  if (!combines_) infer::require_token_schema(model, TokenStream::schema_name(), origin);
  const auto own = combines_ ? ErrorStream::kExpertFeatures : TokenStream::kExpertFeatures;
  const auto shared = combines_ ? ErrorStream::kSharedFeatures : TokenStream::kSharedFeatures;
  if (model.config.features == own && model.config.shared == shared) return;
  throw Error(
      ErrorKind::kMismatch, {.file = origin},
      fmt::format("takes {} features of an expert and {} shared ones; tokens have {} and {}",
                  model.config.features, model.config.shared, own, shared));
}

std::shared_ptr<const TransformerModel> shipped_transformer(std::string_view name) {
  static std::mutex one_at_a_time;
  // Never destroyed: threads that still work when the process ends may ask for one.
  static auto& made =
      *new std::map<std::string, std::shared_ptr<const TransformerModel>, std::less<>>;
  const std::lock_guard lock(one_at_a_time);
  const auto at = made.find(name);
  if (at != made.end()) return at->second;
  const std::string origin = fmt::format("the shipped model {}", name);
  auto model = std::make_shared<const TransformerModel>(
      infer::read_model(infer::shipped_model(name), origin), origin);
  return made.emplace(name, std::move(model)).first->second;
}

std::shared_ptr<const TransformerModel> transformer_from_file(const std::string& path) {
  return std::make_shared<const TransformerModel>(infer::read_model_file(path), path);
}

std::unique_ptr<Controller> make_transformer(std::shared_ptr<const TransformerModel> model,
                                             std::string name,
                                             const TransformerOverrides& overrides) {
  if (model->combines()) {
    return std::make_unique<Transformer<tokens::ErrorStream>>(std::move(model), std::move(name),
                                                              overrides);
  }
  return std::make_unique<Transformer<tokens::TokenStream>>(std::move(model), std::move(name),
                                                            overrides);
}

}  // namespace pcgs
