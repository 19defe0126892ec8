#include "proof/bound_parts.h"

#include <fmt/format.h>

#include "data/text_table.h"

namespace pcgs::verify {

namespace {

std::string nats(double x) { return fmt::format("{:.2f}", x); }
std::string if_any(const std::optional<double>& x) { return x ? fmt::format("{:.3f}", *x) : "-"; }

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
    const double sum = one.code() + one.gaps;
    made.rows.push_back({one.name, std::to_string(one.switches), nats(one.start), nats(one.stays),
                         nats(one.restarts), nats(one.where_to), nats(one.gaps), nats(sum),
                         sum > 0 ? fmt::format("{:.0f} %", 100 * one.code() / sum) : "-",
                         nats(one.uniform_stays), nats(one.uniform_where_to),
                         one.cross_entropy ? nats(*one.cross_entropy) : "-"});
    bounds.rows.push_back(
        {one.name, one.weighted ? "eta x loss" : "loss", fmt::format("{:.3f}", one.regret),
         fmt::format("{:.3f}", one.sharp_bound), fmt::format("{:.3f}", one.plain_bound),
         if_any(one.training_aligned_bound)});
  }
  return text(made) + "\n" + text(bounds);
}

}  // namespace pcgs::verify
