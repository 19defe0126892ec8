// From a name to a method, once, at the edge.
//
//     fixed-share                      with its default options
//     fixed-share{eta=8,rho=0.003}     with these
//     fixed-share:eta=8:rho=0.003      the same
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/method.h"
#include "pcgs/number_option.h"

namespace pcgs {

// What is used when nobody says otherwise: the learned controller, and what stays with a classical
// method wherever that turns out to be better.
inline constexpr std::string_view kDefaultMethod = "guard";

using MethodMaker = std::unique_ptr<Method> (*)(std::size_t experts,
                                                std::span<const double> options);

struct MethodInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;  // where it was published
  std::vector<NumberOption> options;
  MethodMaker make;  // given one value for each option, in that order
};

// Every method there is, in the order of tables.
std::span<const MethodInfo> registered_methods();

// Makes methods of one kind, as many as are wanted; from several threads at once if need be.
using MethodSource = std::function<std::unique_ptr<Method>(std::size_t experts)>;

// What a spec means, found out once: a model's file is read here, and not for each method that is
// made. Throws Error with the names or options that would be accepted.
MethodSource resolve_method(std::string_view spec);

std::unique_ptr<Method> make_method(std::string_view spec, std::size_t experts);

// "a,b{x=1,y=2},c" -> the three specs; commas inside braces do not separate.
std::vector<std::string> split_specs(std::string_view list);

Aggregator make_aggregator(std::string_view spec, std::size_t experts,
                           Aggregator::Options options = {});
Aggregator load_aggregator(const std::string& path);

}  // namespace pcgs
