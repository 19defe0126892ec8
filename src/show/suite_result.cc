#include "show/suite_result.h"

#include "data/json_fields.h"
#include "show/kinds.h"

namespace pcgs::results {

std::string study_name(const Study& study) {
  const std::string kind = std::visit([](const auto& one) { return one.kKind; }, study);
  return kind.substr(0, kind.rfind(' '));
}

ordered_json encode(const std::vector<Study>& studies) {
  ordered_json out = ordered_json::object();
  for (const Study& study : studies) out[study_name(study)] = encode(study);
  return out;
}

void decode(const ordered_json& json, const Place& place, std::vector<Study>& out) {
  if (!json.is_object()) place.refuse("is not an object");
  out.clear();
  for (const auto& [name, study] : json.items()) {
    const Place below(place, name);
    decode(study, below, out.emplace_back());
    if (study_name(out.back()) != name) below.refuse("is a study of another name");
  }
}

void fields(Fields& f, SuiteResult& suite) {
  f("studies", suite.studies);
  f.require(!suite.studies.empty(), "studies", "is empty");
}

}  // namespace pcgs::results
