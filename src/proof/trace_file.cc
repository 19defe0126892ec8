#include "proof/trace_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data/csv.h"
#include "pcgs/error.h"
#include "pcgs/trace.h"

namespace pcgs {

namespace {

constexpr std::array<std::string_view, 10> kColumns = {
    "method", "round",    "mixture_loss", "learner_loss", "eta",
    "rho",    "mix_loss", "gap",          "scale",        "forecast_loss"};
constexpr std::array<std::string_view, 3> kKinds = {"weight:", "loss:", "q:"};

constexpr double kEmpty = std::numeric_limits<double>::quiet_NaN();

// What stands in the columns behind the round, in their order; kEmpty where there is nothing.
template <class Cell>
void each_cell(const TraceRow& row, const Cell& cell) {
  const Round& round = row.round;
  const std::size_t experts = row.played.size();
  const ShareStep* step = row.step;
  cell(round.mixture_loss);
  cell(round.learner_loss);
  for (double Controls::*const x : {&Controls::eta, &Controls::rho}) {
    cell(step != nullptr ? step->controls.*x : kEmpty);
  }
  for (double ShareStep::*const x : {&ShareStep::mix_loss, &ShareStep::gap}) {
    cell(step != nullptr ? step->*x : kEmpty);
  }
  cell(round.scale);
  cell(row.has_forecast() ? row.forecast_loss : kEmpty);
  for (const double w : row.played) cell(w);
  for (std::size_t k = 0; k < experts; ++k) cell(round.is_awake(k) ? round.losses[k] : kEmpty);
  const double uniform = 1.0 / static_cast<double>(experts);
  for (std::size_t k = 0; k < experts; ++k) {
    cell(step == nullptr ? kEmpty : step->controls.q.empty() ? uniform : step->controls.q[k]);
  }
}

class CsvSink final : public TraceSink {
 public:
  CsvSink(WholeFile& file, std::string_view method) : file_(file), method_(csv_field(method)) {}

  void record(const TraceRow& row) override {
    line_.clear();
    const auto out = fmt::appender(line_);
    fmt::format_to(out, "{},{}", method_, row.round.number);
    each_cell(row, [&](double x) {
      line_.push_back(',');
      // The shortest digits that read back to the same double.
      if (!std::isnan(x)) fmt::format_to(out, "{}", x);
    });
    line_.push_back('\n');
    file_.write(line_.data(), line_.size());
  }

 private:
  WholeFile& file_;
  fmt::memory_buffer line_;
  std::string method_;
};

}  // namespace

TraceFile::TraceFile(WholeFile& file, std::span<const std::string> experts) : file_(file) {
  std::string header = fmt::format("{}", fmt::join(kColumns, ","));
  for (const std::string_view kind : kKinds) {
    for (const auto& name : experts) header += ',' + csv_field(std::string(kind) + name);
  }
  file_.write(header + '\n');
}

std::unique_ptr<TraceSink> TraceFile::sink(std::string_view method) {
  return std::make_unique<CsvSink>(file_, method);
}

void Trace::record(const TraceRow& row) {
  Row& kept = rows_.emplace_back();
  kept.round = row.round.number;
  kept.weights.assign(row.played.begin(), row.played.end());
  kept.losses.assign(row.round.losses.begin(), row.round.losses.end());
  kept.mixture_loss = row.round.mixture_loss;
  kept.learner_loss = row.round.learner_loss;
  kept.scale = row.round.scale;
  kept.forecast_loss = row.forecast_loss;
  if (row.step == nullptr) return;
  const auto& [eta, rho, q] = row.step->controls;
  kept.eta = eta;
  kept.rho = rho;
  kept.q.assign(q.begin(), q.end());
  if (q.empty()) kept.q.assign(row.played.size(), 1.0 / static_cast<double>(row.played.size()));
  kept.mix_loss = row.step->mix_loss;
  kept.gap = row.step->gap;
}

}  // namespace pcgs

namespace pcgs::io {

namespace {

// The names of the experts; none if the columns are not those of a trace.
std::vector<std::string> experts_in(std::span<const std::string> header) {
  const std::size_t columns = kColumns.size();
  if (header.size() <= columns || (header.size() - columns) % kKinds.size() != 0 ||
      !std::equal(kColumns.begin(), kColumns.end(), header.begin())) {
    return {};
  }
  const std::size_t experts = (header.size() - columns) / kKinds.size();
  std::vector<std::string> names;
  for (std::size_t k = 0; k < experts; ++k) {
    if (!header[columns + k].starts_with(kKinds[0])) return {};
    const std::string& name = names.emplace_back(header[columns + k].substr(kKinds[0].size()));
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      if (header[columns + kind * experts + k] != std::string(kKinds[kind]) + name) return {};
    }
  }
  return names;
}

}  // namespace

TraceReader::TraceReader(std::string_view text, const std::string& origin)
    : origin_(origin),
      csv_(text, origin),
      experts_(experts_in(csv_.header())),
      numbers_(3 * experts_.size()) {
  if (experts_.empty()) {
    throw Error(ErrorKind::kFormat, {.file = origin},
                "is not a trace; expected a file that pcgs run --trace wrote");
  }
}

bool TraceReader::looks_like_trace(std::string_view text) {
  return text.starts_with("method,round,mixture_loss,");
}

void TraceReader::refuse(std::size_t field, std::string_view what) const {
  throw Error(
      ErrorKind::kValue,
      {.file = origin_, .row = csv_.row(), .line = csv_.line(), .column = csv_.header()[field]},
      fmt::format("{}; give a trace as pcgs run --trace wrote it", what));
}

double TraceReader::number_at(std::size_t field) const {
  const Number number = parse_number(csv_.fields()[field]);
  if (number.kind != NumberKind::kFinite) {
    refuse(field, "holds no finite number");
  }
  return number.value;
}

void TraceReader::require_empty(std::size_t field) const {
  if (csv_.fields()[field].empty()) return;
  refuse(field, "holds something in a row without eta");
}

bool TraceReader::next() {
  if (!csv_.next()) return false;
  const auto fields = csv_.fields();
  method_ = fields[0];
  const bool share_form = !fields[4].empty();  // has an eta
  const std::size_t experts = experts_.size();
  const double round = number_at(1);
  if (!(round >= 0 && round < 9e15) || round != std::floor(round)) {
    refuse(1, "is not the number of a round");
  }
  row_.round.number = static_cast<std::int64_t>(round);
  row_.round.mixture_loss = number_at(2);
  row_.round.learner_loss = number_at(3);
  row_.round.scale = number_at(8);
  if (!(row_.round.scale > 0)) {
    refuse(8, "is not a scale of losses");
  }
  row_.forecast_loss = fields[9].empty() ? TraceRow::kNoForecast : number_at(9);

  awake_.assign(experts, 1);
  bool all_awake = true;
  const std::size_t given = (share_form ? 3 : 2) * experts;
  if (!share_form) {
    for (std::size_t field = 5; field < 8; ++field) require_empty(field);
    for (std::size_t i = given; i < 3 * experts; ++i) require_empty(kColumns.size() + i);
  }
  for (std::size_t i = 0; i < given; ++i) {
    if (i / experts == 1 && fields[kColumns.size() + i].empty()) {
      numbers_[i] = row_.sleeper_loss();
      awake_[i - experts] = 0;
      all_awake = false;
    } else {
      numbers_[i] = number_at(kColumns.size() + i);
    }
  }
  row_.round.awake = all_awake ? std::span<const std::uint8_t>() : awake_;
  const std::span<const double> all(numbers_);
  row_.played = all.first(experts);
  row_.round.losses = all.subspan(experts, experts);
  row_.step = nullptr;
  if (share_form) {
    step_ = {{number_at(4), number_at(5), all.subspan(2 * experts, experts)},
             number_at(6),
             number_at(7)};
    row_.step = &step_;
  }
  return true;
}

void TraceFingerprint::add(const TraceRow& row) {
  ++rows_;
  hash_.add(static_cast<std::uint64_t>(row.round.number));
  each_cell(row, [&](double x) { hash_.add(x); });
}

}  // namespace pcgs::io
