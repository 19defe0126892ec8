// The methods that a user asks for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pcgs::compare {

// Every registered method, and the starred ones.
std::vector<std::string> all_methods();
// The methods that a user's --method names ("all", or a list; empty for the default), with the
// weights of --model, if one is given, in the place of pcgs-tf's.
std::vector<std::string> methods_from(const std::string& list, const std::string& model);
// Throws Error for a method that does not exist, that is named twice, or that needs another number
// of side information than `side` numbers a round.
void check_methods(const std::vector<std::string>& methods, std::size_t experts, std::size_t side);

}  // namespace pcgs::compare
