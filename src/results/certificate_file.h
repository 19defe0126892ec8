// The certificate of a run: what was proved, and enough to prove it again from the trace.
//
//     {"format": "pcgs certificate 1", "switches": [5, ...],
//      "methods": [{"name", "rounds", "experts", "fingerprint", "total_loss", "weighted",
//                   "best_path": {"loss", "code", "switches", "regret", "bound", "holds"},
//                   "switching": [{"switches", "oracle", "regret", "bound", "plain_bound", "holds"},
//                                 ...]}]}
//
// Regrets and bounds are in units of bounded loss, or weighted by eta ("weighted": true) where eta
// changed. The fingerprint is made from every number of the trace.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "pcgs/certify.h"

namespace pcgs::results {

struct CertificateFile {
  struct BestPath {
    double loss = 0, code = 0;
    std::size_t switches = 0;
    double regret = 0, bound = 0;
    bool holds = false;
  };
  struct Switching {
    std::size_t switches = 0;
    double oracle = 0, regret = 0, bound = 0, plain_bound = 0;
    bool holds = false;
  };
  struct Method {
    std::string name;
    std::size_t rounds = 0, experts = 0;
    std::string fingerprint;
    double total_loss = 0;
    bool weighted = false;
    BestPath best_path;
    std::vector<Switching> switching;  // one for each budget
  };

  std::vector<std::size_t> switches;  // budgets
  std::vector<Method> methods;

  bool holds() const;  // every regret is at most its bound
};

// One run of a method of the share form, by its name.
using NamedRecord = std::pair<std::string, ShareRecord>;

CertificateFile certificate_of(const std::vector<NamedRecord>& records,
                               const std::vector<std::size_t>& switches);
std::string to_json(const CertificateFile& certificate, int indent);

// Computes a certificate again from the trace. Throws Error unless it is the one in the file, to a
// part in 1e9, and holds.
CertificateFile prove_again(const std::string& trace_path, const std::string& certificate_path);

}  // namespace pcgs::results
