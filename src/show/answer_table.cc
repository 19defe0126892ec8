#include "show/answer_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/text.h"

namespace pcgs::results {

using show::Cell;
using show::Table;

namespace {

constexpr std::size_t kExpertsShown = 12, kComingShown = 6, kWeightsShown = 8;

bool is_shown(const ErrorColumn& column, const ForecastAnswer& answer) {
  switch (column.unit) {
    case ErrorColumn::Unit::kLoss:
      return answer.measure != "RMSE" && answer.measure != "MAE";
    case ErrorColumn::Unit::kError:
      return !answer.of_quantiles();
    case ErrorColumn::Unit::kShare:
      return std::any_of(answer.errors.begin(), answer.errors.end(),
                         [&](const ErrorLine& line) { return (line.*column.value).has_value(); });
    case ErrorColumn::Unit::kDifference:
      break;
  }
  return true;
}

// As many decimals as leave four digits of what the combination has, the same in every row; none: four
// digits of each number.
std::optional<int> decimals_of(double size) {
  if (size < 1e-4 || size >= 1e7) return {};
  return show::decimals_for(size, 4);
}

struct Decimals {
  explicit Decimals(const ForecastAnswer& answer) {
    const ErrorLine& first = answer.errors.front();
    of_errors = decimals_of(std::max(first.rmse.value_or(0), first.mae.value_or(0)));
    if (!answer.of_quantiles()) of_loss = decimals_of(first.loss.value_or(0));
  }
  std::optional<int> of_errors, of_loss;
};

Cell cell_of(const ErrorColumn& column, const ForecastAnswer& answer, const ErrorLine& line,
             const Decimals& decimals) {
  const auto& x = line.*column.value;
  switch (column.unit) {
    case ErrorColumn::Unit::kShare:
      return show::share(x, "{:.2f} %");
    case ErrorColumn::Unit::kDifference:
      return &line == &answer.errors.front() ? Cell{} : show::difference(x);
    case ErrorColumn::Unit::kLoss:
    case ErrorColumn::Unit::kError:
      break;
  }
  if (line.rounds == 0) return show::missing();
  const bool loss = column.unit == ErrorColumn::Unit::kLoss;
  if (loss && !x && answer.measure == "log loss") return {"infinite"};
  const auto fixed = loss ? decimals.of_loss : decimals.of_errors;
  if (x && fixed) return show::fixed(x, *fixed);
  return x && !answer.of_quantiles() ? show::number(x, "{:.4g}") : error_cell(x);
}

std::string coming_text(const ComingForecast& one) {
  std::string out =
      fmt::format("  {}  {}", one.time.empty() ? fmt::format("row {}", one.row) : one.time,
                  one.forecast ? fmt::format("{:.6g}", *one.forecast) : "nobody forecasts");
  for (const auto& [level, ends] : one.interval.by_name) {
    out += fmt::format("   {:g} %: {:.6g} to {:.6g}", 100 * std::stod(level), ends[0], ends[1]);
  }
  return out;
}

}  // namespace

bool is_mix(const ErrorLine& line) {
  return line.kind == "reference" && line.name == "best convex mix";
}

Cell error_cell(const std::optional<double>& error) {
  if (!error) return {">1e308"};
  Cell cell = show::number(error, "{}");
  cell.text = error_text(*error);
  return cell;
}

Table errors_table(const ForecastAnswer& answer) {
  Table table;
  table.head.push_back({answer.of_quantiles() ? "score of" : "error of", "name"});
  for (const ErrorColumn& column : kErrorColumns) {
    if (!is_shown(column, answer)) continue;
    const bool loss = column.unit == ErrorColumn::Unit::kLoss;
    table.head.push_back({loss ? answer.measure : column.title, column.key});
  }
  table.head.push_back({"rounds", "rounds"});
  const Decimals decimals(answer);
  for (const ErrorLine& line : answer.errors) {
    auto& row = table.rows.emplace_back();
    const bool combination = &line == &answer.errors.front();
    const char* note = combination ? " (the combination)" : is_mix(line) ? " *" : "";
    row.push_back({line.name + note, line.name});
    for (const ErrorColumn& column : kErrorColumns) {
      if (is_shown(column, answer)) row.push_back(cell_of(column, answer, line, decimals));
    }
    row.push_back(show::whole(line.rounds));
  }
  return table;
}

std::size_t keep_models(Table& table, const ForecastAnswer& answer, std::size_t most) {
  std::size_t models = 0;
  for (const ErrorLine& line : answer.errors) models += line.kind == "expert";
  const std::size_t left_out = models - std::min(models, most);
  table.rows.resize(table.rows.size() - left_out);
  return left_out;
}

std::string errors_text(const ForecastAnswer& answer, Table table) {
  std::string out;
  if (answer.errors.front().rounds > 0) {
    if (const std::size_t left_out = keep_models(table, answer, kExpertsShown); left_out > 0) {
      auto& row = table.rows.emplace_back(table.head.size());
      row[0].text = fmt::format("({} more; --json has them)", left_out);
    }
    out = text(table) + '\n';
  }
  out += headline(answer) + '\n';
  if (const std::string sure = sureness(answer); !sure.empty()) out += sure + '\n';
  return out;
}

std::string first_lines(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string out = '\n' + title + ":\n";
  for (std::size_t i = 0; i < std::min(lines.size(), kComingShown); ++i) out += lines[i] + '\n';
  if (lines.size() > kComingShown) {
    out +=
        fmt::format("  ... and {} more; --out and --json have them\n", lines.size() - kComingShown);
  }
  return out;
}

std::string weights_text(const ByName<double>& weights) {
  if (weights.by_name.empty()) return "";
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
  std::string out = caption + "\n\n" + errors_text(answer, errors_table(answer));
  const auto& lines = answer.errors;
  if (std::any_of(lines.begin(), lines.end(), is_mix) &&
      std::any_of(lines.begin(), lines.end(), [](const auto& line) { return line.rmse; })) {
    out +=
        "* constant weights found in hindsight, on rounds with every forecast there: nobody could "
        "have published it\n";
  }
  if (answer.rounds_without_outcome > 0) {
    out += fmt::format("{} without an outcome: forecast, and not learned from\n",
                       io::counted(answer.rounds_without_outcome, "row"));
  }
  std::vector<std::string> next;
  for (const auto& one : answer.next) next.push_back(coming_text(one));
  out += first_lines(next.size() == 1 ? "next forecast" : "next forecasts", next);
  return out + weights_text(answer.weights_now);
}

}  // namespace pcgs::results
