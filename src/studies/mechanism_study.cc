// The mechanism study: when and where the methods of the share form restart.
#include <fmt/format.h>

#include <mutex>

#include "core/parallel.h"
#include "studies/study.h"
#include "suite/mechanism.h"

namespace pcgs::studies {

using nlohmann::ordered_json;

namespace {

// What concerns switches is averaged over the sequences that have one.
suite::Mechanism mean_of(const std::vector<suite::Mechanism>& all) {
  using suite::Mechanism;
  constexpr double Mechanism::*kMembers[] = {
      &Mechanism::rho_after_switch,   &Mechanism::rho_elsewhere,  &Mechanism::q_on_next,
      &Mechanism::q_entropy,          &Mechanism::rho_volatility, &Mechanism::effective_complexity,
      &Mechanism::uniform_complexity,
  };
  Mechanism mean;
  double with_switches = 0;
  for (const Mechanism& one : all) with_switches += one.switches > 0 ? 1 : 0;
  for (const Mechanism& one : all) {
    mean.switches += one.switches;
    for (const auto member : kMembers) {
      const bool at_switches =
          member == &Mechanism::rho_after_switch || member == &Mechanism::q_on_next;
      if (at_switches && one.switches == 0) continue;
      mean.*member += one.*member / (at_switches ? with_switches : static_cast<double>(all.size()));
    }
  }
  return mean;
}

}  // namespace

StudyResult mechanism_study(const StudyConfig& config, const io::Monitor& monitor) {
  const std::vector<std::string> methods = config.methods_with_restarts();
  const io::Advance advance = monitor("mechanism study", config.families.size() * config.sequences);
  StudyResult result;
  result.json = config_json(config);
  result.json["config"]["methods"] = methods;
  result.json["families"] = ordered_json::array();
  io::TextTable table{
      fmt::format("Restarts around the switches of the oracle's path (at most {}), mean over "
                  "{} sequences: rho within {} rounds after a switch and elsewhere, the "
                  "restart mass on the next best expert, entropy of q in nats, correlation "
                  "of rho with volatility, and C_eff beside what uniform restarts cost",
                  config.switches, config.sequences, suite::kAfterSwitch),
      {"family", "method", "rho after", "elsewhere", "ratio", "q on next", "entropy", "corr",
       "C_eff", "uniform"},
      {}};
  std::mutex one_at_a_time;
  for (const auto& family : config.families) {
    std::vector<std::vector<suite::Mechanism>> all(methods.size(),
                                                   std::vector<suite::Mechanism>(config.sequences));
    parallel_for(config.sequences, config.threads, [&](std::size_t i) {
      const auto sequence = config.sequence(family, i);
      for (std::size_t m = 0; m < methods.size(); ++m) {
        all[m][i] = suite::examine(methods[m], sequence.losses, config.switches);
      }
      const std::lock_guard lock(one_at_a_time);
      advance(1);
    });
    ordered_json of_family = {{"name", family}, {"methods", ordered_json::array()}};
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const suite::Mechanism mean = mean_of(all[m]);
      const double ratio = mean.rho_elsewhere > 0 ? mean.rho_after_switch / mean.rho_elsewhere : 0;
      of_family["methods"].push_back({{"name", methods[m]},
                                      {"switches_total", mean.switches},
                                      {"rho_after_switch", mean.rho_after_switch},
                                      {"rho_elsewhere", mean.rho_elsewhere},
                                      {"rho_ratio", ratio},
                                      {"q_on_next", mean.q_on_next},
                                      {"q_entropy", mean.q_entropy},
                                      {"rho_volatility_correlation", mean.rho_volatility},
                                      {"effective_complexity", mean.effective_complexity},
                                      {"uniform_complexity", mean.uniform_complexity}});
      table.rows.push_back({family, methods[m], fmt::format("{:.1e}", mean.rho_after_switch),
                            fmt::format("{:.1e}", mean.rho_elsewhere), fmt::format("{:.2f}", ratio),
                            fmt::format("{:.4f}", mean.q_on_next),
                            fmt::format("{:.2f}", mean.q_entropy),
                            fmt::format("{:+.2f}", mean.rho_volatility),
                            fmt::format("{:.1f}", mean.effective_complexity),
                            fmt::format("{:.1f}", mean.uniform_complexity)});
    }
    result.json["families"].push_back(std::move(of_family));
  }
  result.tables.emplace_back("mechanism", std::move(table));
  return result;
}

}  // namespace pcgs::studies
