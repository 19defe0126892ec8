#include "io/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/text.h"

namespace pcgs::io {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::milliseconds(400);  // shorter work needs no bar
constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr std::size_t kWidth = 30;

}  // namespace

ProgressBar::ProgressBar(std::string label, std::size_t steps, bool quiet)
    : label_(std::move(label)),
      total_(std::max<std::size_t>(steps, 1)),
      possible_(!quiet && isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      drawn_(start_) {}

ProgressBar::~ProgressBar() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::advance(std::size_t steps) {
  done_ += steps;
  if (!possible_ || done_ < next_look_) return;
  next_look_ = done_ + total_ / 1000 + 1;
  const auto now = Clock::now();
  if (now - start_ < kPatience || now - drawn_ < kBetween) return;
  drawn_ = now;
  draw();
}

void ProgressBar::draw() {
  shown_ = true;
  const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kWidth));
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  // Not fmt::print, which throws where it cannot be written.
  const std::string line = fmt::format(
      "\r\x1b[K{} [{}{}] {:3.0f} %  {:.0f} s left", visible(label_), std::string(filled, '#'),
      std::string(kWidth - filled, '.'), 100 * share, spent * (1 - share) / share);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace pcgs::io
