// The mechanism study: when and where the methods of the share form restart.
#include <fmt/format.h>

#include <mutex>

#include "data/parallel.h"
#include "research/mechanism.h"
#include "research/study.h"
#include "research/study_tables.h"

namespace pcgs::studies {

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

results::MechanismStudy::Method described(const std::string& name, const suite::Mechanism& mean) {
  results::MechanismStudy::Method out;
  out.name = name;
  out.switches_total = mean.switches;
  out.rho_after_switch = mean.rho_after_switch;
  out.rho_elsewhere = mean.rho_elsewhere;
  out.rho_ratio = mean.rho_elsewhere > 0 ? mean.rho_after_switch / mean.rho_elsewhere : 0;
  out.q_on_next = mean.q_on_next;
  out.q_entropy = mean.q_entropy;
  out.rho_volatility_correlation = mean.rho_volatility;
  out.effective_complexity = mean.effective_complexity;
  out.uniform_complexity = mean.uniform_complexity;
  return out;
}

}  // namespace

results::MechanismStudy mechanism_study(const StudyConfig& config, const io::Monitor& monitor) {
  const std::vector<std::string> methods = config.methods_with_restarts();
  const io::Advance advance = monitor("mechanism study", config.families.size() * config.sequences);
  results::MechanismStudy study;
  study.config = config.summary();
  study.config.methods = methods;
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
    auto& of_family = study.families.emplace_back();
    of_family.name = family;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      of_family.methods.push_back(described(methods[m], mean_of(all[m])));
    }
  }
  return study;
}

StudyTables tables_of(const results::MechanismStudy& study) {
  io::TextTable table{
      fmt::format("Restarts around the switches of the oracle's path (at most {}), mean over "
                  "{} sequences: rho within {} rounds after a switch and elsewhere, the "
                  "restart mass on the next best expert, entropy of q in nats, correlation "
                  "of rho with volatility, and C_eff beside what uniform restarts cost",
                  study.config.switches, study.config.sequences, suite::kAfterSwitch),
      {"family", "method", "rho after", "elsewhere", "ratio", "q on next", "entropy", "corr",
       "C_eff", "uniform"},
      {}};
  for (const auto& family : study.families) {
    for (const auto& method : family.methods) {
      table.rows.push_back(
          {family.name, method.name, fmt::format("{:.1e}", method.rho_after_switch),
           fmt::format("{:.1e}", method.rho_elsewhere), fmt::format("{:.2f}", method.rho_ratio),
           fmt::format("{:.4f}", method.q_on_next), fmt::format("{:.2f}", method.q_entropy),
           fmt::format("{:+.2f}", method.rho_volatility_correlation),
           fmt::format("{:.1f}", method.effective_complexity),
           fmt::format("{:.1f}", method.uniform_complexity)});
    }
  }
  return {{{"mechanism", std::move(table)}}};
}

}  // namespace pcgs::studies
