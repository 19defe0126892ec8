// Certificates as somebody would write them who hides a change: fingerprints and checksum fit again.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "proof/certificate_file.h"
#include "proof/trace_file.h"

namespace pcgs::test {

// As far as the certificate still has places for them. Throws Error if the trace is none.
inline void refit_fingerprints(std::string_view trace, nlohmann::ordered_json& certificate) {
  io::TraceReader rows(trace, "t");
  std::size_t proved = 0, others = 0;
  for (bool more = rows.next(); more;) {
    const std::string name = rows.method();
    const bool share_form = rows.row().step != nullptr;
    io::TraceFingerprint fingerprint(rows.experts().size());
    for (; more && rows.method() == name; more = rows.next()) fingerprint.add(rows.row());
    const auto list = certificate.find(share_form ? "methods" : "uncertified");
    const std::size_t index = share_form ? proved++ : others++;
    if (list == certificate.end() || !list->is_array() || index >= list->size()) continue;
    auto& method = (*list)[index];
    if (method.is_object() && method.contains("fingerprint")) {
      method["fingerprint"] = fingerprint.text();
    }
  }
}

inline void refit_checksum(nlohmann::ordered_json& certificate) {
  certificate.erase("checksum");
  certificate["checksum"] = results::json_checksum(certificate);
}

}  // namespace pcgs::test
