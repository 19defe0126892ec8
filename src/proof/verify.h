// Checks a certificate against the trace that it was made from.
//
// A checker of its own: it reads strictly, replays the recursion in logarithms (replay.h), computes
// every number of the certificate again (reckoning.h) and compares it within what rounding can do to
// it (bounded.h). Only the format of the file is shared with the code that writes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proof/bound_parts.h"
#include "proof/certificate_file.h"

namespace pcgs::verify {

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
