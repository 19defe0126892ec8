// Side information as a network takes it: what the user says of a round, such as the hour or the
// temperature, beside what the losses say.
#pragma once

#include <span>

namespace pcgs::tokens {

// sign(x) ln(1 + |x|) of each number: small ones stay almost as they are, and no finite one ends
// beyond 710. Training and inference both use it. side [M] finite, out [M].
void side_features(std::span<const double> side, std::span<float> out);

}  // namespace pcgs::tokens
