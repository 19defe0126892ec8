// Checks a certificate against the trace that it was made from.
//
// A checker of its own: it reads strictly, replays the recursion in logarithms, computes every
// number of the certificate again and compares it within what rounding can do to it (reckoning.h). Only the format of the file is shared with the code that writes it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/json.h"
#include "proof/certificate_file.h"

namespace pcgs::verify {

// What a bound is made of: the code length of its path, in nats, by what it is paid for, and the gaps.
//
// A certificate holds the path and the sum. These follow from the path and the rounds of the trace, so
// that no file has to hold them, and nobody has to be believed (reckoning.h).
struct BoundParts : CodeParts {
  std::string name;  // of the method
  // -ln q_t(p_{t+1}) of all rounds, which Lemma 1 of the paper puts above C_eff; none if infinite.
  std::optional<double> cross_entropy;
  double gaps = 0;  // sum_t eta_t d_t, and what lateness cost

  // In units of loss, or weighted by eta where it changed.
  bool weighted = false;
  double regret = 0;
  double sharp_bound = 0;  // code(p) and the gaps
  double plain_bound = 0;  // with eta_t / 8 for d_t: Theorem 1 of the paper
  // Theorem 2 with rho_max = 1/2, for constant eta and no rho above that; none if infinite.
  std::optional<double> training_aligned_bound;
};

void fields(results::Fields& f, BoundParts& parts);

// Two tables for people: what the bounds are made of, and other bounds on the same regret.
std::string tables(std::span<const BoundParts> methods);

// A certificate whose methods were proved again, all of them; whose uncertified methods have the rows
// that they had; and whose claims about published forecasts, which no trace can prove, are as they
// were written.
struct Verified {
  results::CertificateFile certificate;
  std::vector<BoundParts>
      made_of;  // the bound of each of the certificate's methods, in their order
};

// A file as it was read, with its name for messages.
struct Named {
  std::string_view text;
  std::string name;
};
// Throws Error, naming the file and the place, unless everything that can be checked holds.
Verified verify(const Named& trace, const Named& certificate);
Verified verify_files(const std::string& trace_path, const std::string& certificate_path);

// What was checked and what was not, one sentence a line.
std::string sentences(const Verified& verified);
// The certificate, with what its bounds are made of behind it ("made_of": see bound_parts.h).
std::string to_json(const Verified& verified);

}  // namespace pcgs::verify
