// Files of the source tree that tests read.
#pragma once

#include <string>
#include <string_view>

namespace pcgs::test {

// The path of a file under tests/, or of one beside it: "../models/regret.safetensors".
std::string data_file(std::string_view name);

}  // namespace pcgs::test
