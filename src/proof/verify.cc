#include "proof/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "data/input_bytes.h"
#include "data/json.h"
#include "data/text.h"
#include "data/whole_file.h"
#include "pcgs/certificates.h"
#include "pcgs/error.h"
#include "pcgs/losses.h"
#include "proof/reckoning.h"
#include "proof/trace_file.h"

namespace pcgs::verify {

namespace {

std::string nats(double x) { return fmt::format("{:.2f}", x); }
std::string if_any(const std::optional<double>& x) { return x ? fmt::format("{:.3f}", *x) : "-"; }

using results::CertificateFile;

// The rows of one method in the trace, and what the certificate says about them. One of the share form is
// proved again; of another it is only known that it plays a distribution over those who are awake, and
// that its mixture loss is theirs. Errors are half sentences: about a row in next(), about the certificate
// elsewhere.
class Rows {
 public:
  Rows(const CertificateFile& certificate, bool share_form, std::size_t index)
      : place_(fmt::format("{}/{}", share_form ? "methods" : "uncertified", index)),
        told_(share_form ? certificate.methods.at(index) : certificate.uncertified.at(index)),
        fingerprint_(certificate.experts.size()) {
    if (share_form) {
      reckoning_.emplace(certificate.methods[index], certificate.experts,
                         certificate.loss == "squared");
    }
  }

  void next(const TraceRow& row) {
    if ((row.step != nullptr) != reckoning_.has_value()) {
      throw Error("is of another form than the rows of its method before it");
    }
    fingerprint_.add(row);
    if (!numbers_.insert(row.round.number).second) throw Error("is there twice");
    double total = 0;
    Bounded mixture;
    for (std::size_t k = 0; k < row.played.size(); ++k) {
      const double w = row.played[k], loss = row.round.losses[k];
      if (!(w >= 0 && loss >= 0 && loss <= 1) || (!row.round.is_awake(k) && w != 0)) {
        throw Error(fmt::format("has the weight {} and the loss {}, which cannot be", w, loss));
      }
      total += w;
      mixture += Bounded::rounded(w * loss, 0);
    }
    if (!(std::abs(total - 1) <= 1e-9)) {
      throw Error(fmt::format("has weights that sum to {}", total));
    }
    if (!agrees(row.round.mixture_loss, mixture)) {
      throw Error("has a mixture loss that is not its weights' loss");
    }
    if (reckoning_) reckoning_->next(row, mixture);
  }

  void check(const std::string& name) const {
    const auto refuse = [&](std::string_view why) {
      throw Error(fmt::format("{}/{}", place_, why));
    };
    try {
      if (reckoning_) reckoning_->check();  // first, for it says what is wrong
    } catch (const Error& wrong) {
      refuse(wrong.what());
    }
    if (told_.name != name) refuse(fmt::format("name is {}, and not {}", told_.name, name));
    if (told_.rounds != fingerprint_.rows()) {
      refuse(fmt::format("rounds is {}, and there are {}", told_.rounds, fingerprint_.rows()));
    }
    if (told_.fingerprint != fingerprint_.text()) {
      refuse("fingerprint is another: the trace was changed");
    }
  }
  // After check(): none where nothing was proved.
  const std::optional<Reckoning>& reckoning() const { return reckoning_; }

 private:
  std::string place_;
  const CertificateFile::Rows& told_;
  io::TraceFingerprint fingerprint_;
  std::unordered_set<std::int64_t> numbers_;
  std::optional<Reckoning> reckoning_;
};

constexpr std::size_t kLargestCertificate = std::size_t{256} << 20;

// Before anything is made as large as they ask for.
void check_budgets(const CertificateFile& certificate) {
  const auto& budgets = certificate.switches;
  if (std::any_of(budgets.begin(), budgets.end(), [](std::size_t s) { return s > 1000000; })) {
    throw Error("switches has a budget that cannot be; there are budgets to 1000000");
  }
  for (std::size_t i = 0; i < certificate.methods.size(); ++i) {
    const auto& switching = certificate.methods[i].switching;
    if (!std::equal(switching.begin(), switching.end(), budgets.begin(), budgets.end(),
                    [](const auto& one, std::size_t s) { return one.switches == s; })) {
      throw Error(fmt::format("methods/{}/switching is about other budgets than switches", i));
    }
  }
}

// The loss of forecasts has a name, and claims about forecasts have a loss.
void check_loss(const CertificateFile& certificate) {
  const auto has_claims = [](const auto& method) { return method.forecasts.has_value(); };
  if (!certificate.loss.empty()) {
    TaskLoss(certificate.loss);  // throws
  } else if (!certificate.published.empty() ||
             std::any_of(certificate.methods.begin(), certificate.methods.end(), has_claims)) {
    throw Error("it claims something about forecasts and does not name their loss");
  }
}

// What can be seen of claims that no trace proves: that they do not contradict themselves or the rest of
// the certificate.
void check_published(const CertificateFile& certificate) {
  const auto& experts = certificate.experts;
  for (std::size_t i = 0; i < certificate.published.size(); ++i) {
    const auto& published = certificate.published[i];
    const auto &path = published.path, &raw_path = published.raw_path, &expert = published.expert;
    const auto refuse = [&](std::string_view why) {
      throw Error(fmt::format("published/{}/{}", i, why));
    };
    if (std::none_of(certificate.uncertified.begin(), certificate.uncertified.end(),
                     [&](const auto& one) {
                       return one.name == published.name && one.rounds == published.rounds;
                     })) {
      refuse("name and rounds are those of no method in the trace");
    }
    if (!path.switches || !raw_path.switches || path.expert || raw_path.expert || expert.switches ||
        !expert.expert ||
        std::find(experts.begin(), experts.end(), *expert.expert) == experts.end()) {
      refuse("does not name two paths and an expert");
    }
    for (const auto* claim : {&path, &raw_path, &expert}) {
      const double most = std::abs(claim->loss) + std::abs(claim->bound) + std::abs(claim->regret);
      if (!claim->holds || !(claim->regret <= claim->bound + 1e-9 * most)) {
        refuse("has a regret that exceeds its bound");
      }
      const bool squared = certificate.loss == "squared";
      if (claim->rmse.has_value() != squared || claim->rmse_bound.has_value() != squared) {
        refuse("has a root of an error that is not squared, or lacks one");
      }
      if (!squared) continue;
      const double least = std::sqrt(std::max(0.0, claim->loss - claim->bound));
      if (!agrees(*claim->rmse, {std::sqrt(claim->loss), 0}) ||
          !agrees(*claim->rmse_bound, {*claim->rmse - least, kRounding * *claim->rmse})) {
        refuse("has an rmse that does not follow from its loss");
      }
    }
  }
}

}  // namespace

void fields(results::Fields& f, BoundParts& parts) {
  f("name", parts.name, "switches", parts.switches, "start", parts.start, "stays", parts.stays,
    "restarts", parts.restarts, "where_to", parts.where_to, "uniform_stays", parts.uniform_stays,
    "uniform_where_to", parts.uniform_where_to);
  f.unless_empty("cross_entropy", parts.cross_entropy);
  f("gaps", parts.gaps, "weighted", parts.weighted, "regret", parts.regret, "sharp_bound",
    parts.sharp_bound, "plain_bound", parts.plain_bound);
  f.unless_empty("training_aligned_bound", parts.training_aligned_bound);
}

std::string tables(std::span<const BoundParts> methods) {
  io::TextTable made{
      "What the bounds are made of, in nats: the code length of the path, and the gaps. A switch "
      "costs "
      "that there is\na restart, and where it goes; uniform q: what the same path would cost with "
      "it; "
      "cross entropy: of q over\nall rounds, which is never below where to (Lemma 1)",
      {"method", "switches", "start", "stays", "restarts", "where to", "gaps", "sum", "code length",
       "uniform q: stays", "uniform q: where to", "cross entropy"},
      {}};
  io::TextTable bounds{
      "Bounds on the same regret: with the gaps that occurred; with eta / 8 for each (Theorem 1); "
      "in "
      "terms of what a\ncontroller is trained on (Theorem 2 with rho_max = 1/2, for a constant eta "
      "and no rho above rho_max)",
      {"method", "in units of", "regret", "sharp", "Theorem 1", "Theorem 2"},
      {}};
  for (const BoundParts& one : methods) {
    const double sum = one.total() + one.gaps;
    made.rows.push_back({one.name, std::to_string(one.switches), nats(one.start), nats(one.stays),
                         nats(one.restarts), nats(one.where_to), nats(one.gaps), nats(sum),
                         sum > 0 ? fmt::format("{:.0f} %", 100 * one.total() / sum) : "-",
                         nats(one.uniform_stays), nats(one.uniform_where_to),
                         one.cross_entropy ? nats(*one.cross_entropy) : "-"});
    bounds.rows.push_back(
        {one.name, one.weighted ? "eta x loss" : "loss", fmt::format("{:.3f}", one.regret),
         fmt::format("{:.3f}", one.sharp_bound), fmt::format("{:.3f}", one.plain_bound),
         if_any(one.training_aligned_bound)});
  }
  return text(made) + "\n" + text(bounds);
}

Verified verify_files(const std::string& trace_path, const std::string& certificate_path) {
  const auto certificate = read_whole_file(certificate_path, kLargestCertificate);
  const io::InputBytes trace(trace_path);
  return verify(
      {trace.text(), trace_path},
      {{reinterpret_cast<const char*>(certificate.data()), certificate.size()}, certificate_path});
}

Verified verify(const Named& trace_file, const Named& certificate_file) {
  const CertificateFile certificate =
      results::parse_certificate(certificate_file.text, certificate_file.name);
  io::TraceReader trace(trace_file.text, trace_file.name);
  const auto about_certificate = [&](const auto& check) {
    try {
      check();
    } catch (const Error& wrong) {
      throw Error(ErrorKind::kMismatch, {.file = certificate_file.name},
                  fmt::format("does not hold for {}: {}", trace_file.name, wrong.what()));
    }
  };
  about_certificate([&] {
    check_budgets(certificate);
    check_loss(certificate);
    if (trace.experts() == certificate.experts) return;
    throw Error(fmt::format("experts are {}, and those of the trace are {}",
                            fmt::join(certificate.experts, ", "),
                            fmt::join(trace.experts(), ", ")));
  });

  std::size_t proved = 0, unchanged = 0;
  std::unordered_set<std::string> seen;
  std::string name;  // of the method whose rows they are
  std::optional<Rows> rows;
  std::vector<BoundParts> made_of;
  const auto finish = [&] {
    if (!rows) return;
    rows->check(name);
    if (rows->reckoning()) made_of.push_back(rows->reckoning()->made_of());
  };
  const auto begin = [&](bool share_form) {
    name = trace.method();
    if (!seen.insert(name).second) {
      throw Error(fmt::format("the rows of {} are not together", name));
    }
    std::size_t& next = share_form ? proved : unchanged;
    if (next == (share_form ? certificate.methods.size() : certificate.uncertified.size())) {
      throw Error(fmt::format("it says nothing about {}", name));
    }
    rows.emplace(certificate, share_form, next++);
  };
  while (trace.next()) {
    if (!rows || name != trace.method()) {
      about_certificate([&] {
        finish();
        begin(trace.row().step != nullptr);
      });
    }
    try {
      rows->next(trace.row());
    } catch (const Error& wrong) {
      throw Error(ErrorKind::kMismatch, trace.place(),
                  fmt::format("the trace contradicts itself: round {} {}", trace.row().round.number,
                              wrong.what()));
    }
  }
  about_certificate([&] {
    finish();
    if (proved != certificate.methods.size()) {
      throw Error(fmt::format("the trace has no rows of {}", certificate.methods[proved].name));
    }
    if (unchanged != certificate.uncertified.size()) {
      throw Error(
          fmt::format("the trace has no rows of {}", certificate.uncertified[unchanged].name));
    }
    check_published(certificate);
    if (proved == 0) throw Error("there is nothing in it that a trace can prove");
  });
  return {certificate, std::move(made_of)};
}

std::string to_json(const Verified& verified) {
  auto out = results::ordered_json::parse(results::to_json(verified.certificate, -1));
  out["made_of"] = results::encode(verified.made_of);
  return io::json_text(out, -1);
}

std::string sentences(const Verified& verified) {
  std::string out;
  for (const auto& method : verified.certificate.methods) {
    const auto& best = method.best_path;
    if (method.weighted) {
      out += fmt::format(
          "{}: proved over {} rounds: losses weighted by eta, which changed from round to round, "
          "sum "
          "up to at most {:.3f} more than those of a path of experts with {} switches, weighted "
          "alike; "
          "really {:.3f} more\n",
          method.name, method.rounds, best.bound, best.switches, best.regret);
    } else {
      out += fmt::format(
          "{}: proved over {} rounds: its loss of {:.3f} is at most {:.3f} more than the {:.3f} "
          "that a "
          "path of experts with {} switches lost; really {:.3f} more\n",
          method.name, method.rounds, method.total_loss, best.bound, best.loss, best.switches,
          best.regret);
    }
  }
  for (const auto& method : verified.certificate.uncertified) {
    out += fmt::format("{}: its {} rows are as they were written; nothing is proved about them\n",
                       method.name, method.rounds);
  }
  for (const auto& claim : verified.certificate.published) {
    out += fmt::format(
        "{}: what it says about the forecasts that it published is as it was written, and was not "
        "checked: a trace does not hold what it follows from\n",
        claim.name);
  }
  return out;
}

}  // namespace pcgs::verify

namespace pcgs {

std::string check_certificate(const std::string& trace_path, const std::string& certificate_path) {
  return sentences(verify::verify_files(trace_path, certificate_path));
}

}  // namespace pcgs
