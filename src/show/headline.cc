#include "show/headline.h"

#include <fmt/format.h>

#include <cmath>

namespace pcgs::results {

namespace {

std::string size_text(double difference) {
  const double size = std::abs(difference);
  return fmt::format("{:.{}f} %", size, size < 9.95 ? 1 : 0);
}

}  // namespace

std::string error_text(double error) {
  const double size = std::abs(error);
  return size >= 9999.5 && size < 1e15 ? fmt::format("{:.0f}", error)
                                       : fmt::format("{:.4g}", error);
}

std::string difference_text(double difference) {
  if (std::abs(difference) < 0.05) return "the same as";
  return fmt::format("{} {}", size_text(difference), difference < 0 ? "below" : "above");
}

std::string headline(const ForecastAnswer& answer) {
  const ErrorLine& combination = answer.errors.front();
  const auto error = measured(answer, combination);
  if (combination.rounds == 0) return "No outcome is known yet, so no error is.";
  if (!error) {
    return answer.measure == "log loss"
               ? "The combination's log loss is infinite: it once gave what happened no chance at "
                 "all."
               : fmt::format("The combination's error ({}) is beyond the largest number there is.",
                             answer.measure);
  }
  std::string out =
      fmt::format("The combination's error ({} {}) ", answer.measure, error_text(*error));
  if (!answer.beside_best) return out + "has nothing to be compared with.";
  const Difference& best = *answer.beside_best;
  out += fmt::format("was {} that of your best model, {}", difference_text(best.difference),
                     best.name);
  // A few that it missed are told by the table.
  if (static_cast<double>(best.rounds) < 0.95 * static_cast<double>(combination.rounds)) {
    out += fmt::format(" (in the {} of {} rounds in which it forecast)", best.rounds,
                       combination.rounds);
  }
  if (answer.beside_equal) {
    out += fmt::format(", and {} that of equal weights",
                       difference_text(answer.beside_equal->difference));
  }
  return out + ".";
}

std::string sureness(const ForecastAnswer& answer) {
  if (!answer.beside_best || answer.beside_best->interval.size() != 2) return "";
  const auto& best = *answer.beside_best;
  const double low = best.interval[0], high = best.interval[1];
  const bool sure = low > 0 || high < 0;
  const auto end = [](double x) {
    return fmt::format("{} {}", size_text(x), x < 0 ? "below" : "above");
  };
  const std::string range = high < 0  ? fmt::format("{} to {}", size_text(high), end(low))
                            : low > 0 ? fmt::format("{} to {}", size_text(low), end(high))
                                      : fmt::format("between {} and {}", end(low), end(high));
  return fmt::format("{}: the difference to {} is, with 95 % confidence, {}.",
                     sure ? "That is more than chance" : "That may be chance", best.name, range);
}

}  // namespace pcgs::results
