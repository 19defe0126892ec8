#include "show/training_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "data/json.h"
#include "show/curves.h"
#include "show/kinds.h"
#include "show/sections.h"

namespace pcgs::results {

namespace {

bool of_the_same_kinds(const TrainingCourse& course) {
  if (course.checks.empty()) return true;
  const auto& first = course.checks.front().held_out;
  return std::all_of(course.checks.begin(), course.checks.end(), [&](const auto& check) {
    return std::equal(first.begin(), first.end(), check.held_out.begin(), check.held_out.end(),
                      [](const auto& a, const auto& b) { return a.name == b.name; });
  });
}

template <class Steps, class Step>
bool grow(const Steps& all, const Step& step) {
  return std::adjacent_find(all.begin(), all.end(), [&](const auto& a, const auto& b) {
           return step(a) >= step(b);
         }) == all.end();
}

}  // namespace

const TrainingCourse::Check& best_check(const TrainingResult& training) {
  const auto& checks = training.course.checks;
  return *std::find_if(checks.begin(), checks.end(),
                       [&](const auto& check) { return check.step == training.best_step; });
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
  f.require(grow(losses.steps, [](std::size_t step) { return step; }), "steps", "do not grow");
  f.require(losses.steps.empty() || losses.steps.front() > 0, "steps", "do not begin after 0");
}

void fields(Fields& f, TrainingCourse::Check& check) {
  f("step", check.step, "score", check.score, "held_out", check.held_out);
  f.require(!check.held_out.empty(), "held_out", "is empty");
}

void fields(Fields& f, TrainingCourse& course) {
  f("losses", course.losses, "checks", course.checks);
  f.require(!course.checks.empty(), "checks", "is empty");
  f.require(of_the_same_kinds(course), "checks", "are of different sequences");
  f.require(grow(course.checks, [](const auto& check) { return check.step; }), "checks",
            "have steps that do not grow");
}

void fields(Fields& f, TrainingResult& training) {
  f("recipe", training.recipe, "steps", training.steps, "best_step", training.best_step,
    "skipped_steps", training.skipped_steps, "seconds", training.seconds, "course", training.course,
    "options", training.options);
  const auto& checks = training.course.checks;
  f.require(std::any_of(checks.begin(), checks.end(),
                        [&](const auto& check) { return check.step == training.best_step; }),
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

using results::TrainingCourse;
using results::TrainingResult;

constexpr const char* kMean = "mean of all kinds";

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

std::vector<double> steps_of(const TrainingCourse& course) {
  std::vector<double> steps;
  for (const auto& check : course.checks) steps.push_back(static_cast<double>(check.step));
  return steps;
}

Chart by_step(const char* id, const char* axis, const std::vector<double>& steps) {
  Chart chart;
  chart.id = id;
  chart.uses = "lines";
  chart.values = {{"first", steps.front()}, {"last", std::max(steps.back(), steps.front() + 1)},
                  {"along", "step"},        {"axis", axis},
                  {"zero", false},          {"points", steps.size() <= 60}};
  return chart;
}

// Every kind of sequences, or how far it has moved since the start.
Chart scores_chart(const TrainingResult& training, bool moved) {
  const TrainingCourse& course = training.course;
  const auto steps = steps_of(course);
  Chart chart = by_step(moved ? "held-out-moved" : "held-out-scores",
                        moved ? "score - score at the start" : "held-out score", steps);
  chart.title = moved ? "Held-out scores since the start" : "Held-out scores";
  chart.note = fmt::format("Sequences that were not trained on; lower is better. Step {} was kept.",
                           training.best_step);
  const auto& kinds = course.checks.front().held_out;
  std::vector<std::string> series;
  const auto add = [&](const std::string& name, const auto& score_at) {
    series.push_back(name);
    std::vector<double> scores;
    for (const auto& check : course.checks) scores.push_back(or_nan(score_at(check)));
    if (moved) {
      const double start = scores.front();
      for (double& score : scores) score -= start;
    }
    chart.groups.push_back(curve({steps, scores}, {{"series", name}}));
    chart.alternative += fmt::format("{}{} from {:+.4g} to {:+.4g}", series.size() == 1 ? "" : ", ",
                                     name, scores.front(), scores.back());
  };
  // One kind is its own mean.
  if (kinds.size() > 1) add(kMean, [](const auto& check) { return check.score; });
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    add(kinds[i].name, [&](const auto& check) { return check.held_out[i].score; });
  }
  chart.alternative = fmt::format("By step: {}.", chart.alternative);
  chart.values.update(
      {{"series", series}, {"palette", kinds.size() > 1 ? "held_out" : "variants"}});
  chart.height = 300;
  return chart;
}

Chart losses_chart(const TrainingCourse::Losses& losses, const std::vector<double>& steps) {
  std::vector<double> loss;
  for (const auto& one : losses.loss) loss.push_back(or_nan(one));
  Chart chart = by_step("training-loss", "training loss", steps);
  chart.title = "Training loss";
  chart.note =
      losses.steps.size() > 1 && losses.steps[0] > 1
          ? fmt::format("Of the sequences of each step, as means over {} steps.", losses.steps[0])
          : "Of the sequences of each step.";
  chart.alternative =
      fmt::format("Training loss by step, from {:+.4g} to {:+.4g}.", loss.front(), loss.back());
  chart.values.update({{"series", {"training loss"}}, {"palette", "variants"}});
  chart.groups.push_back(curve({steps, loss}, {{"series", "training loss"}}));
  return chart;
}

Chart rates_chart(const TrainingCourse::Losses& losses, const std::vector<double>& steps) {
  Chart chart = by_step("learning-rate", "learning rate", steps);
  chart.title = "Learning rate";
  chart.note = "Of the optimiser: a line up, then a cosine down.";
  chart.alternative =
      fmt::format("Learning rate by step, at most {:.3g}, {:.3g} at the end.",
                  *std::max_element(losses.rate.begin(), losses.rate.end()), losses.rate.back());
  chart.values.update({{"series", {"learning rate"}}, {"palette", "variants"}, {"zero", true}});
  chart.groups.push_back(curve({steps, losses.rate}, {{"series", "learning rate"}}));
  chart.height = 150;
  return chart;
}

Section course_section(const TrainingResult& training) {
  Section section{"course", "Step by step", {}};
  section.blocks.emplace_back(Choice{"held-out-as",
                                     "Show",
                                     {{"Change since the start", {scores_chart(training, true)}},
                                      {"Score", {scores_chart(training, false)}}}});
  const auto& losses = training.course.losses;
  if (losses.steps.empty()) return section;  // no step was taken
  const std::vector<double> steps(losses.steps.begin(), losses.steps.end());
  section.blocks.emplace_back(losses_chart(losses, steps));
  section.blocks.emplace_back(rates_chart(losses, steps));
  return section;
}

// What is known of every kind: the head of a pair of columns, its key, and where it stands.
struct Measure {
  const char *name, *key, *format;
  std::optional<double> results::HeldOutResult::*value;
};

Section held_out_section(const TrainingResult& training) {
  using results::HeldOutResult;
  static constexpr Measure kMeasures[] = {{"score", "score", "{:+.4f}", &HeldOutResult::score},
                                          {"error to best candidate", "error_to_best_candidate",
                                           "{:.4f}", &HeldOutResult::error_to_best_candidate},
                                          {"regret", "regret", "{:.2f}", &HeldOutResult::regret}};
  const auto& start = training.course.checks.front().held_out;
  const auto& best = best_check(training).held_out;
  Section section{"held-out", "Held-out sequences", {}};
  Table table;
  table.id = "held-out-scores-table";
  table.caption = fmt::format(
      "Sequences that were not trained on: with the weights as they were given, and with those "
      "that "
      "were kept, after step {}",
      training.best_step);
  table.head = {{"sequences", "name"}};
  std::vector<Measure> shown;
  for (const Measure& measure : kMeasures) {
    if (!(start.front().*measure.value)) continue;
    shown.push_back(measure);
    table.head.push_back({fmt::format("{}, given", measure.name)});
    table.head.push_back({fmt::format("{}, kept", measure.name), measure.key});
  }
  const bool losses = !combines(training);
  if (losses) table.head.push_back({"best Fixed Share", "tuned_fixed_share"});
  const bool limits = std::any_of(best.begin(), best.end(), [](const auto& k) { return k.limit; });
  if (limits) table.head.push_back({"limit", "limit"});
  table.head.push_back({"won, kept", "won"});
  for (std::size_t i = 0; i < best.size(); ++i) {
    auto& row = table.rows.emplace_back();
    row.push_back({best[i].name});
    for (const Measure& measure : shown) {
      row.push_back(number(start[i].*measure.value, measure.format));
      row.push_back(number(best[i].*measure.value, measure.format));
    }
    if (losses) row.push_back(number(best[i].tuned_fixed_share, "{:.2f}"));
    if (limits) row.push_back(best[i].limit ? number(best[i].limit, "{:.2f}") : Cell{""});
    row.push_back({fmt::format("{:.0f} %", 100 * best[i].won), fmt::format("{}", best[i].won)});
  }
  section.blocks.emplace_back(std::move(table));
  section.blocks.emplace_back(Paragraph{
      losses ? "Regret is the mean over sequences of the loss beyond the best path of experts; the "
               "best Fixed Share is the one with the least loss on all of a kind together; the "
               "limit is a filter that knows the law of the losses. Won: the share of sequences "
               "with less loss than that Fixed Share."
             : "Won: the share of sequences with less error than the candidate that is best for "
               "all of a kind together."});
  return section;
}

Section options_section(const TrainingResult& training) {
  Section section{"options", "Options", {}};
  Table table;
  table.id = "options-table";
  table.caption = "What pcgs-train was asked for, and what it took where nothing was said";
  table.head = {{"option", "name"}, {"value", "value"}};
  for (const auto& [name, value] : training.options.by_name) {
    table.rows.push_back({{"--" + name}, {value}});
  }
  section.blocks.emplace_back(std::move(table));
  return section;
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
  const auto better = std::count_if(best.held_out.begin(), best.held_out.end(),
                                    [&, i = std::size_t{0}](const auto& kind) mutable {
                                      return or_nan(kind.score) < or_nan(first.held_out[i++].score);
                                    });
  std::string out = fmt::format("The held-out score fell from {} to {}, which it had after step {}",
                                score_text(first.score), score_text(best.score), best.step);
  if (best.held_out.size() > 1) {
    out += fmt::format("; it fell on {} of {} kinds of sequences", better, best.held_out.size());
  }
  return out + ".";
}

std::vector<Block> training_summary(const TrainingResult& training) {
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{lead(training), true});
  blocks.emplace_back(
      Figures{{{number(training.course.checks.front().score, "{:+.4f}"), "score at the start"},
               {number(best_check(training).score, "{:+.4f}"), "score of what was kept"},
               {whole(training.best_step), "step that was kept"},
               {whole(training.steps), "steps"},
               {number(training.seconds, "{:.0f}"), "seconds"}}});
  blocks.emplace_back(Paragraph{meaning_of_score(training)});
  if (training.skipped_steps > 0) {
    blocks.emplace_back(Paragraph{fmt::format(
        "{} steps were skipped, because their gradients were not finite; a lower --rate "
        "or --clip may help.",
        training.skipped_steps)});
  }
  return blocks;
}

std::vector<Section> training_sections(const TrainingResult& training) {
  std::vector<Section> sections = {course_section(training), held_out_section(training)};
  if (!training.options.by_name.empty()) sections.push_back(options_section(training));
  return sections;
}

}  // namespace

void show_training(const TrainingResult& training, const Shown& /*shown*/, PageParts& page) {
  page.subtitle = fmt::format("A controller, trained by the recipe {} in {} step{}",
                              training.recipe, training.steps, training.steps == 1 ? "" : "s");
  page.add(training_summary(training));
  page.add(training_sections(training));
}

}  // namespace pcgs::report
