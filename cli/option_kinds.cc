#include "option_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pcgs/oracle.h"

namespace pcgs::cli {

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& value) {
        return value.empty() ? std::string("is empty; give a value or leave it out") : "";
      },
      "");
}

CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& meaning) {
  return command.add_option(name, value, meaning)->check(not_empty())->type_name("TEXT");
}

CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& meaning) {
  return add_text(command, name, value, meaning)->type_name("FILE");
}

CLI::Option* add_names(CLI::App& command, const std::string& name, std::vector<std::string>& value,
                       const std::string& meaning) {
  return command.add_option(name, value, meaning)
      ->delimiter(',')
      ->check(not_empty())
      ->type_name("NAMES");
}

CLI::Option* add_numbers(CLI::App& command, const std::string& name,
                         std::vector<std::size_t>& value, std::size_t low, std::size_t high,
                         const std::string& meaning) {
  return command.add_option(name, value, meaning)
      ->delimiter(',')
      ->check(CLI::Range(low, high))
      ->type_name("NUMBERS");
}

CLI::Option* add_number(CLI::App& command, const std::string& name, std::size_t& value,
                        std::size_t low, std::size_t high, const std::string& meaning) {
  return command.add_option(name, value, meaning)
      ->check(CLI::Range(low, high))
      ->type_name("NUMBER");
}

CLI::Option* add_switches(CLI::App& command, std::vector<std::size_t>& value) {
  return add_numbers(
             command, "--switches", value, 0, 1000000,
             "Switch budgets of the oracle that regret is measured against, comma-separated")
      ->default_str(fmt::format("{}", fmt::join(value, ",")));
}

CLI::Option* add_switch_cost(CLI::App& command, std::optional<double>& value,
                             const std::string& meaning) {
  return command.add_option("--switch-cost", value, meaning)
      ->check(CLI::Range(0.0, kMostSwitchCost, "a number from 0 to 1e290"))
      ->type_name("NUMBER");
}

CLI::Option* add_model(CLI::App& command, std::string& path) {
  return add_text(command, "--model", path,
                  "Weights of pcgs-tf, also inside guard, or of pcgs-tf:combine, also inside blend "
                  "(.safetensors), instead of the shipped ones");
}

CLI::Option* add_report_option(CLI::App& command, std::string& path) {
  return add_file(command, "--report", path,
                  "Write one HTML page with tables and charts; it holds everything it needs");
}

void add_printing(CLI::App& command, bool& json, bool& quiet, const std::string& instead_of) {
  command.add_flag("--json", json, fmt::format("Print one JSON object instead{}", instead_of));
  command.add_flag("--quiet", quiet, "No progress bar");
}

}  // namespace pcgs::cli
