// From a name to a method, once, at the edge.
//
//     fixed-share                             with its default options
//     fixed-share{eta=8,rho=0.003}            with these
//     guard{learned=0.3,model=a.safetensors}  a text is written as it is,
//     pcgs-tf{model="a, b.safetensors"}       or in quotes where it holds a comma, a brace or a quote
//                                             (doubled) or ends in a space
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/method.h"
#include "pcgs/option.h"

namespace pcgs {

// What is used when nobody says otherwise. For losses: the learned controller, and what stays with a
// classical method wherever that turns out to be better. For forecasts: what has the lowest error.
inline constexpr std::string_view kDefaultMethod = "guard";
inline constexpr std::string_view kDefaultForForecasts = "blend";

// What is true of a method whatever its options.
struct MethodTraits {
  bool share_form = false;       // the share recursion steered by a controller: Method::share()
  bool learned = false;          // has a network, whose weights a file can replace: model=FILE
  bool takes_side = false;       // may need side information: Method::side_needed()
  bool linearises = false;       // learns from linearised losses unless told otherwise: gradient=0
  bool needs_forecasts = false;  // losses alone are not enough
  bool certifies_forecasts = false;  // Method::certify_forecasts()
};

struct MethodInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;  // where it was published
  std::vector<Option> options;
  MethodTraits traits;
};

// Every method there is, in the order of tables.
std::span<const MethodInfo> registered_methods();

// The method that a spec names, whatever its options. Throws Error with the names that would be
// accepted.
const MethodInfo& method_info(std::string_view spec);

// Makes methods of one kind, as many as are wanted; from several threads at once if need be.
using MethodSource = std::function<std::unique_ptr<Method>(std::size_t experts)>;

// What a spec means, found out once: a model's file is read here, and not for each method that is
// made. Throws Error with the names or options that would be accepted.
MethodSource resolve_method(std::string_view spec);

std::unique_ptr<Method> make_method(std::string_view spec, std::size_t experts);

// "a,b{x=1,y=2},c" -> the three specs; commas inside braces do not separate.
std::vector<std::string> split_specs(std::string_view list);

// The spec with the weights of this file, if it is a learned method that names none itself; else as
// it is.
std::string with_model(std::string_view spec, const std::string& path);

// The spec with these seasons (rounds, shortest first, at most two), if it is a method that takes
// them and names none itself; else as it is.
std::string with_seasons(std::string_view spec, std::span<const std::size_t> seasons);

Aggregator make_aggregator(std::string_view spec, std::size_t experts,
                           Aggregator::Options options = {});
// Of forecasts, by kDefaultForForecasts.
inline Aggregator make_aggregator(std::size_t experts, Aggregator::Options options = {}) {
  return make_aggregator(kDefaultForForecasts, experts, std::move(options));
}
Aggregator load_aggregator(const std::string& path);

}  // namespace pcgs
