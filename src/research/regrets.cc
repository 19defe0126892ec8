#include "research/regrets.h"

#include <optional>

#include "combine/hindsight_methods.h"
#include "run/paired.h"
#include "run/summary.h"

namespace pcgs::studies {

using results::MethodPair;
using results::MethodRegret;

namespace {

// How much of the way from the tuned method to the limit a mean regret has gone: 0 at the tuned
// one, 1 at the limit. None where either is missing, or the limit is not the lower one.
std::optional<double> share_closed(const MethodRegret* tuned, const MethodRegret* limit,
                                   double mean) {
  if (tuned == nullptr || limit == nullptr) return std::nullopt;
  if (!(tuned->mean > limit->mean)) return std::nullopt;  // too few sequences to tell them apart
  return (tuned->mean - mean) / (tuned->mean - limit->mean);
}

}  // namespace

std::vector<MethodRegret> method_regrets(const suite::Tournament& tournament) {
  std::vector<MethodRegret> all;
  for (const suite::Entry& entry : tournament.entries) {
    MethodRegret one;
    one.name = entry.name;
    one.chosen_in_hindsight = entry.chosen;
    one.regret = suite::minus(entry.losses, tournament.oracle);
    const auto [mean, std] = stats::summarize(one.regret);
    one.mean = mean;
    one.std = std;
    if (!tournament.unclipped_oracle.empty()) {
      one.unclipped_regret = suite::minus(entry.unclipped_losses, tournament.unclipped_oracle);
      const auto unclipped = stats::summarize(one.unclipped_regret);
      one.unclipped = {unclipped.mean, unclipped.std};
    }
    all.push_back(std::move(one));
  }
  const MethodRegret* tuned = find_method(all, kTunedFixedShare);
  const MethodRegret* limit = find_method(all, suite::kLimitName);
  for (MethodRegret& one : all) one.share_closed = share_closed(tuned, limit, one.mean);
  return all;
}

std::vector<MethodPair> against_others(const std::vector<MethodRegret>& methods,
                                       const std::vector<std::string>& compared) {
  const stats::Bootstrap bootstrap = bootstrap_for(methods.front().regret.size());
  std::vector<MethodPair> pairs;
  for (const std::string& name : compared) {
    const MethodRegret& ours = *find_method(methods, name);
    for (const MethodRegret& other : methods) {
      if (other.name == name) continue;
      pairs.push_back(
          {name, other.name, stats::compare(ours.regret, other.regret, bootstrap), {}, {}});
    }
  }
  return pairs;
}

stats::Bootstrap bootstrap_for(std::size_t sequences) {
  constexpr std::uint64_t kSeed = 1;
  return {sequences, stats::kResamples, kSeed};
}

}  // namespace pcgs::studies
