// The models that come with the library, inside it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace pcgs::infer {

// The file models/NAME.safetensors: "regret" or "oracle".
std::span<const std::uint8_t> shipped_model(std::string_view name);

}  // namespace pcgs::infer
