#include "show/first_sequences.h"

#include <algorithm>

#include "pcgs/registry.h"

namespace pcgs::report {

std::vector<RunDepth> first_sequences(const studies::StudyConfig& config) {
  constexpr std::size_t kBuckets = 100;  // seven families share a page
  std::vector<RunDepth> runs;
  std::vector<std::string> wanted = {"fixed-share", "genshare", "guard"};
  const auto compared = compared_methods(config.summary());
  wanted.insert(wanted.end(), compared.begin(), compared.end());
  auto shown = config.playing(std::move(wanted));
  if (shown.empty()) return runs;
  // What the study is about is looked at first.
  std::stable_partition(shown.begin(), shown.end(),
                        [&](const auto& name) { return name == config.featured(); });
  for (const auto& family : config.families) {
    const auto sequence = config.sequence(family, 0);
    const Hindsight hindsight(sequence.losses, config.switches, kBuckets);
    RunDepth run = describe(family, config.expert_names(), hindsight);
    for (const auto& name : shown) {
      auto method = make_method(name, config.experts);
      DepthRecorder recorder(name, hindsight, method.get());
      suite::play(std::move(method), sequence.losses, &recorder);
      add_method(run, hindsight, recorder);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace pcgs::report
