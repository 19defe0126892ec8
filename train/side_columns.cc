#include "side_columns.h"

#include <algorithm>

#include "data/invariant.h"

namespace pcgs::train {

void add_side_columns(infer::Model& model, std::size_t side) {
  invariant(side >= model.config.side, "side information is only ever added");
  const std::size_t before = model.config.inputs();
  model.config.side = side;
  infer::Tensor& embed = model.tensors.at("embed.weight");
  infer::Tensor wider{{embed.shape[0], model.config.inputs()}, {}};
  wider.values.resize(wider.shape[0] * wider.shape[1], 0.0f);
  for (std::size_t row = 0; row < embed.shape[0]; ++row) {
    std::copy_n(embed.values.data() + row * before, before,
                wider.values.data() + row * wider.shape[1]);
  }
  embed = std::move(wider);
}

}  // namespace pcgs::train
