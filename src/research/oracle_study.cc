#include "research/oracle_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>
#include <span>

#include "data/csv.h"
#include "data/json.h"
#include "data/npy.h"
#include "data/number_table.h"
#include "data/text.h"
#include "proof/sweep.h"
#include "show/kinds.h"

namespace pcgs::results {

void fields(Fields& f, OracleResult::Unlimited& unlimited) {
  f("value", unlimited.value, "switches_used", unlimited.switches_used);
}

void fields(Fields& f, OracleResult& oracle) {
  f("rounds", oracle.rounds, "experts", oracle.experts, "values", oracle.values, "switches_used",
    oracle.switches_used);
  f.unless_empty("switch_cost", oracle.switch_cost);
  f.unless_empty("unlimited", oracle.unlimited);
  f("seconds", oracle.seconds, "states_per_second", oracle.states_per_second);
}

const Kind& OracleResult::kind() {
  static const Kind kKind = make_kind<OracleResult>(120);
  return kKind;
}

}  // namespace pcgs::results

namespace pcgs::studies {

namespace {

// Rows that tell how many of them were read.
class WatchedRows final : public LossRows {
 public:
  WatchedRows(const LossRows& rows, io::Advance advance)
      : rows_(rows), advance_(std::move(advance)) {}
  std::size_t rows() const override { return rows_.rows(); }
  std::size_t columns() const override { return rows_.columns(); }
  void read(std::size_t first, std::size_t count, double* out, std::size_t stride) const override {
    rows_.read(first, count, out, stride);
    const std::lock_guard lock(mutex_);
    advance_(count);
  }
  void read_column(std::size_t column, std::size_t first, std::size_t count,
                   double* out) const override {
    rows_.read_column(column, first, count, out);  // short work that shows no progress
  }

 private:
  const LossRows& rows_;
  mutable std::mutex mutex_;
  io::Advance advance_;
};

}  // namespace

LossFile open_losses(const std::string& path, const std::vector<std::string>& ignore) {
  LossFile file;
  if (io::has_npy_name(path)) {
    auto mapped = std::make_unique<io::NpyRows>(path, ignore);
    file.experts = mapped->names();
    file.losses = std::move(mapped);
    return file;
  }
  io::NumberTable table = io::read_table(
      path, {.ignore = ignore, .may_be_missing = [](std::string_view) { return true; }});
  file.experts = std::move(table.names);
  file.matrix = std::move(table.values);
  for (double& loss : file.matrix.values) {
    if (std::isnan(loss)) loss = std::numeric_limits<double>::infinity();
  }
  file.losses = std::make_unique<oracle::MatrixRows>(file.matrix);
  return file;
}

bool looks_like_forecasts(const LossRows& losses) {
  constexpr std::size_t kLookedAt = 1000, kEvidence = 20;
  const std::size_t rounds = std::min(losses.rows(), kLookedAt), k = losses.columns();
  if (rounds < kEvidence || k < 2) return false;
  std::vector<double> rows(rounds * k);
  losses.read(0, rounds, rows.data(), k);
  std::size_t alike = 0;
  for (std::size_t t = 0; t < rounds; ++t) {
    const auto row = std::span(rows).subspan(t * k, k);
    const auto [low, high] = std::minmax_element(row.begin(), row.end());
    const bool same_sign = *low > 0 || *high < 0;
    const double size = std::max(std::abs(*low), std::abs(*high));
    if (same_sign && size > 1 && *high - *low < 0.5 * size) ++alike;
  }
  return 10 * alike >= 9 * rounds;
}

std::optional<std::size_t> PathLimits::most() const {
  if (switches.empty()) return std::nullopt;
  return *std::max_element(switches.begin(), switches.end());
}

results::OracleResult sweep_oracle(const LossRows& losses, const PathLimits& limits,
                                   std::size_t threads, const io::Monitor& monitor) {
  results::OracleResult result;
  result.rounds = losses.rows();
  result.experts = losses.columns();
  result.switch_cost = limits.switch_cost;
  const auto most = limits.most();
  const std::size_t unlimited = limits.switch_cost ? 1 : 0;
  const std::size_t sweeps = (most ? 1U : 0U) + unlimited;
  const WatchedRows watched(losses, monitor("oracle", sweeps * losses.rows()));
  const auto start = std::chrono::steady_clock::now();
  std::vector<double> frontier;
  if (most) frontier = switching_oracle(watched, *most, threads, limits.switch_cost.value_or(0));
  if (limits.switch_cost) {
    const SwitchingPath any = unlimited_path(watched, *limits.switch_cost);
    result.unlimited = {results::finite(any.loss), any.switches};
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  result.seconds = std::max(spent.count(), 1e-9);
  // T K (S + 1), with S at most T - 1: the rest is not swept. Without a budget T K.
  const std::size_t rows = (most ? std::min(*most, result.rounds - 1) + 1 : 0) + unlimited;
  const double states = static_cast<double>(result.rounds) * static_cast<double>(result.experts) *
                        static_cast<double>(rows);
  result.states_per_second = states / result.seconds;
  for (const std::size_t s : limits.switches) {
    if (result.values.find(s) != nullptr) continue;
    const auto value = results::finite(frontier[s]);
    // Values only fall, so the first that is as good is the fewest.
    const auto fewest = std::lower_bound(frontier.begin(), frontier.end(), frontier[s],
                                         [](double a, double b) { return a > b; });
    result.values.at_budgets.emplace_back(s, value);
    result.switches_used.at_budgets.emplace_back(
        s,
        value ? std::optional(static_cast<std::size_t>(fewest - frontier.begin())) : std::nullopt);
  }
  return result;
}

SwitchingPath find_path(const LossRows& losses, const PathLimits& limits, std::size_t memory,
                        std::size_t threads, const io::Monitor& monitor) {
  const WatchedRows watched(losses, monitor("path", losses.rows()));
  const double cost = limits.switch_cost.value_or(0);
  const auto most = limits.most();
  return most ? switching_path(watched, *most, memory, threads, cost)
              : unlimited_path(watched, cost);
}

std::string oracle_table(const results::OracleResult& oracle, const std::string& origin) {
  io::TextTable table{
      fmt::format("{}: {} rounds, {} experts", origin, oracle.rounds, oracle.experts),
      {"switches", "used", "loss", "per round"},
      {},
      0};
  const auto add = [&](const std::string& budget, const std::optional<double>& value,
                       std::size_t used) {
    if (!value) {
      table.rows.push_back({budget, "-", "none", "none"});
      return;
    }
    table.rows.push_back({budget, fmt::format("{}", used), fmt::format("{:.6f}", *value),
                          fmt::format("{:.6f}", *value / static_cast<double>(oracle.rounds))});
  };
  for (const auto& [switches, value] : oracle.values.at_budgets) {
    add(std::to_string(switches), value, oracle.switches_used.at(switches).value_or(0));
  }
  if (oracle.unlimited) add("any", oracle.unlimited->value, oracle.unlimited->switches_used);
  if (oracle.switch_cost) {
    table.caption += fmt::format(", {:g} for every switch", *oracle.switch_cost);
    table.head[2] = "loss and cost";
  }
  return text(table) + fmt::format("\n{:.3g} states in {:.3g} s: {:.3g} a second\n",
                                   oracle.states_per_second * oracle.seconds, oracle.seconds,
                                   oracle.states_per_second);
}

void write_path(WholeFile& file, const SwitchingPath& path,
                const std::vector<std::string>& experts) {
  std::vector<std::string> fields;  // [K]
  for (const auto& name : experts) fields.push_back(csv_field(name));
  file.write("round,expert,switched\n");
  fmt::memory_buffer line;
  for (std::size_t t = 0; t < path.experts.size(); ++t) {
    const bool switched = t > 0 && path.experts[t] != path.experts[t - 1];
    line.clear();
    fmt::format_to(std::back_inserter(line), "{},{},{}\n", t + 1, fields[path.experts[t]],
                   switched ? 1 : 0);
    file.write(line.data(), line.size());
  }
}

}  // namespace pcgs::studies
