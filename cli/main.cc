#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "commands.h"
#include "pcgs/error.h"

// Exit codes: 0 done, 2 bad input or usage, 1 our fault.
int main(int argc, char** argv) {
  CLI::App app(
      "pcgs combines forecasters online when the best one keeps changing, and measures itself\n"
      "against the exact best sequence of forecasters in hindsight.");
  app.set_version_flag("--version", std::string("pcgs ") + PCGS_VERSION);
  app.require_subcommand(1);
  app.footer("pcgs COMMAND --help shows a command's options and examples.");
  pcgs::cli::add_run(app);
  pcgs::cli::add_demo(app);
  pcgs::cli::add_methods(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& wrong) {
    // 0 for --help and --version, which CLI11 also throws.
    return app.exit(wrong) == 0 ? 0 : 2;
  } catch (const pcgs::Error& bad_input) {
    fmt::print(stderr, "pcgs: {}\n", bad_input.what());
    return 2;
  } catch (const std::exception& fault) {
    fmt::print(stderr, "pcgs: this should not happen, please report it: {}\n", fault.what());
    return 1;
  }
}
