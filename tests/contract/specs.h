// The specs the contract is checked for, made from the registry alone: a new method is covered from
// the moment it is registered.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pcgs::test {

// Every method with its default options; with each option that has a default alone low and high
// inside its range; with a learning rate alone where it replaces the method's own; and with all numbers at the lowest and at the highest value accepted.
std::vector<std::string> contract_specs();
// Of those that need forecasts, which the others leave out: plain, and with one option at a time.
std::vector<std::string> forecast_specs();
// Both.
std::vector<std::string> all_specs();
// With default options only.
std::vector<std::string> default_specs();

// A spec as the name of a test: letters, digits and underscores.
std::string name_of_spec(const ::testing::TestParamInfo<std::string>& spec);

}  // namespace pcgs::test
