#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <numeric>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "combine/hindsight_methods.h"
#include "commands.h"
#include "core/spec.h"
#include "data/text.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "say.h"

namespace pcgs::cli {

namespace {

// Letters to insert, delete or replace to get from one to the other.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// Requires a name to choose from; the first of several that are as near.
std::string nearest(const std::string& given, const std::vector<std::string>& names) {
  return *std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return edits(given, a) < edits(given, b);
  });
}

// What is wrong with the arguments, with the name that was probably meant.
std::string explain(const CLI::App& app, const CLI::ParseError& wrong, int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  const auto chosen = app.get_subcommands();
  if (chosen.empty() && !first.empty() && first.front() != '-') {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    return fmt::format("there is no command {} (did you mean {}?); pcgs --help shows what there is",
                       first, nearest(first, names));
  }
  std::string out = wrong.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&wrong) != nullptr && !chosen.empty()) {
    std::vector<std::string> names;
    for (const CLI::Option* option : chosen.front()->get_options()) {
      if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
    }
    for (int i = 1; i < argc; ++i) {
      const std::string given = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
      if (!given.starts_with("--") || std::find(names.begin(), names.end(), given) != names.end()) {
        continue;
      }
      return fmt::format(
          "pcgs {0} has no option {1} (did you mean {2}?); pcgs {0} --help shows them",
          chosen.front()->get_name(), given, nearest(given, names));
    }
  }
  return out + "; pcgs --help shows what there is";
}

// pcgs methods: what --method takes.

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

// Exit codes: 0 done, 2 bad input or usage, 1 our fault.
int main(int argc, char** argv) {
  pcgs::remove_temporaries_on_signals();
  pcgs::cli::end_well_without_memory();
  CLI::App app(
      "pcgs combines forecasters online when the best one keeps changing, and measures itself\n"
      "against the exact best sequence of forecasters in hindsight.");
  app.set_version_flag("--version", pcgs::cli::version());
  app.require_subcommand(1);
  app.footer("pcgs COMMAND --help shows a command's options and examples.");
  using namespace pcgs::cli;
  for (const auto add : {add_run, add_forecast, add_report, add_methods, add_serve, add_worker}) {
    add(app);
  }
  const std::size_t for_users = app.get_subcommands({}).size();
  for (const auto add : {add_oracle, add_certify, add_suite, add_electricity}) add(app);
  const auto commands = app.get_subcommands({});
  for (std::size_t i = for_users; i < commands.size(); ++i) commands[i]->group("Research");
  try {
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& wrong) {
      if (wrong.get_exit_code() != 0) {
        complain(explain(app, wrong, argc, argv));
        return 2;
      }
      std::ostringstream text;  // --help and --version come this way
      app.exit(wrong, text, text);
      put(text.str());
    }
    finish_saying();
    return 0;
  } catch (const pcgs::Error& bad_input) {
    complain(bad_input.in_words_of(program_words()));
    return 2;
  } catch (const LostOutput& lost) {
    complain(lost.what());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fputs(kOutOfMemory, stderr);
    return 2;
  } catch (const std::system_error& refused) {
    complain(fmt::format("the system has nothing left to work with ({})", refused.what()));
    return 2;
  } catch (const std::exception& fault) {
    complain(fmt::format("this should not happen, please report it: {}", fault.what()));
    return 1;
  }
}
