#include "network/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

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

// What the network is shown of a round: losses, or errors with their sign.
class LossTokens {
 public:
  explicit LossTokens(std::size_t experts) : stream_(experts) {}
  void observe(const Round& round) { stream_.observe(round.losses); }
  const tokens::TokenStream& stream() const { return stream_; }
  tokens::TokenStream& stream() { return stream_; }
  float anchor(std::size_t) const { return 0; }

 private:
  tokens::TokenStream stream_;
};

class ErrorTokens {
 public:
  explicit ErrorTokens(std::size_t experts) : stream_(experts), errors_(experts) {}
  // A sleeper's error is that of the combination: sleeping says nothing.
  void observe(const Round& round) {
    const RoundForecasts& f = round.forecasts;
    invariant(f.task != nullptr, "a round has the forecasts that it needs");
    for (std::size_t k = 0; k < errors_.size(); ++k) {
      const double forecast = round.is_awake(k) ? f.given[k] : f.combined;
      errors_[k] = std::clamp(forecast - f.outcome, -1e150, 1e150);
    }
    stream_.observe(errors_, round.losses);
  }
  const tokens::ErrorStream& stream() const { return stream_; }
  tokens::ErrorStream& stream() { return stream_; }
  float anchor(std::size_t k) const { return stream_.anchor()[k]; }

 private:
  tokens::ErrorStream stream_;
  std::vector<double> errors_;  // [K]
};

template <class Tokens>
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
    tokens_.emplace(experts);
    forward_.emplace(model_->network(), experts);
    memory_.emplace(model_->network().config(), experts);
    shared_.assign(model_->network().config().common(), 0.0f);
    logits_.assign(experts, 0.0f);
    q_.assign(experts, 0.0);
  }

  Controls after(const Round& round) override {
    tokens_->observe(round);
    const auto& stream = tokens_->stream();
    const auto rest = std::copy(stream.shared().begin(), stream.shared().end(), shared_.begin());
    if (model_->side() > 0) {
      invariant(round.side.size() == model_->side(), "a round has the side information it needs");
      tokens::side_features(round.side, {rest, shared_.end()});
    }
    const infer::Pooled out = forward_->run(stream.tokens(), shared_, logits_, &*memory_);
    for (std::size_t k = 0; k < q_.size(); ++k) logits_[k] += tokens_->anchor(k);

    const float most = *std::max_element(logits_.begin(), logits_.end());
    double total = 0;
    for (std::size_t k = 0; k < q_.size(); ++k) {
      total += q_[k] = std::exp(static_cast<double>(logits_[k] - most));
    }
    const double uniform = maps_.uniform / static_cast<double>(q_.size());
    for (double& q : q_) q = (1 - maps_.uniform) * q / total + uniform;

    const double rate = maps_.least_rate + softplus(static_cast<double>(out.rate));
    const double eta = std::min(rate / stream.scale(), kLargestEta);
    const double rho = maps_.rho_max * sigmoid(static_cast<double>(out.restart));
    return {fixed_eta_.value_or(eta), fixed_rho_.value_or(rho), q_};
  }

  void save(StateWriter& out) const override {
    out.u64(model_->fingerprint());
    tokens_->stream().save(out);
    std::vector<float> remembered(memory_->size());
    memory_->copy_to(remembered);
    tokens::save_experts(out, remembered, 0);
  }

  void load(StateReader& in) override {
    if (in.u64() != model_->fingerprint()) {
      in.fail("it was saved with other weights of the controller than these");
    }
    tokens_->stream().load(in);
    std::vector<float> remembered(memory_->size());
    const double most = infer::kLargestMemory;
    tokens::load_floats(in, remembered, -most, most);
    memory_->copy_from(remembered);
  }

 private:
  std::shared_ptr<const TransformerModel> model_;
  std::string name_;
  ControlMaps maps_;
  std::optional<double> fixed_eta_, fixed_rho_;  // not left to the network
  std::optional<Tokens> tokens_;
  std::optional<infer::Forward> forward_;
  std::optional<infer::Memory> memory_;
  std::vector<float> shared_;  // what is the same for all experts: the stream's, side information
  std::vector<float> logits_;  // [K]
  std::vector<double> q_;      // [K]
};

template <class Stream>
void require_size(const infer::Model& model, const std::string& origin) {
  if (model.config.features == Stream::kExpertFeatures &&
      model.config.shared == Stream::kSharedFeatures) {
    return;
  }
  throw Error(
      ErrorKind::kMismatch, {.file = origin},
      fmt::format("takes {} features of an expert and {} shared ones; tokens have {} and {}",
                  model.config.features, model.config.shared, Stream::kExpertFeatures,
                  Stream::kSharedFeatures));
}

}  // namespace

TransformerModel::TransformerModel(const infer::Model& model, const std::string& origin)
    : network_(model),
      maps_(control_maps_of(model, origin)),
      fingerprint_(infer::model_fingerprint(model)) {
  combines_ = model.token_schema == tokens::ErrorStream::schema_name();
  if (combines_) {
    require_size<tokens::ErrorStream>(model, origin);
  } else {
    infer::require_token_schema(model, tokens::TokenStream::schema_name(), origin);
    require_size<tokens::TokenStream>(model, origin);
  }
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
    return std::make_unique<Transformer<ErrorTokens>>(std::move(model), std::move(name), overrides);
  }
  return std::make_unique<Transformer<LossTokens>>(std::move(model), std::move(name), overrides);
}

}  // namespace pcgs
