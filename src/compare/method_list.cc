#include "compare/method_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "methods/hindsight.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"

namespace pcgs::compare {

std::vector<std::string> all_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& method : registered_methods()) names.emplace_back(method.name);
  for (const HindsightMethod& method : hindsight_methods()) names.emplace_back(method.name);
  return names;
}

std::vector<std::string> methods_from(const std::string& list, const std::string& model) {
  auto methods = list == "all"  ? all_methods()
                 : list.empty() ? std::vector{std::string(kDefaultMethod)}
                                : split_specs(list);
  if (model.empty()) return methods;
  bool used = false;
  for (std::string& method : methods) {
    const std::string with = is_playable(method) ? with_model(method, model) : method;
    used = used || with != method;
    method = with;
  }
  if (!used) {
    throw Error(
        "--model gives weights to pcgs-tf and to guard, which are not among the methods; add one");
  }
  return methods;
}

void check_methods(const std::vector<std::string>& methods, std::size_t experts, std::size_t side) {
  for (auto at = methods.begin(); at != methods.end(); ++at) {
    if (std::find(methods.begin(), at, *at) != at) {
      throw Error(fmt::format("method {} is given twice; give it once", *at));
    }
  }
  for (const auto& name : methods) {
    if (find_hindsight_method(name) != nullptr) continue;
    const std::size_t needed = make_method(name, experts)->side_needed();
    if (needed == 0 || needed == side) continue;
    throw Error(
        fmt::format("{} needs {} number{} of side information in every round, and here are "
                    "{}; pcgs run takes them with --side or --side-file",
                    name, needed, needed == 1 ? "" : "s", side));
  }
}

}  // namespace pcgs::compare
