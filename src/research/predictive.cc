// predictive: a few experts take turns in an order that can be learned, and stay for about as long
// each time.
//
//     loss = clip( 0.5 - gap [k wins] + noise N(0,1), 0, 1 )
//
// `members` of the experts, chosen at random, stand in a ring. A winner stays for any number of
// rounds from least to most; then its neighbour in the ring follows with chance `order`, else one
// of the other members. The limit knows the ring.
#include <algorithm>
#include <numeric>

#include "research/bayes_filter.h"
#include "research/families.h"

namespace pcgs::suite {

namespace {

WinnerProcess ring(std::vector<std::uint32_t> members, double order, Dwell dwell) {
  const std::size_t size = members.size();
  WinnerProcess process{std::move(dwell), std::move(members), {}};
  if (size <= 2) return process;  // there is only one other
  process.next.assign(size * size, (1 - order) / static_cast<double>(size - 2));
  for (std::size_t i = 0; i < size; ++i) {
    process.next[i * size + i] = 0;
    process.next[i * size + (i + 1) % size] = order;
  }
  return process;
}

}  // namespace

Sequence make_predictive(std::size_t rounds, std::size_t experts, std::uint64_t seed,
                         Parameters p) {
  const double gap = p[0], noise = p[1], order = p[3];
  const std::size_t size = std::min(static_cast<std::size_t>(p[2]), experts);
  const auto least = static_cast<std::size_t>(std::min(p[4], p[5]));
  const auto most = static_cast<std::size_t>(std::max(p[4], p[5]));
  Random random("predictive", seed);

  std::vector<std::uint32_t> members(experts);
  std::iota(members.begin(), members.end(), 0U);
  for (std::size_t i = 0; i < size; ++i) {
    std::swap(members[i], members[i + random.below(experts - i)]);
  }
  members.resize(size);

  const auto law = std::make_shared<const WinLose>(
      WinLose{ClippedLaw(0.5 - gap, {noise}), ClippedLaw(0.5, {noise})});
  return winner_sequence(
      rounds, experts, ring(std::move(members), order, Dwell::between(least, most)),
      [law](std::size_t, std::size_t) -> const WinLose& { return *law; }, random);
}

}  // namespace pcgs::suite
