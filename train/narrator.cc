#include "narrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "data/text.h"

namespace pcgs::train {

namespace {

constexpr std::size_t kParts = 10000;  // of the bar
constexpr double kNewest = 0.1;        // of the running mean of losses

std::string score_text(const HeldOutScore& s) {
  if (s.combines) {
    return fmt::format("    {:<12} error {:.4f} of the best candidate's  won {:3.0f} %", s.name,
                       std::exp(s.beyond / 2), 100 * s.wins);
  }
  std::string line =
      fmt::format("    {:<12} regret {:8.2f}  fixed-share* {:8.2f}", s.name, s.regret, s.tuned);
  if (s.tuned > 0) line += fmt::format("  ({:+.1f} %)", 100 * (s.regret / s.tuned - 1));
  if (s.has_limit) {
    line += fmt::format("  limit {:.2f} closed {:.1f} %", s.limit,
                        100 * (s.tuned - s.regret) / (s.tuned - s.limit));
  }
  return line + fmt::format("  won {:3.0f} %  beyond {:+.3f}", 100 * s.wins, s.beyond);
}

void add_scores(const Report& report, std::string& text) {
  for (const auto& score : report.scores) {
    text += '\n';
    text += score_text(score);
  }
}

}  // namespace

std::string meaning_of_score(bool combines) {
  return combines
             ? "held out: ln(squared error of the combination / that of the best of four without a "
               "network), mean over sequences that are not trained on; 0 is as good, less is better"
             : "held out: loss beyond that of the Fixed Share that is best for each sequence, mean "
               "over sequences that are not trained on; 0 is as good, -1 saves about a tenth of "
               "what it has to lose, less is better";
}

std::string report_text(const Report& report) {
  std::string text =
      report.step == 0
          ? fmt::format("as given     held out {:+.4f}", report.score)
          : fmt::format("step {:6}  loss {:+.4f}  {:.{}f} sequences/s  held out {:+.4f}",
                        report.step, report.loss, report.sequences_per_second,
                        report.sequences_per_second < 100 ? 1 : 0, report.score);
  if (report.skipped > 0) text += fmt::format("  {} steps skipped", report.skipped);
  add_scores(report, text);
  return text;
}

Narrator::Narrator(bool quiet, bool combines, std::int64_t held_out)
    : quiet_(quiet), combines_(combines), held_out_(held_out), bar_("training", kParts, quiet) {
  print(meaning_of_score(combines));
}

Watcher Narrator::watcher() {
  return {[this](const Report& report) { checked(report); },
          [this](const Step& step) { stepped(step); },
          [this](std::int64_t sequences) { judged(sequences); }};
}

void Narrator::print(const std::string& lines) {
  if (quiet_) return;
  bar_.wipe();
  // Not fmt::print, which throws where it cannot be written.
  std::fputs((visible(lines, "\n") + "\n").c_str(), stderr);
}

std::string Narrator::standing() const {
  std::string text;
  if (step_ > 0) text += fmt::format("step {}  loss {:+.3f}", step_, loss_);
  if (latest_) text += fmt::format("{}held out {:+.4f}", text.empty() ? "" : "  ", *latest_);
  if (best_) text += fmt::format("  best {:+.4f}", *best_);
  return text;
}

void Narrator::checked(const Report& report) {
  judged_ = 0;
  latest_ = report.score;
  best_ = report.best_score;
  if (report.step == 0) first_ = report.score;
  if (!bar_.possible()) {
    print(report_text(report));
    return;
  }
  bar_.note(standing());
  bar_.show();
}

void Narrator::stepped(const Step& step) {
  if (std::isfinite(step.loss)) {
    loss_ = step_ == 0 ? step.loss : (1 - kNewest) * loss_ + kNewest * step.loss;
  }
  step_ = step.step;
  const auto parts = static_cast<std::size_t>(step.done * static_cast<double>(kParts));
  if (!shown_) bar_.skip(parts);  // done before, if this goes on from a checkpoint
  bar_.note(standing());
  bar_.advance(parts - shown_.value_or(parts));
  shown_ = parts;
}

void Narrator::judged(std::int64_t sequences) {
  judged_ += sequences;
  if (!bar_.possible()) return;
  bar_.note(fmt::format("{}{}playing held-out sequences, {} of {}", standing(),
                        standing().empty() ? "" : "  ", judged_, held_out_));
  bar_.advance(0);
}

void Narrator::finish(const Report& last) {
  if (last.best_step == 0) {
    print("nothing was better on held-out sequences: the weights are those given");
    return;
  }
  std::string text =
      fmt::format("kept: the weights after step {}, held out {:+.4f}", last.best_step, last.score);
  if (first_) text += fmt::format(", which began at {:+.4f}", *first_);
  if (bar_.possible()) add_scores(last, text);
  print(text);
}

}  // namespace pcgs::train
