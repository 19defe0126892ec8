#include "course.h"

#include <cmath>
#include <utility>

#include "data/json.h"
#include "trainer.h"

namespace pcgs::train {

namespace {

constexpr std::size_t kMostStretches = 400;

results::HeldOutResult result_of(const HeldOutScore& score) {
  results::HeldOutResult out;
  out.name = score.name;
  out.score = results::finite(score.beyond);
  out.won = score.wins;
  if (score.combines) {
    out.error_to_best_candidate = results::finite(std::exp(score.beyond / 2));
    return out;
  }
  out.regret = results::finite(score.regret);
  out.tuned_fixed_share = results::finite(score.tuned);
  if (score.has_limit) out.limit = results::finite(score.limit);
  return out;
}

}  // namespace

CourseKeeper::CourseKeeper(results::TrainingCourse course) : course_(std::move(course)) {
  auto& [steps, loss, rate] = course_.losses;
  if (steps.empty()) return;
  length_ = steps.front();
  const std::size_t more = steps.back() % length_;
  if (more == 0) return;
  here_ = {steps.back(), more, loss.back() ? more : 0,
           loss.back().value_or(0) * static_cast<double>(more),
           rate.back() * static_cast<double>(more)};
  steps.pop_back();
  loss.pop_back();
  rate.pop_back();
}

void CourseKeeper::append(const Stretch& stretch, results::TrainingCourse::Losses& losses) {
  losses.steps.push_back(stretch.last);
  losses.loss.push_back(stretch.taken > 0
                            ? std::optional(stretch.loss / static_cast<double>(stretch.taken))
                            : std::nullopt);
  losses.rate.push_back(stretch.rate / static_cast<double>(stretch.steps));
}

void CourseKeeper::merge_pairs() {
  const auto before = std::exchange(course_.losses, {});
  for (std::size_t i = 1; i < before.steps.size(); i += 2) {
    Stretch pair{before.steps[i], 2, 0, 0, before.rate[i - 1] + before.rate[i]};
    for (const auto& loss : {before.loss[i - 1], before.loss[i]}) {
      if (!loss) continue;
      pair.loss += *loss;
      ++pair.taken;
    }
    append(pair, course_.losses);
  }
  length_ *= 2;
}

void CourseKeeper::add(const Step& step) {
  here_.last = static_cast<std::size_t>(step.step);
  ++here_.steps;
  here_.rate += step.rate;
  if (std::isfinite(step.loss)) {
    here_.loss += step.loss;
    ++here_.taken;
  }
  if (here_.steps < length_) return;
  append(std::exchange(here_, {}), course_.losses);
  if (course_.losses.steps.size() == kMostStretches) merge_pairs();
}

void CourseKeeper::add(const Report& report) {
  results::TrainingCourse::Check check{
      static_cast<std::size_t>(report.step), results::finite(report.score), {}};
  for (const auto& score : report.scores) check.held_out.push_back(result_of(score));
  course_.checks.push_back(std::move(check));
}

results::TrainingCourse CourseKeeper::course() const {
  results::TrainingCourse course = course_;
  if (here_.steps > 0) append(here_, course.losses);
  return course;
}

}  // namespace pcgs::train
