// The mechanism study: when and where the methods of the share form restart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>

#include "data/parallel.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "research/study.h"
#include "show/curves.h"

namespace pcgs::studies {

using report::deviation;
using report::kVolatilityRounds;
using results::kAfterSwitch;
using results::Mechanism;

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

double ratio(double after, double elsewhere) { return elsewhere > 0 ? after / elsewhere : 0; }

// What concerns switches is averaged over the sequences that have one.
Mechanism mean_of(const std::vector<Mechanism>& all) {
  Mechanism mean{all.front().name};
  double with_switches = 0;
  for (const Mechanism& one : all) with_switches += one.switches > 0 ? 1 : 0;
  for (const Mechanism& one : all) {
    mean.switches += one.switches;
    for (const auto& [key, value, printed, format, shown] : results::kMeasures) {
      const bool at_switches =
          value == &Mechanism::rho_after_switch || value == &Mechanism::q_on_next;
      if (at_switches && one.switches == 0) continue;
      mean.*value += one.*value / (at_switches ? with_switches : static_cast<double>(all.size()));
    }
  }
  mean.rho_ratio = ratio(mean.rho_after_switch, mean.rho_elsewhere);
  return mean;
}

report::Chart restarts_chart(const StudyResult& study) {
  const auto methods = method_names(study.families);
  std::vector<std::string> families;
  report::Chart chart;
  chart.uses = "restarts";
  chart.id = "restarts-by-family";
  chart.title = "Restarts after a switch and elsewhere";
  chart.note = "Mean rho in the five rounds after the best path switches, and in all others.";
  chart.height = static_cast<int>(20 + 20 * methods.size());
  std::string ratios;
  for (const auto& family : study.families) {
    families.push_back(family.name);
    for (const auto& method : family.methods) {
      const double after = method.rho_after_switch, elsewhere = method.rho_elsewhere;
      if (!(after > 0) || !(elsewhere > 0)) continue;
      chart.groups.push_back({{"family", family.name},
                              {"name", method.name},
                              {"series", {"after a switch", "elsewhere"}},
                              {"value", report::drawn({after, elsewhere})}});
      if (method.name != study.config.featured) continue;
      ratios +=
          fmt::format("{}{} {:.1f}", ratios.empty() ? "" : ", ", family.name, after / elsewhere);
    }
  }
  chart.values = {{"families", families}, {"names", methods}};
  chart.alternative =
      ratios.empty()
          ? "Mean rho after switches and elsewhere, for each family and method."
          : "Times as many restarts of the featured method after a switch as elsewhere: " + ratios +
                ".";
  return chart;
}

}  // namespace

Mechanism examine(const std::string& method, MatrixView losses, std::size_t switches) {
  auto player = make_method(method, losses.columns);
  if (player->share() == nullptr) {
    throw Error(
        fmt::format("{} has no restarts to look at; choose a method of the share form", method));
  }
  Trace trace;
  suite::play(std::move(player), losses, &trace);
  const auto& rows = trace.rows();
  const auto path = switching_path(losses, switches).experts;

  Mechanism out{method};
  Mean after, elsewhere, on_next, all_entropy;
  std::vector<double> learner, rho, volatility;
  std::size_t since = kAfterSwitch;  // rounds since the last switch round
  for (std::size_t t = 0; t < rows.size(); ++t) {
    (since < kAfterSwitch ? after : elsewhere).add(rows[t].rho);
    ++since;
    all_entropy.add(report::entropy(rows[t].q));
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
  out.rho_ratio = ratio(out.rho_after_switch, out.rho_elsewhere);
  out.q_on_next = on_next.value();
  out.q_entropy = all_entropy.value();
  out.rho_volatility = correlation(rho, volatility);
  out.uniform_complexity =
      static_cast<double>(out.switches) * std::log(static_cast<double>(losses.columns));
  return out;
}

void play_mechanism(const StudyConfig& config, const io::Monitor& monitor, StudyResult& study) {
  const std::vector<std::string> methods = config.methods_with_restarts();
  const io::Advance advance = monitor(study.form->kind, config.families.size() * config.sequences);
  study.config.methods = methods;
  std::mutex one_at_a_time;
  for (const auto& family : config.families) {
    std::vector<std::vector<Mechanism>> all(methods.size(),
                                            std::vector<Mechanism>(config.sequences));
    parallel_for(config.sequences, config.threads, [&](std::size_t i) {
      const auto sequence = config.sequence(family, i);
      for (std::size_t m = 0; m < methods.size(); ++m) {
        all[m][i] = examine(methods[m], sequence.losses, config.switches);
      }
      const std::lock_guard lock(one_at_a_time);
      advance(1);
    });
    auto& of_family = study.families.emplace_back(results::MechanismFamily{family, {}});
    for (const auto& of_method : all) of_family.methods.push_back(mean_of(of_method));
  }
}

StudyTables mechanism_tables(const StudyResult& study) {
  io::TextTable table{
      fmt::format("Restarts around the switches of the oracle's path (at most {}), mean over "
                  "{} sequences: rho within {} rounds after a switch and elsewhere, the "
                  "restart mass on the next best expert, entropy of q in nats, correlation "
                  "of rho with volatility, and C_eff beside what uniform restarts cost",
                  study.config.switches, study.config.sequences, kAfterSwitch),
      {"family", "method"},
      {}};
  for (const auto& measure : results::kMeasures) table.head.emplace_back(measure.printed);
  for (const auto& family : study.families) {
    for (const auto& method : family.methods) {
      auto& row = table.rows.emplace_back(std::vector{family.name, method.name});
      for (const auto& measure : results::kMeasures) {
        row.push_back(fmt::format(fmt::runtime(measure.format), method.*measure.value));
      }
    }
  }
  return {{{"mechanism", std::move(table)}}};
}

void show_mechanism(const StudyResult& study, report::PageParts& page) {
  report::Section section{"mechanism", "Mechanism in numbers", {}};
  show::Table table;
  table.id = "mechanism-means";
  table.caption = "Restarts around the switches of the oracle's path; " + setting(study.config);
  table.head = {{"family and method"}};
  for (const auto& measure : results::kMeasures) table.head.push_back({measure.shown, measure.key});
  for (const auto& family : study.families) {
    for (const auto& method : family.methods) {
      auto& row = table.rows.emplace_back();
      row.push_back({family.name + ": " + method.name});
      for (const auto& measure : results::kMeasures) {
        const double x = method.*measure.value;
        row.push_back(show::number(x, std::abs(x) < 0.01 ? "{:.2g}" : "{:.3f}"));
      }
    }
  }
  report::Chart chart = restarts_chart(study);
  if (!chart.groups.empty()) section.blocks.emplace_back(std::move(chart));
  section.blocks.emplace_back(std::move(table));
  page.add(std::move(section));
}

}  // namespace pcgs::studies
