#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "data/numbers.h"
#include "pcgs/error.h"
#include "proof/trace_file.h"

namespace pcgs::io {

namespace {

constexpr std::array<std::string_view, 10> kColumns = {
    "method", "round",    "mixture_loss", "learner_loss", "eta",
    "rho",    "mix_loss", "gap",          "scale",        "forecast_loss"};
// Traces of version 0.1 end here: their losses had one scale that was not written down.
constexpr std::size_t kFirstColumns = 8;
constexpr std::array<std::string_view, 3> kKinds = {"weight:", "loss:", "q:"};

std::size_t columns_in(std::span<const std::string> header) {
  return header.size() > kFirstColumns && header[kFirstColumns] == kColumns[kFirstColumns]
             ? kColumns.size()
             : kFirstColumns;
}

// The names of the experts; none if the columns are not those of a trace.
std::vector<std::string> experts_in(std::span<const std::string> header) {
  const std::size_t columns = columns_in(header);
  if (header.size() <= columns || (header.size() - columns) % kKinds.size() != 0 ||
      !std::equal(kColumns.begin(), kColumns.begin() + columns, header.begin())) {
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
    : csv_(text, origin),
      columns_(columns_in(csv_.header())),
      experts_(experts_in(csv_.header())),
      numbers_(3 * experts_.size()) {
  if (experts_.empty()) {
    throw Error(fmt::format("{}: is not a trace; give a file that pcgs run --trace wrote", origin));
  }
}

bool TraceReader::looks_like_trace(std::string_view text) {
  return text.starts_with("method,round,mixture_loss,");
}

double TraceReader::number_at(std::size_t field) const {
  const Number number = parse_number(csv_.fields()[field]);
  if (number.kind != NumberKind::kFinite) {
    throw Error(fmt::format("{}: holds no finite number; give a trace as pcgs run --trace wrote it",
                            csv_.position(field)));
  }
  return number.value;
}

void TraceReader::require_empty(std::size_t field) const {
  if (csv_.fields()[field].empty()) return;
  throw Error(fmt::format(
      "{}: holds something in a row without eta; give a trace as pcgs run --trace wrote it",
      csv_.position(field)));
}

bool TraceReader::next() {
  if (!csv_.next()) return false;
  const auto fields = csv_.fields();
  method_ = fields[0];
  const bool share_form = !fields[4].empty();  // has an eta
  const std::size_t experts = experts_.size();
  const double round = number_at(1);
  if (!(round >= 0 && round < 9e15) || round != std::floor(round)) {
    throw Error(
        fmt::format("{}: is not the number of a round; give a trace as pcgs run --trace "
                    "wrote it",
                    csv_.position(1)));
  }
  row_.round.number = static_cast<std::int64_t>(round);
  row_.round.mixture_loss = number_at(2);
  row_.round.learner_loss = number_at(3);
  if (columns_ > kFirstColumns) {
    row_.round.scale = number_at(8);
    if (!(row_.round.scale > 0)) {
      throw Error(
          fmt::format("{}: is no scale of losses; give a trace as pcgs run --trace wrote it",
                      csv_.position(8)));
    }
    row_.forecast_loss = fields[9].empty() ? TraceRow::kNoForecast : number_at(9);
  }
  awake_.assign(experts, 1);
  bool all_awake = true;
  const std::size_t given = (share_form ? 3 : 2) * experts;
  if (!share_form) {
    for (std::size_t field = 5; field < 8; ++field) require_empty(field);
    for (std::size_t i = given; i < 3 * experts; ++i) require_empty(columns_ + i);
  }
  for (std::size_t i = 0; i < given; ++i) {
    if (i / experts == 1 && fields[columns_ + i].empty()) {
      numbers_[i] = row_.sleeper_loss();
      awake_[i - experts] = 0;
      all_awake = false;
    } else {
      numbers_[i] = number_at(columns_ + i);
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

}  // namespace pcgs::io
