#include "run/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "pcgs/error.h"
#include "pcgs/registry.h"

namespace pcgs::compare {

namespace {

void check_experts(const Aggregator& resumed, const Problem& problem, const std::string& state) {
  if (resumed.experts() != problem.experts.size()) {
    throw Error(ErrorKind::kMismatch, {.file = state},
                fmt::format("was saved for {} experts, but {} has {}; give the same experts",
                            resumed.experts(), problem.origin, problem.experts.size()));
  }
  for (std::size_t k = 0; k < resumed.names().size(); ++k) {
    if (resumed.names()[k] == problem.experts[k]) continue;
    throw Error(ErrorKind::kMismatch, {.file = state},
                fmt::format("was saved with {} as expert {}, but {} has {} there; give the same "
                            "experts in the same order ({})",
                            resumed.names()[k], k + 1, problem.origin, problem.experts[k],
                            option("models")));
  }
}

std::vector<std::string> without(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (std::ranges::find(others, name) == others.end()) out.push_back(name);
  }
  return out;
}

// The columns of these experts, in this order; NaN for those that are not there.
Matrix columns_of(const Matrix& values, const std::vector<std::string>& have,
                  const std::vector<std::string>& want) {
  if (values.columns != have.size()) return values;  // there are none
  Matrix out(values.rows, want.size());
  for (std::size_t k = 0; k < want.size(); ++k) {
    const auto from = static_cast<std::size_t>(std::ranges::find(have, want[k]) - have.begin());
    for (std::size_t t = 0; t < values.rows; ++t) {
      out.row(t)[k] = from < have.size() ? values.row(t)[from] : std::nan("");
    }
  }
  return out;
}

void check_dropped(const std::vector<std::string>& drop, const Problem& problem) {
  for (const std::string& name : drop) {
    if (std::ranges::find(problem.experts, name) == problem.experts.end()) continue;
    throw Error(
        ErrorKind::kMismatch, {.file = problem.origin, .field = "drop"},
        fmt::format("has {}, which {} names; leave it out of the table or with {}, or leave "
                    "{} out",
                    name, option("drop"), option("ignore"), option("drop")));
  }
}

void follow_experts(Resumed& on, Problem& problem, const ResumeRules& rules) {
  const std::vector<std::string> before = on.aggregator.names();
  check_dropped(rules.drop, problem);
  if (before.empty() || before == problem.experts) {
    return check_experts(on.aggregator, problem, rules.state);
  }
  on.came = without(problem.experts, before);
  on.missing = without(before, problem.experts);
  for (const std::string& name : on.missing) {
    const bool dropped = std::ranges::find(rules.drop, name) != rules.drop.end();
    if (dropped || !problem.has_forecasts()) on.left.push_back(name);
  }
  on.missing = without(on.missing, on.left);
  if (on.came.size() == problem.experts.size()) {
    throw Error(ErrorKind::kMismatch, {.file = rules.state},
                fmt::format("was saved for {}, and {} has none of them; give at least one of the "
                            "same experts, or begin with another state",
                            fmt::join(before, ", "), problem.origin));
  }
  std::vector<std::string> now = without(before, on.left);
  now.insert(now.end(), on.came.begin(), on.came.end());
  on.aggregator.set_experts(now, make_method);
  problem.values = columns_of(problem.values, problem.experts, now);
  problem.unclipped = columns_of(problem.unclipped, problem.experts, now);
  problem.experts = std::move(now);
}

// A state of forecasts that learned from losses, or the other way round, would be spoiled for good.
void check_kind(const Resumed& on, const ResumeRules& rules) {
  const bool forecasts =
      on.before ? !on.before->outcome.empty()
                : on.aggregator.total_forecast_loss() > 0 ||
                      method_info(on.aggregator.method().name()).traits.needs_forecasts;
  if (forecasts && rules.outcome.empty()) {
    throw Error(
        ErrorKind::kMismatch, {.file = rules.state, .field = "outcome"},
        fmt::format("has learned from forecasts{}; name the outcome with {}",
                    on.before ? fmt::format(" of {}", on.before->outcome) : "", option("outcome")));
  }
  if (on.before && !forecasts && !rules.outcome.empty()) {
    throw Error(ErrorKind::kMismatch, {.file = rules.state, .field = "outcome"},
                fmt::format("has learned from losses, and {} makes these forecasts; leave it out, "
                            "or begin without {}",
                            option("outcome"), option("state")));
  }
  if (on.before && on.before->outcome != rules.outcome) {
    throw Error(ErrorKind::kMismatch, {.file = rules.state, .field = "outcome"},
                fmt::format("has learned to forecast {}, not {}; name the same column with {}",
                            on.before->outcome, rules.outcome, option("outcome")));
  }
}

void check_choices(const Aggregator& resumed, const std::optional<RunNote>& before,
                   const ResumeRules& rules) {
  const TaskLoss& task = resumed.task();
  if (rules.task &&
      (rules.task->kind() != task.kind() ||
       (task.kind() == TaskLoss::Kind::kPinball && rules.task->tau() != task.tau()))) {
    throw Error(
        ErrorKind::kMismatch, {.file = rules.state, .field = "loss"},
        fmt::format(
            "was saved with {} loss{}; leave {} and {} out to resume it", task.name(),
            task.kind() == TaskLoss::Kind::kPinball ? fmt::format(" at level {}", task.tau()) : "",
            option("loss"), option("tau")));
  }
  if (!rules.levels.empty() &&
      (!resumed.interval_options() || resumed.interval_options()->levels != rules.levels)) {
    throw Error(ErrorKind::kMismatch, {.file = rules.state, .field = "intervals"},
                fmt::format("was saved with other intervals; leave {} out to resume it",
                            option("intervals")));
  }
  // As it was called, with what is given now, it must be the method that was saved.
  const std::string called = before ? before->method : resumed.method().name();
  const std::string& asked = rules.method.empty() ? called : rules.method;
  const auto differs = [&](const std::string& spec) {
    return make_method(spec, resumed.experts())->name() != resumed.method().name();
  };
  const auto refuse = [&](std::string_view what, std::string_view field) {
    throw Error(ErrorKind::kMismatch, {.file = rules.state, .field = std::string(field)},
                fmt::format("was saved by {}, with another {}; leave {} out to resume it",
                            resumed.method().name(), what, option(field)));
  };
  if (before ? asked != called : differs(asked)) refuse("method", "methods");
  if (rules.seasons && differs(with_seasons(asked, *rules.seasons))) refuse("season", "season");
  if (!rules.model.empty() &&
      with_model(resumed.method().name(), rules.model) != resumed.method().name()) {
    refuse("model", "model_file");
  }
}

}  // namespace

std::size_t drop_learned(Problem& problem, const Clock& clock, const ResumeRules& rules) {
  if (!problem.times) {
    throw Error(ErrorKind::kMissing, {.file = rules.state, .field = "time"},
                fmt::format("has learned up to {}; name the column of times with {}, so that no "
                            "round is learned twice",
                            clock.last_text, option("time")));
  }
  if (problem.times->calendar != clock.calendar) {
    throw Error(ErrorKind::kMismatch, {.file = rules.state, .field = "time"},
                fmt::format("has learned up to {}, and {} has times of another kind; give times in "
                            "the same form",
                            clock.last_text, problem.origin));
  }
  const std::size_t learned = learned_before(problem, clock);
  if (learned > 0 && !rules.skip_learned) {
    throw Error(
        ErrorKind::kMismatch,
        {.file = problem.origin, .row = problem.file_row(0), .column = problem.times->text.name},
        fmt::format("{} is not after {}, up to which {} has learned; leave such rows out, "
                    "or let them be skipped with {}",
                    problem.times->text[0], clock.last_text, rules.state,
                    option_on("skip_learned")));
  }
  drop_first(problem, learned);
  return learned;
}

Resumed resume(std::span<const std::uint8_t> state, Problem& problem, const ResumeRules& rules) {
  Resumed on{.aggregator = Aggregator::load_bytes(state, rules.state, make_method),
             .before = std::nullopt};
  on.before = find_note(on.aggregator, rules.state);
  check_kind(on, rules);
  if (rules.experts_may_change) {
    follow_experts(on, problem, rules);
  } else {
    check_experts(on.aggregator, problem, rules.state);
  }
  check_choices(on.aggregator, on.before, rules);
  if (on.before && !rules.scale.empty() && on.before->scale != rules.scale) {
    throw Error(ErrorKind::kMismatch, {.file = rules.state, .field = "scale"},
                fmt::format("was saved with another scale of losses; leave {} out to resume it",
                            option("scale")));
  }
  problem.task = on.aggregator.task();
  problem.scale = on.aggregator.scale();
  if (on.clock() != nullptr) on.skipped = drop_learned(problem, *on.clock(), rules);
  return on;
}

void check_resumes(const QuantileProblem& problem, const QuantilePanel& panel,
                   const LevelNote& note, const std::string& origin) {
  const auto compare = [&](const std::string& before, const std::string& now, const char* field) {
    if (before == now) return;
    throw Error(ErrorKind::kMismatch, {.file = origin, .field = field},
                before.empty()
                    ? fmt::format("was saved without {}; leave it out", option(field))
                    : fmt::format("was saved with {}; give the same", option(field, before)));
  };
  compare(note.time, problem.time, "time");
  compare(note.known, problem.known, "known");
  compare(note.outcome, problem.outcome, "outcome");
  compare(fmt::format("{}", fmt::join(note.by, ",")), fmt::format("{}", fmt::join(problem.by, ",")),
          "series");
  if (panel.options().levels != problem.levels) {
    throw Error(ErrorKind::kMismatch, {.file = origin, .field = "quantiles"},
                fmt::format("has the levels {}, and {} has {}; give the same columns",
                            fmt::join(panel.options().levels, ", "), problem.origin,
                            fmt::join(problem.levels, ", ")));
  }
}

}  // namespace pcgs::compare
