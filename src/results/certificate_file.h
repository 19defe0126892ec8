// The certificate of a run, as JSON: what was proved, and enough to prove it again from the trace.
//
//     {"format": "pcgs certificate 1", "switches": [5, ...],
//      "methods": [{"name", "rounds", "experts", "fingerprint", "total_loss",
//                   "best_path": {"loss", "code", "switches", "regret", "bound"},
//                   "switching": [{"switches", "oracle", "regret", "bound", "plain_bound"}, ...]}]}
//
// Regrets and bounds are in units of bounded loss, or weighted by eta ("weighted": true) where eta
// changed. The fingerprint is made from every number of the trace.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pcgs/certify.h"

namespace pcgs::results {

using NamedRecord = std::pair<std::string, ShareRecord>;

nlohmann::ordered_json certificate_json(const std::vector<NamedRecord>& records,
                                        const std::vector<std::size_t>& switches);

// Whether every regret in a certificate is at most its bound.
bool certificate_holds(const nlohmann::ordered_json& certificate);

}  // namespace pcgs::results
