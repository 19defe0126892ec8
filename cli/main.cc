#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "commands.h"
#include "data/whole_file.h"
#include "nearest.h"
#include "out_of_memory.h"
#include "pcgs/error.h"
#include "say.h"
#include "version.h"

namespace {

// What is wrong with the arguments, with the name that was probably meant.
std::string explain(const CLI::App& app, const CLI::ParseError& wrong, int argc, char** argv) {
  using pcgs::cli::nearest;
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

}  // namespace

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
