// The certificate of a run: what was proved, and enough to prove it again from the trace.
//
//     {"format": "pcgs certificate 2", "experts": [NAME, ...], "switches": [5, ...], "loss": "squared",
//      "methods": [{"name", "rounds", "experts", "fingerprint", "total_loss", "weighted",
//                   "best_path": {"loss", "code", "switches", "regret", "bound", "holds",
//                                 "path": [{"from", "expert"}, ...]},
//                   "switching": [{"switches", "oracle", "regret", "bound", "plain_bound", "holds"},
//                                 ...],
//                   "forecasts": {"path": CLAIM, "expert": CLAIM}}],
//      "uncertified": [{"name", "rounds", "fingerprint"}],
//      "published": [{"name", "rounds", "path": CLAIM, "raw_path": CLAIM, "expert": CLAIM}],
//      "checksum"}
//     CLAIM = {"loss", "regret", "bound", "holds", "switches" or "expert" (its name),
//              "rmse", "rmse_bound"}
//
// Regrets and bounds of a method are in units of bounded loss, or weighted by eta ("weighted": true)
// where eta changed. The path is given so that a checker need not find it: "from" counts the rounds as
// they were learned, from 1. A fingerprint is made from every cell that a method has in the trace
// (TraceFingerprint); the checksum from everything else in the file (json_checksum).
//
// A claim is about the loss of combined forecasts in the user's units, a mean in which round t counts
// with its rate: no expert, and no path with a code as short as that of the best one, had a mean loss
// lower than "loss" by more than "bound". In a "raw_path" that is every path over the experts with at
// most as many switches. For squared losses the same in the units of forecasts: "rmse" is the root of
// "loss", and "rmse_bound" by how much theirs could at most be lower. "published" is what methods
// such as blend prove as they run; a trace does not hold what they know, so that it cannot be proved
// again from it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proof/path_certificates.h"

namespace pcgs::results {

struct CertificateFile {
  struct Stretch {
    std::size_t from = 0;
    std::string expert;
  };
  struct BestPath {
    double loss = 0, code = 0;
    std::size_t switches = 0;
    double regret = 0, bound = 0;
    bool holds = false;
    std::vector<Stretch> path;
  };
  struct Switching {
    std::size_t switches = 0;
    double oracle = 0, regret = 0, bound = 0, plain_bound = 0;
    bool holds = false;
  };
  struct Claim {
    double loss = 0, regret = 0, bound = 0;
    bool holds = false;
    std::optional<std::size_t> switches;
    std::optional<std::string> expert;
    std::optional<double> rmse, rmse_bound;
  };
  struct Forecasts {
    Claim path, expert;
  };
  // The rows of a method in the trace. That is all that is said of one whose certificate they cannot prove.
  struct Rows {
    std::string name;
    std::size_t rounds = 0;
    std::string fingerprint;
  };
  struct Published {
    std::string name;
    std::size_t rounds = 0;
    Claim path, raw_path, expert;
  };
  struct Method : Rows {
    std::size_t experts = 0;
    double total_loss = 0;
    bool weighted = false;
    BestPath best_path;
    std::vector<Switching> switching;  // one for each budget
    std::optional<Forecasts> forecasts;
  };

  std::vector<std::string> experts;
  std::vector<std::size_t> switches;  // budgets
  std::string loss;                   // of forecasts, if there are any
  std::vector<Method> methods;
  std::vector<Rows> uncertified;
  std::vector<Published> published;
};

// What claims about forecasts are said in.
struct ClaimWords {
  std::vector<std::string> experts;
  std::string loss;  // the name of the TaskLoss; empty without forecasts
};

// What is proved about one run of a method of the share form.
CertificateFile::Method certified(const std::string& name, const std::string& fingerprint,
                                  const ShareRecord& record,
                                  const std::vector<std::size_t>& switches,
                                  const ClaimWords& words);
CertificateFile::Published published(const std::string& name, const ForecastCertificate& proved,
                                     const ClaimWords& words);
std::string to_json(const CertificateFile& certificate, int indent);
// What is proved about published forecasts, as sentences, one a line; empty if nothing is.
std::string sentences(const CertificateFile& certificate);

// Throws Error, naming the origin and the place, unless it is one, to the last key, and unchanged.
CertificateFile parse_certificate(std::string_view text, const std::string& origin);

// A number made from every key and every value of a JSON document, in order; spaces do not count.
//
// Of each value a word for its type goes into a Fingerprint, and then: nothing for null (1), 0 or 1 for a
// truth value (2), the bits of a number as a double (3), the length and every byte of a text (4), the size
// and every value of a list (5), the size and every key, as a text without its type, and value of an
// object (6).
std::string json_checksum(const nlohmann::ordered_json& value);

}  // namespace pcgs::results
