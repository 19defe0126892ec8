// A controller of one's own: restarts only at midnight, when the weather models are updated.
// Whatever a controller does, the recursion stays on the simplex.
#include <pcgs/pcgs.h>

#include <cstdio>
#include <memory>
#include <vector>

namespace {

class MidnightRestart final : public pcgs::Controller {
 public:
  std::string name() const override { return "midnight-restart"; }
  void reset(std::size_t) override {}
  pcgs::Controls after(const pcgs::Round& round) override {
    const bool midnight = !round.side.empty() && round.side[0] == 0;  // side information: the hour
    return {8, midnight ? 0.2 : 0, {}};
  }
  void save(pcgs::StateWriter&) const override {}
  void load(pcgs::StateReader&) override {}
};

}  // namespace

int main() {
  pcgs::Aggregator aggregator(
      std::make_unique<pcgs::ShareMethod>(4, std::make_unique<MidnightRestart>()));
  for (int t = 0; t < 24 * 8; ++t) {
    const double hour = t % 24;
    const std::size_t best = static_cast<std::size_t>(t / 24) % 4;  // changes at midnight
    std::vector<double> losses(4, 0.6);
    losses[best] = 0.1;
    aggregator.learn(aggregator.open({}, {&hour, 1}), losses);
  }
  const double per_round = aggregator.total_loss() / double(aggregator.rounds());
  std::printf("loss per round %.3f; the best expert of each day loses 0.100\n", per_round);
  return per_round < 0.15 ? 0 : 1;
}
