#include "show/answer_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/text_table.h"
#include "show/headline.h"

namespace pcgs::results {

namespace {

constexpr std::size_t kExpertsShown = 12, kComingShown = 6, kWeightsShown = 8;

// As many decimals as leave four digits of the combination's error, the same in every row.
class Decimals {
 public:
  explicit Decimals(const ErrorLine& combination) {
    const double size = std::max(combination.rmse.value_or(0), combination.mae.value_or(0));
    if (size < 1e-4 || size >= 1e7) return;
    fixed_ = std::max(0, 3 - static_cast<int>(std::floor(std::log10(size))));
  }
  std::string operator()(const std::optional<double>& x) const {
    if (!x) return "-";
    return fixed_ && std::abs(*x) < 1e9 ? fmt::format("{:.{}f}", *x, *fixed_)
                                        : fmt::format("{:.4g}", *x);
  }

 private:
  std::optional<int> fixed_;
};

std::string signed_per_cent(const std::optional<double>& x) {
  return x ? fmt::format("{:+.1f} %", *x) : "";
}

bool any(const ForecastAnswer& answer, std::optional<double> ErrorLine::*what) {
  return std::any_of(answer.errors.begin(), answer.errors.end(),
                     [&](const ErrorLine& line) { return (line.*what).has_value(); });
}

io::TextTable errors_table(const ForecastAnswer& answer) {
  const bool mape = any(answer, &ErrorLine::mape);
  const bool log_loss = answer.measure == "log loss";
  const bool loss = log_loss || answer.measure == "pinball loss";
  const Decimals number(answer.errors.front());
  io::TextTable table{"", {"error of"}, {}};
  if (loss) table.head.push_back(answer.measure);
  table.head.insert(table.head.end(), {"RMSE", "MAE"});
  if (mape) table.head.emplace_back("MAPE");
  table.head.insert(table.head.end(), {"bias", "combination beside it", "rounds"});
  std::size_t experts = 0, left_out = 0;
  for (const ErrorLine& line : answer.errors) {
    if (line.kind == "expert" && ++experts > kExpertsShown) {
      ++left_out;
      continue;
    }
    const bool combination = &line == &answer.errors.front();
    auto& row = table.rows.emplace_back();
    row.push_back(line.name + (combination ? " (the combination)"
                               : line.name == "best convex mix" && line.kind == "reference" ? " *"
                                                                                            : ""));
    // What is no number although there was a round is too large for one.
    const auto error = [&](const std::optional<double>& x, const char* too_large = ">1e308") {
      return !x && line.rounds > 0 ? too_large : number(x);
    };
    if (loss) row.push_back(error(line.loss, log_loss ? "infinite" : ">1e308"));
    row.insert(row.end(), {error(line.rmse), error(line.mae)});
    if (mape) row.push_back(line.mape ? fmt::format("{:.2f} %", 100 * *line.mape) : "-");
    row.insert(row.end(), {error(line.bias), signed_per_cent(line.difference),
                           fmt::format("{}", line.rounds)});
  }
  if (left_out > 0) {
    auto& row = table.rows.emplace_back(table.head.size());
    row[0] = fmt::format("({} more; --json has them)", left_out);
  }
  return table;
}

std::string coming_text(const ComingForecast& one) {
  std::string out =
      fmt::format("  {}  {}", one.time.empty() ? fmt::format("row {}", one.row) : one.time,
                  one.forecast ? fmt::format("{:.6g}", *one.forecast) : "nobody forecasts");
  for (const auto& [level, ends] : one.interval.by_name) {
    out += fmt::format("   {:g} %: {:.6g} to {:.6g}", 100 * std::stod(level), ends[0], ends[1]);
  }
  return out + '\n';
}

}  // namespace

std::string weights_text(const ByName<double>& weights) {
  auto all = weights.by_name;
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second) > std::abs(b.second);
  });
  std::string out = "weights now:";
  for (std::size_t k = 0; k < std::min(all.size(), kWeightsShown); ++k) {
    out += fmt::format("{} {} {:.2f}", k == 0 ? "" : ",", all[k].first, all[k].second);
  }
  if (all.size() > kWeightsShown) {
    double rest = 0;
    for (std::size_t k = kWeightsShown; k < all.size(); ++k) rest += all[k].second;
    out += fmt::format(", {} others {:.2f}", all.size() - kWeightsShown, rest);
  }
  return out + '\n';
}

std::string answer_text(const ForecastAnswer& answer, const std::string& caption) {
  std::string out = caption + "\n\n";
  if (answer.errors.front().rounds > 0) out += text(errors_table(answer)) + '\n';
  out += headline(answer) + '\n';
  if (const std::string sure = sureness(answer); !sure.empty()) out += sure + '\n';
  if (any(answer, &ErrorLine::rmse)) {
    const bool mix = std::any_of(answer.errors.begin(), answer.errors.end(), [](const auto& line) {
      return line.kind == "reference" && line.name == "best convex mix";
    });
    if (mix) {
      out +=
          "* constant weights found in hindsight, on rounds with every forecast there: nobody "
          "could have published it\n";
    }
  }
  if (answer.rounds_without_outcome > 0) {
    out += fmt::format("{} without an outcome: forecast, and not learned from\n",
                       io::counted(answer.rounds_without_outcome, "row"));
  }
  if (!answer.next.empty()) {
    out += answer.next.size() == 1 ? "\nnext forecast:\n" : "\nnext forecasts:\n";
    for (std::size_t i = 0; i < std::min(answer.next.size(), kComingShown); ++i) {
      out += coming_text(answer.next[i]);
    }
    if (answer.next.size() > kComingShown) {
      out += fmt::format("  ... and {} more; --out and --json have them\n",
                         answer.next.size() - kComingShown);
    }
  }
  if (!answer.weights_now.by_name.empty()) out += weights_text(answer.weights_now);
  return out;
}

}  // namespace pcgs::results
