#include "data/json_fields.h"

#include <fmt/format.h>

#include <charconv>

#include "data/json.h"
#include "pcgs/error.h"

namespace pcgs::results {

std::string_view Place::origin() const { return above_ == nullptr ? name_ : above_->origin(); }

std::string Place::path() const {
  if (above_ == nullptr) return {};
  const std::string before = above_->path();
  if (name_.empty()) return fmt::format("{}[{}]", before, index_);
  return fmt::format("{}{}{}", before, before.empty() ? "" : ".", name_);
}

void Place::refuse(std::string_view why) const {
  const std::string field = path();
  throw Error(
      ErrorKind::kFormat, {.file = std::string(origin()), .field = field},
      fmt::format("{}{}{}; give a result as pcgs wrote it", field, field.empty() ? "" : " ", why));
}

void Place::refuse_kind(const ordered_json& kind) const {
  if (kind.is_null()) refuse("has no kind");
  refuse(fmt::format("is of the kind {}, which does not belong here",
                     io::json_text(kind).substr(0, 60)));
}

ordered_json parse(std::string_view text, std::string_view origin) {
  return io::parse_json(text, origin, "what pcgs prints as JSON or writes as results");
}

void decode(const ordered_json& json, const Place& place, double& out) {
  if (!json.is_number()) place.refuse("is not a number");
  out = json.get<double>();
}

void decode(const ordered_json& json, const Place& place, std::size_t& out) {
  if (!json.is_number_unsigned()) place.refuse("is not a whole number of at least 0");
  out = json.get<std::size_t>();
}

void decode(const ordered_json& json, const Place& place, std::string& out) {
  if (!json.is_string()) place.refuse("is not a text");
  out = json.get<std::string>();
}

void decode(const ordered_json& json, const Place& place, bool& out) {
  if (!json.is_boolean()) place.refuse("is neither true nor false");
  out = json.get<bool>();
}

std::size_t budget_from(const std::string& key, const Place& place) {
  std::size_t budget = 0;
  const auto [end, failed] = std::from_chars(key.data(), key.data() + key.size(), budget);
  if (failed != std::errc() || end != key.data() + key.size() || std::to_string(budget) != key) {
    place.refuse("is not a number of switches");
  }
  return budget;
}

Fields::Fields(const ordered_json& in, const Place& place) : in_(&in), place_(&place) {
  if (!in.is_object()) place.refuse("is not an object");
}

void Fields::require(bool holds, const char* key, std::string_view why) const {
  if (reading() && !holds) Place(*place_, key).refuse(why);
}

}  // namespace pcgs::results
