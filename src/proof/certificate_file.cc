#include "proof/certificate_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/json.h"
#include "pcgs/error.h"
#include "proof/trace_file.h"

namespace pcgs::results {

namespace {

constexpr const char* kFormat = "pcgs certificate 2";

// In units of loss where eta never changed.
Certificate readable(const ShareRecord& record, const Certificate& weighted) {
  return record.constant_eta() > 0 ? unweighted(record, weighted) : weighted;
}

// A path's mean squared error is at least loss - bound, and never below 0.
CertificateFile::Claim in_words(const ForecastClaim& claim, bool of_path, const ClaimWords& words) {
  CertificateFile::Claim out;
  out.loss = claim.loss;
  out.regret = claim.certificate.regret;
  out.bound = claim.certificate.bound;
  out.holds = claim.certificate.holds();
  if (of_path) out.switches = claim.switches;
  if (!of_path) out.expert = words.experts[claim.expert];
  if (words.loss == "squared") {
    out.rmse = std::sqrt(claim.loss);
    out.rmse_bound = *out.rmse - std::sqrt(std::max(0.0, claim.loss - claim.certificate.bound));
  }
  return out;
}

std::vector<CertificateFile::Stretch> stretches(const std::vector<std::uint32_t>& path,
                                                const std::vector<std::string>& experts) {
  std::vector<CertificateFile::Stretch> out;
  for (std::size_t t = 0; t < path.size(); ++t) {
    if (t == 0 || path[t] != path[t - 1]) out.push_back({t + 1, experts[path[t]]});
  }
  return out;
}

void add_text(const std::string& text, io::Fingerprint& hash) {
  hash.add(std::uint64_t{text.size()});
  for (const char byte : text) hash.add(std::uint64_t{static_cast<unsigned char>(byte)});
}

void add_value(const ordered_json& value, io::Fingerprint& hash) {
  if (value.is_null()) {
    hash.add(std::uint64_t{1});
  } else if (value.is_boolean()) {
    hash.add(std::uint64_t{2});
    hash.add(std::uint64_t{value.get<bool>()});
  } else if (value.is_number()) {
    hash.add(std::uint64_t{3});
    hash.add(value.get<double>());
  } else if (value.is_string()) {
    hash.add(std::uint64_t{4});
    add_text(value.get_ref<const std::string&>(), hash);
  } else if (value.is_array()) {
    hash.add(std::uint64_t{5});
    hash.add(std::uint64_t{value.size()});
    for (const auto& one : value) add_value(one, hash);
  } else {
    hash.add(std::uint64_t{6});
    hash.add(std::uint64_t{value.size()});
    for (const auto& [key, one] : value.items()) {
      add_text(key, hash);
      add_value(one, hash);
    }
  }
}

}  // namespace

std::string json_checksum(const ordered_json& value) {
  io::Fingerprint hash;
  add_value(value, hash);
  return hash.text();
}

void fields(Fields& f, CertificateFile::BestPath& best) {
  f("loss", best.loss, "code", best.code, "switches", best.switches, "regret", best.regret, "bound",
    best.bound, "holds", best.holds, "path", best.path);
}

void fields(Fields& f, CertificateFile::Stretch& stretch) {
  f("from", stretch.from, "expert", stretch.expert);
}

void fields(Fields& f, CertificateFile::Switching& one) {
  f("switches", one.switches, "oracle", one.oracle, "regret", one.regret, "bound", one.bound,
    "plain_bound", one.plain_bound, "holds", one.holds);
}

void fields(Fields& f, CertificateFile::Claim& claim) {
  f("loss", claim.loss, "regret", claim.regret, "bound", claim.bound, "holds", claim.holds);
  f.unless_empty("switches", claim.switches);
  f.unless_empty("expert", claim.expert);
  f.unless_empty("rmse", claim.rmse);
  f.unless_empty("rmse_bound", claim.rmse_bound);
}

void fields(Fields& f, CertificateFile::Forecasts& forecasts) {
  f("path", forecasts.path, "expert", forecasts.expert);
}

void fields(Fields& f, CertificateFile::Rows& method) {
  f("name", method.name, "rounds", method.rounds, "fingerprint", method.fingerprint);
}

void fields(Fields& f, CertificateFile::Published& published) {
  f("name", published.name, "rounds", published.rounds, "path", published.path, "raw_path",
    published.raw_path, "expert", published.expert);
}

void fields(Fields& f, CertificateFile::Method& method) {
  f("name", method.name, "rounds", method.rounds, "experts", method.experts, "fingerprint",
    method.fingerprint, "total_loss", method.total_loss, "weighted", method.weighted, "best_path",
    method.best_path, "switching", method.switching);
  f.unless_empty("forecasts", method.forecasts);
}

void fields(Fields& f, CertificateFile& certificate) {
  std::string format = kFormat;
  f("format", format, "experts", certificate.experts, "switches", certificate.switches);
  f.unless_empty("loss", certificate.loss);
  f("methods", certificate.methods, "uncertified", certificate.uncertified);
  f.unless_empty("published", certificate.published);
}

CertificateFile::Method certified(const std::string& name, const std::string& fingerprint,
                                  const ShareRecord& record,
                                  const std::vector<std::size_t>& switches,
                                  const ClaimWords& words) {
  CertificateFile::Method out;
  out.name = name;
  out.rounds = record.rounds();
  out.experts = record.experts();
  out.fingerprint = fingerprint;
  out.total_loss = record.total_paid();
  out.weighted = record.constant_eta() == 0;
  const BestPath best = best_path(record);
  const Certificate against_best = readable(record, sharp_certificate(record, best.experts));
  out.best_path = {best.cost.loss,
                   best.cost.code,
                   best.cost.switches,
                   against_best.regret,
                   against_best.bound,
                   against_best.holds(),
                   stretches(best.experts, words.experts)};
  if (record.has_forecasts()) {
    const ForecastClaims claims = forecast_claims(record);
    out.forecasts = {in_words(claims.path, true, words), in_words(claims.expert, false, words)};
  }
  if (switches.empty()) return out;
  const auto all =
      switching_certificates(record, *std::max_element(switches.begin(), switches.end()));
  for (const std::size_t s : switches) {
    const SwitchingCertificate& one = all[s];
    out.switching.push_back({s, one.oracle, one.sharp.regret, one.sharp.bound, one.plain.bound,
                             one.sharp.holds() && one.plain.holds()});
  }
  return out;
}

CertificateFile::Published published(const std::string& name, const ForecastCertificate& proved,
                                     const ClaimWords& words) {
  return {name, proved.rounds(), in_words(proved.against_path(), true, words),
          in_words(proved.against_raw_path(), true, words),
          in_words(proved.against_expert(), false, words)};
}

std::string sentences(const CertificateFile& certificate) {
  const bool squared = certificate.loss == "squared";
  const std::string_view measure = squared ? "root mean squared error" : "mean loss";
  // By how much the comparator was really better.
  const auto measured = [&](const CertificateFile::Claim& claim) {
    const double lower =
        squared ? *claim.rmse - std::sqrt(std::max(0.0, claim.loss - claim.regret)) : claim.regret;
    return fmt::format("{} by {:.4g}", lower > 0 ? "lower" : "higher", std::abs(lower));
  };
  // "no expert had a mean loss lower than that of blend by more than 0.1", or, where even that is
  // excluded, "every expert had a mean loss higher than that of blend by at least 0.1".
  const auto claimed = [&](std::string_view who, const std::string& name,
                           const CertificateFile::Claim& claim) {
    const double bound = squared ? *claim.rmse_bound : claim.bound;
    return fmt::format("proved: {} {} had a {} {} than that of {} by {} {:.4g}; that of the best ",
                       bound < 0 ? "every" : "no", who, measure, bound < 0 ? "higher" : "lower",
                       name, bound < 0 ? "at least" : "more than", std::abs(bound));
  };
  std::string out;
  for (const auto& [name, rounds, path, raw_path, expert] : certificate.published) {
    out += fmt::format("{}({}) was {}\n", claimed("expert", name, expert), *expert.expert,
                       measured(expert));
    if (*raw_path.switches == 0) continue;  // the same again
    const std::string who =
        fmt::format("sequence of experts with at most {} switches", *raw_path.switches);
    out += fmt::format("{}was {}\n", claimed(who, name, raw_path), measured(raw_path));
  }
  return out;
}

std::string to_json(const CertificateFile& certificate, int indent) {
  ordered_json file = encode(certificate);
  file["checksum"] = json_checksum(file);
  return io::json_text(file, indent);
}

CertificateFile parse_certificate(std::string_view text, const std::string& origin) {
  ordered_json file =
      io::parse_json(text, origin, "a certificate as pcgs run --certificate wrote it");
  const ordered_json format =
      file.is_object() ? file.value("format", ordered_json()) : ordered_json();
  if (format != kFormat) {
    throw Error(ErrorKind::kFormat, {.file = origin},
                "is not a certificate; expected a file that pcgs run --certificate wrote");
  }
  const ordered_json checksum = file.value("checksum", ordered_json());
  file.erase("checksum");
  CertificateFile certificate;
  decode(file, Place(origin), certificate);
  if (const ordered_json again = encode(certificate); file != again) {
    const ordered_json patch = ordered_json::diff(file, again);
    const std::string differs =
        patch.empty() ? "the order of its keys" : patch[0]["path"].get<std::string>().substr(1);
    throw Error(ErrorKind::kFormat, {.file = origin, .field = differs},
                fmt::format("{} is not what a certificate has there; give the file as pcgs run "
                            "--certificate wrote it",
                            differs));
  }
  if (checksum != json_checksum(file)) {
    throw Error(ErrorKind::kMismatch, {.file = origin, .field = "checksum"},
                "was changed since it was written: its checksum is another");
  }
  return certificate;
}

}  // namespace pcgs::results
