#include "results/certificate_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/whole_file.h"
#include "io/json_text.h"
#include "io/trace_reader.h"
#include "pcgs/error.h"
#include "registry/share_forms.h"
#include "results/fields.h"

namespace pcgs::results {

namespace {

constexpr const char* kFormat = "pcgs certificate 1";

// In units of loss where eta never changed.
Certificate readable(const ShareRecord& record, const Certificate& weighted) {
  return record.constant_eta() > 0 ? unweighted(record, weighted) : weighted;
}

// A path's mean squared error is at least loss - bound, and never below 0.
CertificateFile::Claim in_words(const ForecastClaim& claim, const ClaimWords& words) {
  CertificateFile::Claim out;
  out.loss = claim.loss;
  out.regret = claim.certificate.regret;
  out.bound = claim.certificate.bound;
  out.holds = claim.certificate.holds();
  if (words.loss == "squared") {
    out.rmse = std::sqrt(claim.loss);
    out.rmse_bound = *out.rmse - std::sqrt(std::max(0.0, claim.loss - claim.certificate.bound));
  }
  return out;
}

CertificateFile::Claim path_claim(const ForecastClaim& claim, const ClaimWords& words) {
  CertificateFile::Claim out = in_words(claim, words);
  out.switches = claim.switches;
  return out;
}

CertificateFile::Claim expert_claim(const ForecastClaim& claim, const ClaimWords& words) {
  CertificateFile::Claim out = in_words(claim, words);
  out.expert = words.experts[claim.expert];
  return out;
}

CertificateFile::Method certified(const std::string& name, const ShareRecord& record,
                                  const std::vector<std::size_t>& switches,
                                  const ClaimWords& words) {
  CertificateFile::Method out;
  out.name = name;
  out.rounds = record.rounds();
  out.experts = record.experts();
  out.fingerprint = fmt::format("{:016x}", record.fingerprint());
  out.total_loss = record.total_paid();
  out.weighted = record.constant_eta() == 0;
  const BestPath best = best_path(record);
  const Certificate against_best = readable(record, sharp_certificate(record, best.experts));
  out.best_path = {best.cost.loss,      best.cost.code,     best.cost.switches,
                   against_best.regret, against_best.bound, against_best.holds()};
  if (record.has_forecasts()) {
    const ForecastClaims claims = forecast_claims(record);
    out.forecasts = {path_claim(claims.path, words), expert_claim(claims.expert, words)};
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

// Every method of the share form in the trace, replayed; the names of its experts into `names`.
std::vector<NamedRecord> records_of(const std::string& path, std::vector<std::string>& names) {
  const auto bytes = read_whole_file(path);
  io::TraceReader reader({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
  const std::size_t experts = reader.experts().size();
  names = reader.experts();
  std::vector<NamedRecord> records;
  while (reader.next()) {
    if (reader.row().step == nullptr) continue;
    const std::string& name = reader.method();
    if (records.empty() || records.back().first != name) {
      records.emplace_back(name, ShareRecord(experts));
    }
    try {
      records.back().second.add(reader.row());
    } catch (const Error& wrong) {
      throw Error(
          fmt::format("{}: the trace contradicts itself: {}", reader.position(), wrong.what()));
    }
  }
  if (records.empty()) {
    throw Error(fmt::format("{}: has no method of the share form; trace one of {}", path,
                            share_form_names()));
  }
  return records;
}

ordered_json read_certificate(const std::string& path) {
  const auto bytes = read_whole_file(path);
  ordered_json file = parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
  if (!file.is_object() || file.value("format", ordered_json()) != kFormat ||
      !file["switches"].is_array()) {
    throw Error(fmt::format(
        "{}: is not a certificate; give a file that pcgs run --certificate wrote", path));
  }
  for (const auto& s : file["switches"]) {
    if (!s.is_number_unsigned() || s.get<std::size_t>() > 1000000) {
      throw Error(
          fmt::format("{}: has a switch budget that cannot be; give budgets to 1000000", path));
    }
  }
  return file;
}

// The first difference between two JSON values, as a path into them; empty if they agree, numbers
// to a part in 1e9.
std::string difference(const ordered_json& a, const ordered_json& b, const std::string& at) {
  if (a.is_number() && b.is_number()) {
    const double x = a.get<double>();
    const double y = b.get<double>();
    return std::abs(x - y) <= 1e-9 * (1 + std::abs(x)) ? "" : at;
  }
  if (a.type() != b.type() || a.size() != b.size()) return at;
  if (!a.is_structured()) return a == b ? "" : at;
  for (const auto& [key, value] : a.items()) {  // the keys of an array are its indices
    std::string below = fmt::format("{}/{}", at, key);
    if (a.is_object() && !b.contains(key)) return below;
    const ordered_json& other = a.is_object() ? b[key] : b[std::stoul(key)];
    std::string found = difference(value, other, below);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace

void fields(Fields& f, CertificateFile::BestPath& best) {
  f("loss", best.loss, "code", best.code, "switches", best.switches, "regret", best.regret, "bound",
    best.bound, "holds", best.holds);
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
  f("format", format, "switches", certificate.switches);
  f.unless_empty("loss", certificate.loss);
  f("methods", certificate.methods);
  if (!certificate.published.empty()) f("published", certificate.published);
}

bool CertificateFile::holds() const {
  return std::all_of(methods.begin(), methods.end(), [](const Method& method) {
    return method.best_path.holds &&
           (!method.forecasts ||
            (method.forecasts->path.holds && method.forecasts->expert.holds)) &&
           std::all_of(method.switching.begin(), method.switching.end(),
                       [](const Switching& one) { return one.holds; });
  });
}

CertificateFile certificate_of(const std::vector<NamedRecord>& records,
                               const std::vector<std::size_t>& switches, const ClaimWords& words) {
  CertificateFile out;
  out.switches = switches;
  out.loss = words.loss;
  for (const auto& [name, record] : records) {
    out.methods.push_back(certified(name, record, switches, words));
  }
  return out;
}

CertificateFile::Published published(const std::string& name, const ForecastCertificate& proved,
                                     const ClaimWords& words) {
  return {name, proved.rounds(), path_claim(proved.against_path(), words),
          path_claim(proved.against_raw_path(), words),
          expert_claim(proved.against_expert(), words)};
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
  return io::json_text(encode(certificate), indent);
}

CertificateFile prove_again(const std::string& trace_path, const std::string& certificate_path) {
  ordered_json claimed = read_certificate(certificate_path);
  claimed.erase("published");  // no trace holds what it was proved from
  ClaimWords words;
  if (claimed.contains("loss") && claimed["loss"].is_string()) words.loss = claimed["loss"];
  const auto records = records_of(trace_path, words.experts);
  CertificateFile proved =
      certificate_of(records, claimed["switches"].get<std::vector<std::size_t>>(), words);
  if (words.loss.empty()) {  // written before there were claims about forecasts
    for (auto& method : proved.methods) method.forecasts.reset();
  }
  const std::string differs = difference(encode(proved), claimed, "");
  if (!differs.empty()) {
    throw Error(fmt::format("{}: does not hold: {} is not what {} gives", certificate_path, differs,
                            trace_path));
  }
  if (!proved.holds()) {
    throw Error(fmt::format("{}: does not hold: a regret exceeds its bound", certificate_path));
  }
  return proved;
}

}  // namespace pcgs::results
