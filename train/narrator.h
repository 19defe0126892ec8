// What a training says on standard error while it goes on: on a terminal one line that changes,
// elsewhere a few lines at every check.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "data/progress.h"
#include "trainer.h"

namespace pcgs::train {

// What the number behind "held out" is, in one sentence.
std::string meaning_of_score(bool combines);

// A report in lines: the score, then a line for each kind of held-out sequences.
std::string report_text(const Report& report);

class Narrator {
 public:
  // `held_out` is the number of held-out sequences.
  Narrator(bool quiet, bool combines, std::int64_t held_out);
  Narrator(const Narrator&) = delete;
  Narrator& operator=(const Narrator&) = delete;

  // Only while the narrator lives.
  Watcher watcher();
  // What was kept.
  void finish(const Report& last);

 private:
  void checked(const Report& report);
  void stepped(const Step& step);
  void judged(std::int64_t sequences);
  std::string standing() const;  // "step 120  loss -0.512  held out -0.4490  best -0.4512"
  void print(const std::string& lines);

  bool quiet_, combines_;
  std::int64_t held_out_, judged_ = 0;
  io::ProgressBar bar_;
  std::optional<std::size_t> shown_;  // of the bar's parts; none before the first step
  std::int64_t step_ = 0;
  double loss_ = 0;  // a running mean
  std::optional<double> first_, latest_, best_;
};

}  // namespace pcgs::train
