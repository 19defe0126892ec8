#include "show/training_result.h"

#include <algorithm>

#include "data/fields.h"
#include "data/json_text.h"
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
