// How the options of several commands are declared.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace pcgs::cli {

// Refuses an empty value: more often than not a shell variable that was never set.
CLI::Validator not_empty();

CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& meaning);
CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& meaning);
// Comma-separated.
CLI::Option* add_names(CLI::App& command, const std::string& name, std::vector<std::string>& value,
                       const std::string& meaning);
CLI::Option* add_numbers(CLI::App& command, const std::string& name,
                         std::vector<std::size_t>& value, std::size_t low, std::size_t high,
                         const std::string& meaning);
CLI::Option* add_number(CLI::App& command, const std::string& name, std::size_t& value,
                        std::size_t low, std::size_t high, const std::string& meaning);

// --switches, which already holds the usual budgets.
CLI::Option* add_switches(CLI::App& command, std::vector<std::size_t>& value);
// --switch-cost.
CLI::Option* add_switch_cost(CLI::App& command, std::optional<double>& value,
                             const std::string& meaning);
// --model: weights of pcgs-tf.
CLI::Option* add_model(CLI::App& command, std::string& path);
// --report FILE.
CLI::Option* add_report_option(CLI::App& command, std::string& path);
// --json and --quiet.
void add_printing(CLI::App& command, bool& json, bool& quiet, const std::string& instead_of);

}  // namespace pcgs::cli
