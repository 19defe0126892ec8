#include "run_quantiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "data/output_files.h"
#include "data/progress.h"
#include "pcgs/error.h"
#include "report_file.h"
#include "run/level_note.h"
#include "run/level_play.h"
#include "run/read_levels.h"
#include "say.h"
#include "show/quantile_result.h"
#include "show/result.h"
#include "show/run_page.h"

namespace pcgs::cli {

namespace {

compare::LevelColumns columns_of(const RunOptions& options) {
  compare::LevelColumns columns;
  columns.pattern = options.quantiles;
  columns.outcome = options.columns.outcome;
  columns.outcome_file = options.outcome_file;
  columns.time = options.columns.time;
  columns.expert = options.columns.expert_column;
  columns.known = options.known;
  columns.by = options.columns.by;
  columns.format = options.columns.format;
  columns.note = notes(options.quiet);
  return columns;
}

// A new one, or that of the state that the run goes on from, with its note.
QuantilePanel panel_of(const RunOptions& options, const compare::LevelProblem& problem,
                       std::optional<compare::LevelNote>& before) {
  const bool log1p = !options.transform.empty();
  const std::string& state = options.state.resume;
  if (state.empty()) {
    if (log1p) compare::check_log1p(problem);
    return QuantilePanel({.levels = problem.levels,
                          .scale = log1p ? QuantileScale::kLog1p : QuantileScale::kRaw,
                          .calibrate = !options.no_calibration,
                          .certify = true});
  }
  QuantilePanel panel = QuantilePanel::load(state);
  before = compare::find_note(panel, state);
  compare::check_goes_on(problem, panel, *before, state);
  if (panel.options().scale == QuantileScale::kLog1p) compare::check_log1p(problem);
  if (log1p && panel.options().scale != QuantileScale::kLog1p) {
    throw Error(fmt::format("{}: was saved without --transform; leave it out", state));
  }
  if (options.no_calibration && panel.options().calibrate) {
    throw Error(fmt::format("{}: was saved without --no-calibration; leave it out", state));
  }
  return panel;
}

// What --out, --save and --report ask for; none where it is not asked for.
struct LevelFiles {
  explicit LevelFiles(const RunOptions& options) {
    if (!options.out.empty()) {
      set.add_folder(options.out);
      results = &set.add(options.results_file());
      forecasts = &set.add(options.forecasts_file());
    }
    if (!options.state.save.empty()) state = &set.add(options.state.save);
    page = add_page(set, options.report);
  }
  void write(const std::string& json, const std::string& csv, const QuantilePanel& panel) {
    if (results != nullptr) results->write(json);
    if (forecasts != nullptr) forecasts->write(csv);
    if (state == nullptr) return;
    const auto bytes = panel.save_bytes();
    state->write(bytes.data(), bytes.size());
  }

  OutputSet set;
  WholeFile *results = nullptr, *forecasts = nullptr, *state = nullptr, *page = nullptr;
};

// Experts that came after those of the state that the run goes on from.
void say_who_is_new(const RunOptions& options, std::size_t before, const QuantilePanel& panel) {
  const auto note = notes(options.quiet);
  const auto now = panel.experts();
  if (!note || before == 0 || now.size() == before) return;
  note(fmt::format("{}: new to {}: {}", options.input, options.state.resume,
                   fmt::join(now.subspan(before), ", ")));
}

}  // namespace

void run_quantiles(const RunOptions& options) {
  compare::LevelProblem problem = compare::read_levels(options.input, columns_of(options));
  std::optional<compare::LevelNote> before;
  QuantilePanel panel = panel_of(options, problem, before);
  const std::size_t before_experts = before ? panel.experts().size() : 0;
  LevelFiles files(options);
  compare::LevelPlay play;
  {
    const auto advance = io::progress_bars(options.quiet)("playing", problem.rounds.size());
    play = compare::play_levels(problem, panel, before ? &*before : nullptr, advance);
  }
  if (problem.rounds.empty()) {
    say(
        fmt::format("{}: no row is later than {}, the last in {}; nothing was learned, nothing was "
                    "written\n",
                    problem.origin, before->last_text, options.state.resume));
    return;
  }
  if (const auto note = notes(options.quiet); note && play.skipped > 0) {
    note(
        fmt::format("{}: {} rounds up to {} are in {} already; outcomes that it waited for were "
                    "taken",
                    problem.origin, play.skipped, before->last_text, options.state.resume));
  }
  say_who_is_new(options, before_experts, panel);
  leave_note(panel, play.note);
  const auto result = results::quantile_result(problem, panel, play.published);
  const std::string json = results::to_json(result) + "\n";
  files.write(json, results::quantiles_csv(problem, play.published), panel);
  if (files.page != nullptr) {
    files.page->write(report::quantile_page(problem, play.published, result));
  }
  files.set.commit();
  if (options.json) {
    put(json);
    return;
  }
  say(results::quantile_table(result, problem.origin));
  if (!options.report.empty()) say(fmt::format("page in {}\n", options.report));
}

}  // namespace pcgs::cli
