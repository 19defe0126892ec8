#include "research/mechanism_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>
#include <vector>

#include "data/parallel.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "research/study.h"
#include "research/study_page.h"
#include "research/tournament.h"
#include "show/curves.h"

namespace pcgs::suite {

using report::deviation;
using report::entropy;
using report::kVolatilityRounds;

namespace {

struct Mean {
  double sum = 0;
  std::size_t count = 0;
  void add(double x) {
    sum += x;
    ++count;
  }
  double value() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

double correlation(std::span<const double> x, std::span<const double> y) {
  Mean mx, my, xy;
  for (const double a : x) mx.add(a);
  for (const double b : y) my.add(b);
  for (std::size_t i = 0; i < x.size(); ++i) xy.add((x[i] - mx.value()) * (y[i] - my.value()));
  const double spread = deviation(x) * deviation(y);
  // Rounding leaves a constant series a spread of 1e-17; it correlates with nothing.
  return spread > 1e-14 ? xy.value() / spread : 0;
}

}  // namespace

Mechanism examine(std::string_view method, MatrixView losses, std::size_t switches) {
  auto player = make_method(method, losses.columns);
  if (player->share() == nullptr) {
    throw Error(
        fmt::format("{} has no restarts to look at; choose a method of the share form", method));
  }
  Trace trace;
  play(std::move(player), losses, &trace);
  const auto& rows = trace.rows();
  const auto path = switching_path(losses, switches).experts;

  Mechanism out;
  Mean after, elsewhere, on_next, all_entropy;
  std::vector<double> learner, rho, volatility;
  std::size_t since = kAfterSwitch;  // rounds since the last switch round
  for (std::size_t t = 0; t < rows.size(); ++t) {
    (since < kAfterSwitch ? after : elsewhere).add(rows[t].rho);
    ++since;
    all_entropy.add(entropy(rows[t].q));
    learner.push_back(rows[t].mixture_loss);
    if (t + 1 >= kVolatilityRounds) {
      rho.push_back(rows[t].rho);
      volatility.push_back(deviation(std::span(learner).last(kVolatilityRounds)));
    }
    if (t + 1 == rows.size() || path[t + 1] == path[t]) continue;
    since = 0;
    ++out.switches;
    const double mass = rows[t].q[path[t + 1]];
    on_next.add(mass);
    out.effective_complexity -= std::log(mass);
  }
  out.rho_after_switch = after.value();
  out.rho_elsewhere = elsewhere.value();
  out.q_on_next = on_next.value();
  out.q_entropy = all_entropy.value();
  out.rho_volatility = correlation(rho, volatility);
  out.uniform_complexity =
      static_cast<double>(out.switches) * std::log(static_cast<double>(losses.columns));
  return out;
}

}  // namespace pcgs::suite

// The mechanism study: when and where the methods of the share form restart.

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

namespace pcgs::report {

namespace {

using results::MechanismStudy;

Chart restarts_chart(const MechanismStudy& study) {
  const auto methods = method_names(study.families);
  Chart chart;
  chart.uses = "restarts";
  chart.id = "restarts-by-family";
  chart.title = "Restarts after a switch and elsewhere";
  chart.note = "Mean rho in the five rounds after the best path switches, and in all others.";
  chart.values = {{"families", names_of(study.families)}, {"names", methods}};
  chart.height = static_cast<int>(20 + 20 * methods.size());
  std::string ratios;
  for (const auto& family : study.families) {
    for (const auto& method : family.methods) {
      const double after = method.rho_after_switch, elsewhere = method.rho_elsewhere;
      if (!(after > 0) || !(elsewhere > 0)) continue;
      chart.groups.push_back({{"family", family.name},
                              {"name", method.name},
                              {"series", {"after a switch", "elsewhere"}},
                              {"value", drawn({after, elsewhere})}});
      if (method.name != study.config.featured) continue;
      ratios +=
          fmt::format("{}{} {:.1f}", ratios.empty() ? "" : ", ", family.name, after / elsewhere);
    }
  }
  chart.alternative =
      ratios.empty()
          ? "Mean rho after switches and elsewhere, for each family and method."
          : "Times as many restarts of the featured method after a switch as elsewhere: " + ratios +
                ".";
  return chart;
}

Section mechanism_section(const MechanismStudy& study) {
  using Method = MechanismStudy::Method;
  struct Column {
    const char *name, *key;
    double Method::*value;
  };
  constexpr Column kColumns[] = {
      {"rho after a switch", "rho_after_switch", &Method::rho_after_switch},
      {"elsewhere", "rho_elsewhere", &Method::rho_elsewhere},
      {"ratio", "rho_ratio", &Method::rho_ratio},
      {"q on the next expert", "q_on_next", &Method::q_on_next},
      {"entropy of q", "q_entropy", &Method::q_entropy},
      {"correlation with volatility", "rho_volatility_correlation",
       &Method::rho_volatility_correlation},
      {"effective complexity", "effective_complexity", &Method::effective_complexity},
      {"of uniform restarts", "uniform_complexity", &Method::uniform_complexity}};

  Section section{"mechanism", "Mechanism in numbers", {}};
  Table table;
  table.id = "mechanism-means";
  table.caption = "Restarts around the switches of the oracle's path; " + setting(study.config);
  table.head = {{"family and method"}};
  for (const auto& column : kColumns) table.head.push_back({column.name, column.key});
  for (const auto& family : study.families) {
    for (const auto& method : family.methods) {
      auto& row = table.rows.emplace_back();
      row.push_back({family.name + ": " + method.name});
      for (const auto& column : kColumns) {
        const double x = method.*column.value;
        row.push_back(number(x, std::abs(x) < 0.01 ? "{:.2g}" : "{:.3f}"));
      }
    }
  }
  Chart chart = restarts_chart(study);
  if (!chart.groups.empty()) section.blocks.emplace_back(std::move(chart));
  section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace

void show_mechanism(const MechanismStudy& study, const Shown& shown, PageParts& page) {
  page.title = shown.result.kind().name;
  page.add(mechanism_section(study));
}

}  // namespace pcgs::report
