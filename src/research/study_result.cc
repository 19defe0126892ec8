// What a study found: from and to JSON, and what its tables and sections of a page have in common.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/json.h"
#include "research/electricity.h"
#include "research/oracle_study.h"
#include "research/study.h"
#include "show/curves.h"
#include "show/kinds.h"

namespace pcgs::results {

std::string Part::name() const { return experts ? fmt::format("K = {}", *experts) : family; }

std::vector<std::string> compared_methods(const StudyConfig& config) {
  std::vector<std::string> found;
  if (!config.featured.empty()) found.push_back(config.featured);
  for (const std::string& name : config.methods) {
    if (name != "pcgs-tf:oracle" && !name.starts_with("pcgs-tf:oracle{")) continue;
    if (name != config.featured) found.push_back(name);
    break;
  }
  return found;
}

const MethodRegret* find_method(const std::vector<MethodRegret>& methods, const std::string& name) {
  for (const MethodRegret& one : methods) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

const MethodPair* find_pair(const std::vector<MethodPair>& pairs, const std::string& a,
                            const std::string& b) {
  for (const MethodPair& one : pairs) {
    if (one.a == a && one.b == b) return &one;
  }
  return nullptr;
}

void fields(Fields& f, StudyConfig& config) {
  f("rounds", config.rounds);
  f.unless_empty("experts", config.experts);
  f("sequences", config.sequences, "switches", config.switches, "seed", config.seed);
  f.unless_empty("methods", config.methods);
  f.unless_empty("featured", config.featured);
}

void fields(Fields& f, Timing& timing) { f("seconds", timing.seconds, "threads", timing.threads); }

void fields(Fields& f, Spread& spread) { f("mean", spread.mean, "std", spread.std); }

void fields(Fields& f, MethodRegret& method) {
  f("name", method.name);
  f.unless_empty("chosen_in_hindsight", method.chosen_in_hindsight);
  f("regret", method.regret);
  f("mean", method.mean, "std", method.std);
  f.unless_empty("share_closed", method.share_closed);
  f.unless_empty("generating_path_regret", method.generating_path_regret);
  f.unless_empty("unclipped_regret", method.unclipped_regret);
  f.unless_empty("unclipped", method.unclipped);
}

void fields(Fields& f, MethodPair& pair) {
  f("a", pair.a, "b", pair.b, "win_rate", pair.paired.win_rate, "mean_improvement",
    pair.paired.mean_improvement, "ci_low", pair.paired.ci_low, "ci_high", pair.paired.ci_high, "t",
    pair.paired.t, "t_p", pair.paired.t_p, "wilcoxon_w", pair.paired.wilcoxon_w, "wilcoxon_p",
    pair.paired.wilcoxon_p, "cohens_d", pair.paired.cohens_d);
  f.unless_empty("t_p_holm", pair.t_p_holm);
  f.unless_empty("wilcoxon_p_holm", pair.wilcoxon_p_holm);
}

void fields(Fields& f, Part::Cell& cell) {
  f("df", cell.df, "jump_probability", cell.jump_probability);
}

void fields(Fields& f, Part::Tuned& tuned) { f("regret", tuned.regret, "mean", tuned.mean); }

void fields(Fields& f, Part& part) {
  f.unless_empty("name", part.family);
  f.together("df", part.cell);
  f.unless_empty("experts", part.experts);
  f("oracle", part.oracle);
  f.unless_empty("generating_path", part.generating_path);
  f("methods", part.methods);
  f.unless_empty("fixed_share_tuned_per_sequence", part.fixed_share_tuned_per_sequence);
  f("comparisons", part.comparisons);
  const auto complete = [&](const MethodRegret& one) {
    return one.regret.size() == part.oracle.size() &&
           (one.unclipped_regret.empty() || one.unclipped_regret.size() == part.oracle.size());
  };
  f.require(!part.methods.empty(), "methods", "is empty");
  f.require(std::all_of(part.methods.begin(), part.methods.end(), complete), "methods",
            "lack regrets for some of the sequences");
}

void fields(Fields& f, Mechanism& method) {
  f("name", method.name, "switches_total", method.switches);
  for (const Measure& one : kMeasures) f(one.key, method.*one.value);
}

void fields(Fields& f, MechanismFamily& family) {
  f("name", family.name, "methods", family.methods);
  f.require(!family.methods.empty(), "methods", "is empty");
}

void fields(Fields& f, StudyResult& study) {
  std::string kind = study.form != nullptr ? study.form->kind : "";
  f("kind", kind);
  study.form = std::find_if(std::begin(kStudies), std::end(kStudies),
                            [&](const StudyForm& form) { return form.kind == kind; });
  const StudyForm& form = *study.form;
  f("config", study.config);
  const auto told_apart = [&](const Part& part) {
    const char* by = part.experts          ? "experts"
                     : part.cell           ? "df"
                     : part.family.empty() ? ""
                                           : "name";
    return form.part == std::string_view(by);
  };
  if (form.play == studies::play_mechanism) {
    f(form.parts, study.families);
  } else {
    f(form.parts, study.parts);
    f.require(std::all_of(study.parts.begin(), study.parts.end(), told_apart), form.parts,
              fmt::format("lack {}", form.part));
  }
  f.require(!study.families.empty() || !study.parts.empty(), form.parts, "is empty");
  f.unless_empty("timing", study.timing);
}

ordered_json encode(const std::vector<StudyResult>& studies) {
  ordered_json out = ordered_json::object();
  for (const StudyResult& study : studies) out[study.form->name] = encode(study);
  return out;
}

void decode(const ordered_json& json, const Place& place, std::vector<StudyResult>& out) {
  if (!json.is_object()) place.refuse("is not an object");
  for (const auto& item : json.items()) {
    const std::string& name = item.key();
    const ordered_json& study = item.value();
    const Place below(place, name);
    if (!study.is_object()) below.refuse("is not an object");
    const auto kind = study.value("kind", ordered_json(nullptr));
    const bool belongs =
        std::any_of(std::begin(kStudies), std::end(kStudies),
                    [&](const StudyForm& form) { return name == form.name && kind == form.kind; });
    if (!belongs) below.refuse_kind(kind);
    decode(study, below, out.emplace_back());
  }
}

void fields(Fields& f, SuiteResult& suite) {
  f("studies", suite.studies);
  f.require(!suite.studies.empty(), "studies", "is empty");
}

const Kind& StudyResult::kind() const {
  static const auto kKinds = [] {
    std::array<Kind, std::size(kStudies)> kinds;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      kinds[i] = make_kind<StudyResult>(kStudies[i].place, kStudies[i].kind);
      // Titles are those of the studies, since no file of the reader's is shown.
      kinds[i].show = [](const report::Shown& shown, report::PageParts& page) {
        page.title = shown.result.kind().name;
        const auto& study = *shown.result.get_if<StudyResult>();
        study.form->show(study, page);
      };
    }
    return kinds;
  }();
  return kKinds[static_cast<std::size_t>(form - kStudies)];
}

// A page shows its studies, each a result of its own.
const Kind& SuiteResult::kind() {
  static const Kind kKind = [] {
    Kind kind = make_kind<SuiteResult>(110);
    kind.parts = [](const Result& suite) {
      const auto& studies = suite.get_if<SuiteResult>()->studies;
      return std::vector<Result>(studies.begin(), studies.end());
    };
    kind.switches = [](const Result& suite) {
      std::optional<std::size_t> most;
      for (const StudyResult& study : suite.get_if<SuiteResult>()->studies) {
        most = std::max(most, switches_of(study));
      }
      return most;
    };
    return kind;
  }();
  return kKind;
}

Kinds all_kinds() {
  static const std::vector<const Kind*> kAll = [] {
    std::vector<const Kind*> all(user_kinds().begin(), user_kinds().end());
    all.insert(all.end(),
               {&ElectricityResult::kind(), &SuiteResult::kind(), &OracleResult::kind()});
    for (const StudyForm& form : kStudies) all.push_back(&StudyResult{&form, {}, {}}.kind());
    return all;
  }();
  return kAll;
}

}  // namespace pcgs::results

namespace pcgs::studies {

using report::ordered_json;
using results::MethodRegret;
using results::Part;

show::Table by_part(const StudyResult& study, const std::vector<std::string>& names,
                    const CellOf& cell) {
  show::Table table;
  table.head.push_back({"method", "name"});
  for (const Part& part : study.parts) table.head.push_back({part.name(), part.name()});
  for (const auto& name : names) {
    auto& row = table.rows.emplace_back();
    row.push_back({name});
    for (const Part& part : study.parts) {
      const MethodRegret* method = find_method(part.methods, name);
      row.push_back(method != nullptr ? cell(part, *method) : show::Cell{});
    }
  }
  return table;
}

show::Cell spread_cell(double mean, double std) {
  show::Cell cell = show::number(mean, "{:.2f}");
  cell.text += fmt::format(" ± {:.2f}", std);
  return cell;
}

show::Table means_table(const StudyResult& study) {
  return by_part(study, method_names(study.parts), [](const Part&, const MethodRegret& method) {
    return spread_cell(method.mean, method.std);
  });
}

io::TextTable plain(const show::Table& table, std::string caption) {
  io::TextTable out{std::move(caption), {}, {}, table.left};
  for (const auto& column : table.head) out.head.push_back(column.name);
  for (const auto& cells : table.rows) {
    auto& row = out.rows.emplace_back();
    for (const auto& cell : cells) row.push_back(cell.text.empty() ? "-" : cell.text);
  }
  return out;
}

std::string setting(const results::StudyConfig& config) {
  return fmt::format("oracle with at most {} switches, {} sequences of {} rounds{}, seed {}",
                     config.switches, config.sequences, config.rounds,
                     config.experts > 0 ? fmt::format(" and {} experts", config.experts) : "",
                     config.seed);
}

void add_dots(const StudyResult& study, const char* palette, report::Chart& chart) {
  chart.uses = "dots_by_family";
  std::vector<std::string> families;
  for (const Part& part : study.parts) {
    families.push_back(part.family);
    std::vector<std::string> names;
    std::vector<double> mean, low, high;
    for (const auto& method : part.methods) {
      names.push_back(method.name);
      mean.push_back(method.mean);
      low.push_back(method.mean - method.std);
      high.push_back(method.mean + method.std);
    }
    chart.groups.push_back({{"family", part.family},
                            {"series", names},
                            {"value", report::drawn(mean)},
                            {"low", report::drawn(low)},
                            {"high", report::drawn(high)}});
  }
  chart.values = {
      {"families", families}, {"series", method_names(study.parts)}, {"palette", palette}};
}

report::Chart heat_map(const HeatMap& map, double low, double high, const char* row,
                       const char* column) {
  report::Chart chart;
  chart.uses = "heat_map";
  chart.values = {{"row", row},
                  {"rows", map.rows},
                  {"column", column},
                  {"columns", map.columns},
                  {"domain", {low, (low + high) / 2, high}}};
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    std::vector<double> values;
    auto texts = ordered_json::array(), notes = texts;
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      const auto& cell = map.at(r, c);
      values.push_back(cell.value);
      texts.push_back(cell.text);
      notes.push_back(cell.note.empty() ? ordered_json() : ordered_json(cell.note));
    }
    chart.groups.push_back({{row, map.rows[r]},
                            {column, map.columns},
                            {"value", report::drawn(values)},
                            {"text", texts},
                            {"note", notes}});
  }
  chart.height = static_cast<int>(30 + 22 * map.rows.size());
  return chart;
}

}  // namespace pcgs::studies
