#include "run/clock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "pcgs/error.h"

namespace pcgs::compare {

namespace {

// Rounds that would fit between two times. Months and years differ in length by less than half.
std::int64_t missing_between(double from, double to, double step) {
  if (!(step > 0)) return 0;
  return static_cast<std::int64_t>(std::clamp(std::round((to - from) / step) - 1, 0.0, 1e9));
}

// How time passes: what a Clock remembers of it.
struct Pace {
  double step = 0;
  bool keeps = false;
};

// Of the first rounds, the first of which may come after one of an earlier run.
Pace pace_of(const Problem& problem, const Clock* before, std::size_t rounds) {
  if (before != nullptr && before->step > 0) return {before->step, before->keeps};
  std::vector<double> at(problem.times->at.begin(),
                         problem.times->at.begin() + static_cast<std::ptrdiff_t>(rounds));
  if (before != nullptr) at.insert(at.begin(), before->last);
  // The most frequent distance between neighbours, but for an hour that comes twice.
  std::map<double, std::size_t> counts;
  for (std::size_t t = 1; t < at.size(); ++t) {
    if (at[t] > at[t - 1]) ++counts[at[t] - at[t - 1]];
  }
  if (counts.empty()) return {};
  const double step =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  // Nights, weekends and holidays that were never forecast are no rounds.
  constexpr std::size_t kRare = 50;
  std::size_t gaps = 0;
  for (std::size_t t = 1; t < at.size(); ++t) {
    if (missing_between(at[t - 1], at[t], step) > 0) ++gaps;
  }
  return {step, kRare * gaps < rounds + kRare};
}

// What is coming has no say in how rounds are numbered that are learned.
Pace pace_in(const Problem& problem, const Clock* before) {
  const Pace of_known = pace_of(problem, before, problem.known());
  return of_known.step > 0 ? of_known : pace_of(problem, before, problem.rounds());
}

struct Gaps {
  std::vector<std::int64_t> missing;  // [T] before each round
  std::size_t places = 0, first = 0;  // how many, and before which round the first is
  std::int64_t total = 0;
};

Gaps gaps_of(const Problem& problem, const Clock* before, double step) {
  const std::vector<double>& at = problem.times->at;
  Gaps out;
  out.missing.resize(at.size());
  for (std::size_t t = before != nullptr ? 0 : 1; t < at.size(); ++t) {
    out.missing[t] = missing_between(t == 0 ? before->last : at[t - 1], at[t], step);
    if (out.missing[t] == 0) continue;
    if (out.places++ == 0) out.first = t;
    out.total += out.missing[t];
  }
  return out;
}

// Whether this may be the hour that comes twice when summer time ends: on a Sunday, before four, and
// back by an hour at most.
bool clock_was_put_back(double before, double now) {
  constexpr double kHour = 3600, kDay = 24 * kHour;
  const double day = std::floor(now / kDay);
  const bool sunday = std::fmod(std::fmod(day + 4, 7) + 7, 7) == 0;  // 1970 began on a Thursday
  return sunday && now - day * kDay < 4 * kHour && before - now <= kHour;
}

void check_order(const Problem& problem, bool several, const TellNote& tell) {
  const auto& times = *problem.times;
  constexpr double kHalfYear = 150.0 * 24 * 3600;
  double put_back = -std::numeric_limits<double>::infinity();  // when the clock last was
  for (std::size_t t = 1; t < times.at.size(); ++t) {
    if (times.at[t] > times.at[t - 1]) continue;
    if (times.calendar && times.at[t] > put_back + kHalfYear &&
        clock_was_put_back(times.at[t - 1], times.at[t])) {
      put_back = times.at[t];
      if (tell) {
        tell({NoteKind::kTimes,
              fmt::format("{}: row {}: {} comes twice; taken for the end of summer time",
                          problem.origin, problem.file_row(t), times.text[t])});
      }
      continue;
    }
    throw Error(
        ErrorKind::kValue,
        {.file = problem.origin,
         .row = problem.file_row(t),
         .column = times.text.name.empty() ? "1" : times.text.name},
        fmt::format("{} {} {}, the time of the row before; {}", times.text[t],
                    times.at[t] < times.at[t - 1] ? "is before" : "repeats", times.text[t - 1],
                    several ? fmt::format("sort the rows by time, or, if they belong to several "
                                          "series, name the columns that tell these apart with {}",
                                          option("series"))
                            : "give each series rows that are sorted by time, one for each time"));
  }
}

// "an hour", "15 minutes", "3.5".
std::string step_text(double step, bool calendar) {
  if (!calendar) return fmt::format("{:g}", step);
  struct Unit {
    double seconds;
    const char *one, *many;
  };
  for (const Unit& unit : {Unit{604800, "a week", "weeks"}, Unit{86400, "a day", "days"},
                           Unit{3600, "an hour", "hours"}, Unit{60, "a minute", "minutes"},
                           Unit{1, "a second", "seconds"}}) {
    const double count = step / unit.seconds;
    if (count == 1) return unit.one;
    if (count > 1 && count == std::floor(count)) return fmt::format("{:g} {}", count, unit.many);
  }
  return fmt::format("{:g} seconds", step);
}

}  // namespace

std::vector<std::size_t> usual_seasons(const Problem& problem) {
  constexpr double kDay = 86400, kWeek = 7 * kDay;
  if (!problem.times || !problem.times->calendar) return {};
  const Pace pace = pace_in(problem, nullptr);
  if (!pace.keeps) return {};
  const double days = pace.step / kDay;
  if (days >= 28 && days <= 31) return {12};
  if (days >= 90 && days <= 92) return {4};
  const double in_a_day = kDay / pace.step, in_a_week = kWeek / pace.step;
  constexpr double kMostPhases = 16384;  // a week of minutes; more are never all seen often enough
  const auto whole = [](double x) { return x >= 2 && x <= kMostPhases && x == std::floor(x); };
  std::vector<std::size_t> seasons;
  for (const double season : {in_a_day, in_a_week}) {
    if (whole(season)) seasons.push_back(static_cast<std::size_t>(season));
  }
  return seasons;
}

Note suggested_seasons(const Problem& problem, const std::vector<std::size_t>& seasons) {
  return {NoteKind::kSeason,
          fmt::format("{}: its times suggest seasons of {} rounds; {} gives others, {} none",
                      problem.origin, fmt::join(seasons, " and "), option("season"),
                      option("season", "none"))};
}

void put_in_time(Problem& problem, const Clock* before, bool several, const TellNote& tell) {
  check_order(problem, several, tell);
  const Pace pace = pace_in(problem, before);
  Gaps gaps = gaps_of(problem, before, pace.step);
  if (gaps.places == 0) return;
  if (pace.keeps) problem.missing = std::move(gaps.missing);
  if (!tell) return;
  const auto& text = problem.times->text;
  tell({NoteKind::kTimes,
        fmt::format("{}: times are {} apart, and {} {} missing in {} place{}, the first after {}{}",
                    problem.origin, step_text(pace.step, problem.times->calendar), gaps.total,
                    gaps.total == 1 ? "is" : "are", gaps.places, gaps.places == 1 ? "" : "s",
                    gaps.first == 0 ? std::string_view(before->last_text) : text[gaps.first - 1],
                    pace.keeps ? "; phases of a season keep to the clock" : "")});
}

double usual_step(const Problem& problem, const Clock* before) {
  return pace_in(problem, before).step;
}

Clock clock_after(const Problem& problem, const Clock* before) {
  const auto& times = *problem.times;
  Clock clock = before != nullptr ? *before : Clock{};
  const std::size_t known = problem.known();
  const Pace pace = pace_of(problem, before, known);
  clock.calendar = times.calendar;
  clock.step = pace.step;
  clock.keeps = pace.keeps;
  if (known > 0) {
    clock.last = times.at[known - 1];
    clock.last_text = std::string(times.text[known - 1]);
  }
  return clock;
}

}  // namespace pcgs::compare
