// PCGS-TF: a Transformer over expert tokens chooses eta, rho and q.
//
//     tokens_t, shared_t = TokenStream(l_1, ..., l_t)      [K x features], [shared]
//     s, r, e  = network(tokens_t, shared_t, side_t)       logits [K], two numbers
//     rho = rho_max sigmoid(r)                             or a constant
//     q   = (1 - eps) softmax(s) + eps / K
//     eta = (eta_min + softplus(e)) / scale_t              or a constant
//
// so that q(k) >= eps / K, every code length is finite, and every certificate holds. scale_t is the
// typical difference between experts: eta is then a rate per typical difference, and losses of any
// size are met with rates of their own. It is at most 1e6. side_t is the side information of round
// t where the model was trained with some, and absent where it was not.
//
// A model that combines is trained on the squared error of the combined forecast, and sees the errors
// of the experts with their sign. Its q is a tilt of a good combination's
// weights c: softmax(s + ln c) in the place of softmax(s).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "network/model.h"
#include "network/network.h"
#include "pcgs/controller.h"

namespace pcgs::tokens {

// Side information as a network takes it: what the user says of a round, such as the hour or the
// temperature, beside what the losses say.
//
// sign(x) ln(1 + |x|) of each number: small ones stay almost as they are, and no finite one ends
// beyond 710. Training and inference both use it. side [M] finite, out [M].
void side_features(std::span<const double> side, std::span<float> out);

}  // namespace pcgs::tokens

namespace pcgs {

// A network with the constants of its maps, ready to be shared by controllers.
class TransformerModel {
 public:
  // `origin` stands for the file in messages. Throws Error where the model is for other tokens or
  // lacks a constant.
  TransformerModel(const infer::Model& model, const std::string& origin);

  const infer::Network& network() const { return network_; }
  std::size_t side() const { return network_.config().side; }  // numbers of side information
  const ControlMaps& maps() const { return maps_; }
  bool combines() const { return combines_; }                 // needs rounds with forecasts
  std::uint64_t fingerprint() const { return fingerprint_; }  // of all weights and constants

 private:
  infer::Network network_;
  ControlMaps maps_;
  std::uint64_t fingerprint_;
  bool combines_;
};

std::shared_ptr<const TransformerModel> shipped_transformer(std::string_view name);
std::shared_ptr<const TransformerModel> transformer_from_file(const std::string& path);

// What is not left to the network, to see what its choices are worth.
struct TransformerOverrides {
  std::optional<double> eta = {};  // this learning rate always
  std::optional<double> rho = {};  // this restart rate always
  double uniform = 0;  // this share of the restarts goes to all experts alike, whatever q says
};

// `name` is what the registry would parse.
std::unique_ptr<Controller> make_transformer(std::shared_ptr<const TransformerModel> model,
                                             std::string name,
                                             const TransformerOverrides& overrides = {});

}  // namespace pcgs
