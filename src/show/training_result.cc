#include "show/training_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "data/json.h"
#include "show/curves.h"
#include "show/kinds.h"
#include "show/sections.h"

namespace pcgs::results {

const TrainingCourse::Check& best_check(const TrainingResult& training) {
  return *std::ranges::find(training.course.checks, training.best_step,
                            &TrainingCourse::Check::step);
}

void fields(Fields& f, HeldOutResult& held_out) {
  f("name", held_out.name, "score", held_out.score, "won", held_out.won);
  f.unless_empty("regret", held_out.regret);
  f.unless_empty("tuned_fixed_share", held_out.tuned_fixed_share);
  f.unless_empty("limit", held_out.limit);
  f.unless_empty("error_to_best_candidate", held_out.error_to_best_candidate);
}

void fields(Fields& f, TrainingCourse::Losses& losses) {
  f("steps", losses.steps, "loss", losses.loss, "rate", losses.rate);
  f.require(losses.loss.size() == losses.steps.size(), "loss", "is not as long as steps");
  f.require(losses.rate.size() == losses.steps.size(), "rate", "is not as long as steps");
  f.require(std::ranges::adjacent_find(losses.steps, std::greater_equal()) == losses.steps.end(),
            "steps", "do not grow");
  f.require(losses.steps.empty() || losses.steps.front() > 0, "steps", "do not begin after 0");
}

void fields(Fields& f, TrainingCourse::Check& check) {
  f("step", check.step, "score", check.score, "held_out", check.held_out);
  f.require(!check.held_out.empty(), "held_out", "is empty");
}

void fields(Fields& f, TrainingCourse& course) {
  f("losses", course.losses, "checks", course.checks);
  const auto& checks = course.checks;
  f.require(!checks.empty(), "checks", "is empty");
  f.require(std::ranges::all_of(checks,
                                [&](const auto& check) {
                                  return std::ranges::equal(checks.front().held_out, check.held_out,
                                                            {}, &HeldOutResult::name,
                                                            &HeldOutResult::name);
                                }),
            "checks", "are of different sequences");
  f.require(std::ranges::adjacent_find(checks, std::greater_equal(),
                                       &TrainingCourse::Check::step) == checks.end(),
            "checks", "have steps that do not grow");
}

void fields(Fields& f, TrainingResult& training) {
  f("recipe", training.recipe, "steps", training.steps, "best_step", training.best_step,
    "skipped_steps", training.skipped_steps, "seconds", training.seconds, "course", training.course,
    "options", training.options);
  const auto& checks = training.course.checks;
  f.require(
      std::ranges::find(checks, training.best_step, &TrainingCourse::Check::step) != checks.end(),
      "best_step", "is not among the checks");
}

std::string course_text(const TrainingCourse& course) { return io::json_text(encode(course)); }

TrainingCourse read_course(std::string_view text, std::string_view origin) {
  TrainingCourse course;
  decode(parse(text, origin), Place(origin), course);
  return course;
}

const Kind& TrainingResult::kind() {
  static const Kind kKind = make_kind<TrainingResult, report::show_training>(130);
  return kKind;
}

}  // namespace pcgs::results

// What pcgs-train did, step by step.

namespace pcgs::report {

namespace {

using results::TrainingResult;

bool combines(const TrainingResult& training) {
  return training.course.checks.front().held_out.front().error_to_best_candidate.has_value();
}

double or_nan(const std::optional<double>& x) {
  return x.value_or(std::numeric_limits<double>::quiet_NaN());
}

// "-0.449"
std::string score_text(const std::optional<double>& score) {
  return score ? fmt::format("{:+.4g}", *score) : "none";
}

std::string meaning_of_score(const TrainingResult& training) {
  return combines(training)
             ? "A score is the logarithm of the squared error of the combined forecast relative to "
               "that of the best of four combinations without a network, the best for each "
               "sequence: 0 is as good, -0.1 is 5 % less error. It is the mean over sequences "
               "that were not trained on. Less is better."
             : "A score is the loss beyond that of the Fixed Share that is best for each sequence, "
               "found in hindsight: 0 is as good, -1 saves about a tenth of what it loses beyond "
               "the best expert of every single round, or a fortieth where losses are those of "
               "forecasters or squares of errors. It is the mean over sequences that were not "
               "trained on. Less is better.";
}

// A chart of the steps from `first` to `last`.
Chart by_step(const char* id, const char* title, const char* axis, std::size_t first,
              std::size_t last, std::size_t points) {
  return {.id = id,
          .title = title,
          .uses = "lines",
          .values = {{"first", first},
                     {"last", std::max(last, first + 1)},
                     {"along", "step"},
                     {"axis", axis},
                     {"zero", false},
                     {"points", points <= 60},
                     {"palette", "variants"}}};
}

// Every kind of sequences, or how far it has moved since the start.
Chart scores_chart(const TrainingResult& training, bool moved) {
  const auto& checks = training.course.checks;
  const auto& kinds = checks.front().held_out;
  Chart chart = by_step(moved ? "held-out-moved" : "held-out-scores",
                        moved ? "Held-out scores since the start" : "Held-out scores",
                        moved ? "score - score at the start" : "held-out score",
                        checks.front().step, checks.back().step, checks.size());
  chart.note = fmt::format("Sequences that were not trained on; lower is better. Step {} was kept.",
                           training.best_step);
  const auto add = [&](const std::string& name, const auto& score_at) {
    const double start = moved ? or_nan(score_at(checks.front())) : 0;
    Points scores;
    for (const auto& check : checks) {
      scores.add(static_cast<double>(check.step), or_nan(score_at(check)) - start);
    }
    chart.add_line(name, scores);
    chart.alternative +=
        fmt::format("{}{} from {:+.4g} to {:+.4g}", chart.groups.size() == 1 ? "By step: " : ", ",
                    name, scores.y.front(), scores.y.back());
  };
  // One kind is its own mean.
  if (kinds.size() > 1) add("mean of all kinds", [](const auto& check) { return check.score; });
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    add(kinds[i].name, [&](const auto& check) { return check.held_out[i].score; });
  }
  chart.alternative += ".";
  if (kinds.size() > 1) chart.values["palette"] = "held_out";
  chart.height = 300;
  return chart;
}

Section course_section(const TrainingResult& training) {
  Section section{"course", "Step by step", {}};
  section.blocks.emplace_back(Choice{"held-out-as",
                                     "Show",
                                     {{"Change since the start", {scores_chart(training, true)}},
                                      {"Score", {scores_chart(training, false)}}}});
  const auto& course = training.course.losses;
  const auto& steps = course.steps;
  if (steps.empty()) return section;  // no step was taken
  Points losses, rates;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    losses.add(static_cast<double>(steps[i]), or_nan(course.loss[i]));
    rates.add(losses.x.back(), course.rate[i]);
  }
  const auto chart_of = [&](const char* id, const char* title, const char* axis) {
    return by_step(id, title, axis, steps.front(), steps.back(), steps.size());
  };
  Chart loss = chart_of("training-loss", "Training loss", "training loss");
  loss.note = steps.size() > 1 && steps[0] > 1
                  ? fmt::format("Of the sequences of each step, as means over {} steps.", steps[0])
                  : "Of the sequences of each step.";
  loss.alternative = fmt::format("Training loss by step, from {:+.4g} to {:+.4g}.",
                                 losses.y.front(), losses.y.back());
  loss.add_line("training loss", losses);
  Chart learning = chart_of("learning-rate", "Learning rate", "learning rate");
  learning.note = "Of the optimiser: a line up, then a cosine down.";
  learning.alternative = fmt::format("Learning rate by step, at most {:.3g}, {:.3g} at the end.",
                                     std::ranges::max(course.rate), course.rate.back());
  learning.values["zero"] = true;
  learning.add_line("learning rate", rates);
  learning.height = 150;
  section.blocks.emplace_back(std::move(loss));
  section.blocks.emplace_back(std::move(learning));
  return section;
}

Section held_out_section(const TrainingResult& training) {
  using results::HeldOutResult;
  struct Measure {
    const char *name, *key, *format;
    std::optional<double> HeldOutResult::*value;
  };
  static constexpr Measure kMeasures[] = {{"score", "score", "{:+.4f}", &HeldOutResult::score},
                                          {"error to best candidate", "error_to_best_candidate",
                                           "{:.4f}", &HeldOutResult::error_to_best_candidate},
                                          {"regret", "regret", "{:.2f}", &HeldOutResult::regret}};
  const auto& start = training.course.checks.front().held_out;
  const auto& best = best_check(training).held_out;
  const bool losses = !combines(training);
  const bool limits =
      std::ranges::any_of(best, [](const auto& kind) { return kind.limit.has_value(); });
  Table table;
  table.id = "held-out-scores-table";
  table.caption = fmt::format(
      "Sequences that were not trained on: with the weights as they were given, and with those "
      "that were kept, after step {}",
      training.best_step);
  table.head = {{"sequences", "name"}};
  table.rows.resize(best.size());
  for (std::size_t i = 0; i < best.size(); ++i) table.rows[i].push_back({best[i].name});
  const auto add = [&](std::string name, const char* key, const auto& kinds, const auto& cell_of) {
    table.head.push_back({std::move(name), key});
    for (std::size_t i = 0; i < kinds.size(); ++i) table.rows[i].push_back(cell_of(kinds[i]));
  };
  for (const Measure& one : kMeasures) {
    if (!(start.front().*one.value)) continue;
    const auto cell = [&](const HeldOutResult& kind) {
      return number(kind.*one.value, one.format);
    };
    add(fmt::format("{}, given", one.name), "", start, cell);
    add(fmt::format("{}, kept", one.name), one.key, best, cell);
  }
  if (losses) {
    add("best Fixed Share", "tuned_fixed_share", best,
        [](const HeldOutResult& kind) { return number(kind.tuned_fixed_share, "{:.2f}"); });
  }
  if (limits) {
    add("limit", "limit", best, [](const HeldOutResult& kind) {
      return kind.limit ? number(kind.limit, "{:.2f}") : Cell{""};
    });
  }
  add("won, kept", "won", best,
      [](const HeldOutResult& kind) { return show::share(kind.won, "{:.0f} %"); });
  return {"held-out",
          "Held-out sequences",
          {std::move(table),
           Paragraph{losses ? "Regret is the mean over sequences of the loss beyond the best path "
                              "of experts; the best Fixed Share is the one with the least loss on "
                              "all of a kind together; the limit is a filter that knows the law of "
                              "the losses. Won: the share of sequences with less loss than that "
                              "Fixed Share."
                            : "Won: the share of sequences with less error than the candidate that "
                              "is best for all of a kind together."}}};
}

// What pcgs-train was asked for.
Table options_table(const TrainingResult& training) {
  Table table{.id = "options-table",
              .caption = "What pcgs-train was asked for, and what it took where nothing was said",
              .head = {{"option", "name"}, {"value", "value"}}};
  for (const auto& [name, value] : training.options.by_name) {
    table.rows.push_back({{"--" + name}, {value}});
  }
  return table;
}

std::string lead(const TrainingResult& training) {
  const auto& first = training.course.checks.front();
  const auto& best = best_check(training);
  if (best.step == first.step) {
    return fmt::format(
        "In {} steps nothing was better on held-out sequences than the weights that were given "
        "({}): they were kept.",
        training.steps, score_text(first.score));
  }
  std::size_t better = 0;
  for (std::size_t i = 0; i < best.held_out.size(); ++i) {
    better += or_nan(best.held_out[i].score) < or_nan(first.held_out[i].score);
  }
  std::string out = fmt::format("The held-out score fell from {} to {}, which it had after step {}",
                                score_text(first.score), score_text(best.score), best.step);
  if (best.held_out.size() > 1) {
    out += fmt::format("; it fell on {} of {} kinds of sequences", better, best.held_out.size());
  }
  return out + ".";
}

}  // namespace

void show_training(const TrainingResult& training, const Shown& /*shown*/, PageParts& page) {
  page.subtitle = fmt::format("A controller, trained by the recipe {} in {} step{}",
                              training.recipe, training.steps, training.steps == 1 ? "" : "s");
  page.add(
      {Paragraph{lead(training), true},
       Figures{{{number(training.course.checks.front().score, "{:+.4f}"), "score at the start"},
                {number(best_check(training).score, "{:+.4f}"), "score of what was kept"},
                {whole(training.best_step), "step that was kept"},
                {whole(training.steps), "steps"},
                {number(training.seconds, "{:.0f}"), "seconds"}}},
       Paragraph{meaning_of_score(training)}});
  if (training.skipped_steps > 0) {
    page.summary.emplace_back(Paragraph{fmt::format(
        "{} steps were skipped, because their gradients were not finite; a lower --rate "
        "or --clip may help.",
        training.skipped_steps)});
  }
  page.add(course_section(training));
  page.add(held_out_section(training));
  if (!training.options.by_name.empty()) {
    page.add(Section{"options", "Options", {options_table(training)}});
  }
}

}  // namespace pcgs::report
