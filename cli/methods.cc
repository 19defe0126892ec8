// pcgs methods: what --method takes.
#include <fmt/format.h>

#include "commands.h"
#include "pcgs/registry.h"

namespace pcgs::cli {

void add_methods(CLI::App& app) {
  CLI::App* command = app.add_subcommand("methods", "List the methods and their options");
  command->callback([] {
    for (const MethodInfo& method : registered_methods()) {
      fmt::print("{:<16} {} ({}){}\n", method.name, method.summary, method.source,
                 method.name == kDefaultMethod ? "; the default" : "");
      for (const NumberOption& option : method.options) {
        fmt::print("{:<16}   {}: {}, {} if not given, in [{}, {}]\n", "", option.name,
                   option.meaning, option.standard, option.low, option.high);
      }
    }
    fmt::print(
        "\nOptions: fixed-share{{eta=8,rho=0.003}} or fixed-share:eta=8:rho=0.003.\n"
        "pcgs-tf{{model=FILE}} and guard{{model=FILE}} have the weights of that file, which "
        "pcgs-train "
        "wrote.\n"
        "fixed-share* and hedge* take the best rates of a grid in hindsight, for comparison "
        "only.\n");
  });
}

}  // namespace pcgs::cli
