// What a command of pcgs found, of whatever kind: from and to JSON, and onto a page.
#pragma once

#include <any>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pcgs::report {
struct Shown;
struct PageParts;
}  // namespace pcgs::report

namespace pcgs::results {

class Place;
class Result;

// A kind of result. Those for users are here and those of the studies in research; who reads results says
// which kinds there are.
struct Kind {
  std::string_view name;  // in JSON
  int place = 0;          // on a page, where those with less come first
  Result (*read)(const nlohmann::ordered_json&, const Place&) = nullptr;
  std::string (*write)(const Result&, int indent) = nullptr;
  // Null: it has no page.
  void (*show)(const report::Shown&, report::PageParts&) = nullptr;
  // Null: a page shows the result itself, and not these in its place.
  std::vector<Result> (*parts)(const Result&) = nullptr;
  // The most switches of the oracle that it was measured against; none if it does not say.
  std::optional<std::size_t> (*switches)(const Result&) = nullptr;
};
using Kinds = std::span<const Kind* const>;

// The kinds that users meet: run, series, quantiles, forecast, training.
Kinds user_kinds();

// A struct that has a kind().
class Result {
 public:
  template <class T>
  requires requires(const T& value) { value.kind(); }
  Result(T value) : kind_(&value.kind()), value_(std::make_shared<const T>(std::move(value))) {}

  const Kind& kind() const { return *kind_; }
  // Null if it is of another kind.
  template <class T>
  const T* get_if() const {
    const auto* held = std::any_cast<std::shared_ptr<const T>>(&value_);
    return held != nullptr ? held->get() : nullptr;
  }

 private:
  const Kind* kind_;
  std::any value_;  // a shared_ptr to a const T
};

// JSON as the program prints it. `indent` -1: on one line.
std::string to_json(const Result& result, int indent = -1);

// The result that a JSON text holds, by the kind it names. Throws Error, one sentence with `origin`
// and the field that is wrong, for anything else, however it was made.
Result read_result(std::string_view text, std::string_view origin, Kinds kinds = user_kinds());

}  // namespace pcgs::results
