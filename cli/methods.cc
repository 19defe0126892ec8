// pcgs methods: what --method takes.
#include <fmt/format.h>

#include "combine/hindsight_methods.h"
#include "commands.h"
#include "core/spec.h"
#include "data/text.h"
#include "pcgs/registry.h"
#include "say.h"

namespace pcgs::cli {

namespace {

std::string accepted(const Option& option) {
  switch (option.kind) {
    case Option::Kind::kNumber:
      return fmt::format(", {} if not given, in [{}, {}]", option.standard, option.low,
                         option.high);
    case Option::Kind::kOverride:
      return fmt::format(", in [{}, {}]", option.low, option.high);
    case Option::Kind::kText:
      break;
  }
  return "";
}

std::string_view role_of(std::string_view name) {
  return name == kDefaultMethod         ? "; the default for losses"
         : name == kDefaultForForecasts ? "; the default for forecasts"
                                        : "";
}

}  // namespace

void add_methods(CLI::App& app) {
  CLI::App* command = app.add_subcommand("methods", "List the methods and their options");
  command->callback([] {
    io::TextTable table{"", {}, {}, 2};
    for (const MethodInfo& method : registered_methods()) {
      table.rows.push_back(
          {std::string(method.name),
           fmt::format("{} ({}){}", method.summary, method.source, role_of(method.name))});
      for (const Option& option : method.options) {
        table.rows.push_back(
            {"", fmt::format("  {}: {}{}", option.name, option.meaning, accepted(option))});
      }
    }
    say(fmt::format(
        "{}\nOptions stand in braces: fixed-share{{eta=8,rho=0.003}}, pcgs-tf{{model=FILE}}. A "
        "FILE that holds a\ncomma, a brace or a quote stands in quotes: "
        "'pcgs-tf{{model=\"a, b.safetensors\"}}'.\n"
        "{} take the best rates of a grid in hindsight, for comparison only.\n",
        text(table), listed_names(hindsight_methods())));
  });
}

}  // namespace pcgs::cli
