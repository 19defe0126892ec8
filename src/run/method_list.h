// The methods that a user asks for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pcgs::compare {

// What a user asked for.
struct MethodRequest {
  std::vector<std::string> methods;    // {"all"}, or specs; empty for the default
  std::string model{};                 // weights in the place of pcgs-tf's; may be empty
  bool forecasts = false;              // there are forecasts, not losses alone
  std::vector<std::size_t> seasons{};  // for methods that know what to do with them
};

// Every registered method that can be played on losses, and the starred ones; with forecasts also
// the default for them, last.
std::vector<std::string> all_methods(bool forecasts);
std::vector<std::string> methods_from(const MethodRequest& request);
// The same methods as the user wrote them, without what the model and the seasons add.
std::vector<std::string> names_from(const MethodRequest& request);
// Throws Error for a method that does not exist, that is named twice, that needs forecasts where
// there are none, or that needs another number of side information than `side` numbers a round.
struct MethodSetting {
  std::size_t experts = 0;
  std::size_t side = 0;
  bool forecasts = false;
};
void check_methods(const std::vector<std::string>& methods, const MethodSetting& setting);

}  // namespace pcgs::compare
