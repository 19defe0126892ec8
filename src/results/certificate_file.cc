#include "results/certificate_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pcgs::results {

namespace {

using nlohmann::ordered_json;

// In units of loss where eta never changed.
Certificate readable(const ShareRecord& record, const Certificate& weighted) {
  return record.constant_eta() > 0 ? unweighted(record, weighted) : weighted;
}

ordered_json method_json(const std::string& name, const ShareRecord& record,
                         const std::vector<std::size_t>& switches) {
  ordered_json out;
  out["name"] = name;
  out["rounds"] = record.rounds();
  out["experts"] = record.experts();
  out["fingerprint"] = fmt::format("{:016x}", record.fingerprint());
  out["total_loss"] = record.total_paid();
  out["weighted"] = record.constant_eta() == 0;

  const BestPath best = best_path(record);
  const Certificate against_best = readable(record, sharp_certificate(record, best.experts));
  out["best_path"] = {{"loss", best.cost.loss},         {"code", best.cost.code},
                      {"switches", best.cost.switches}, {"regret", against_best.regret},
                      {"bound", against_best.bound},    {"holds", against_best.holds()}};

  out["switching"] = ordered_json::array();
  if (!switches.empty()) {
    const auto all =
        switching_certificates(record, *std::max_element(switches.begin(), switches.end()));
    for (const std::size_t s : switches) {
      const SwitchingCertificate& one = all[s];
      out["switching"].push_back({{"switches", s},
                                  {"oracle", one.oracle},
                                  {"regret", one.sharp.regret},
                                  {"bound", one.sharp.bound},
                                  {"plain_bound", one.plain.bound},
                                  {"holds", one.sharp.holds() && one.plain.holds()}});
    }
  }
  return out;
}

}  // namespace

ordered_json certificate_json(const std::vector<NamedRecord>& records,
                              const std::vector<std::size_t>& switches) {
  ordered_json out;
  out["format"] = "pcgs certificate 1";
  out["switches"] = switches;
  out["methods"] = ordered_json::array();
  for (const auto& [name, record] : records) {
    out["methods"].push_back(method_json(name, record, switches));
  }
  return out;
}

bool certificate_holds(const ordered_json& certificate) {
  for (const auto& method : certificate.at("methods")) {
    if (!method.at("best_path").at("holds").get<bool>()) return false;
    for (const auto& one : method.at("switching")) {
      if (!one.at("holds").get<bool>()) return false;
    }
  }
  return true;
}

}  // namespace pcgs::results
