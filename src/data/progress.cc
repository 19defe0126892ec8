#include "data/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "data/text.h"

namespace pcgs::io {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::milliseconds(400);  // shorter work needs no bar
constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr std::size_t kWidth = 30, kBesideANote = 10;
constexpr std::size_t kUsualColumns = 80;

std::size_t columns_of_terminal() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualColumns;
}

std::string duration_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 100 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string bar_line(std::string_view label, double share, std::optional<double> seconds_left,
                     std::string_view note, std::size_t columns) {
  const std::size_t width = note.empty() ? kWidth : kBesideANote;
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  std::string line = fmt::format("{} [{}{}] {:3.0f} %", label, std::string(filled, '#'),
                                 std::string(width - filled, '.'), 100 * share);
  if (seconds_left) line += fmt::format("  {} left", duration_text(*seconds_left));
  if (!note.empty()) line += fmt::format("  {}", note);
  // A line that is broken in two could not be wiped.
  return line.substr(0, columns);
}

ProgressBar::ProgressBar(std::string label, std::size_t steps, bool quiet)
    : label_(std::move(label)),
      total_(std::max<std::size_t>(steps, 1)),
      possible_(!quiet && isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      drawn_(start_) {}

ProgressBar::~ProgressBar() { wipe(); }

void ProgressBar::wipe() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

void ProgressBar::advance(std::size_t steps) {
  done_ += steps;
  if (!possible_ || done_ < next_look_) return;
  next_look_ = done_ + total_ / 1000 + 1;
  const auto now = Clock::now();
  if (now - start_ < kPatience || now - drawn_ < kBetween) return;
  draw();
}

void ProgressBar::skip(std::size_t steps) {
  done_ += steps;
  skipped_ += steps;
}

void ProgressBar::show() {
  if (possible_) draw();
}

void ProgressBar::draw() {
  shown_ = true;
  drawn_ = Clock::now();
  const auto part = [&](std::size_t steps) {
    return std::min(1.0, static_cast<double>(steps) / static_cast<double>(total_));
  };
  const double share = part(done_), here = share - part(skipped_);
  const double spent = std::chrono::duration<double>(drawn_ - start_).count();
  std::optional<double> left;
  if (here > 0) left = spent * (1 - share) / here;
  // Not fmt::print, which throws where it cannot be written.
  const std::string line = "\r\x1b[K" + bar_line(visible(label_), share, left, visible(note_),
                                                 columns_of_terminal() - 1);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace pcgs::io
