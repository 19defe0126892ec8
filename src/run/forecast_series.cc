#include "run/forecast_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/number_table.h"
#include "data/times.h"
#include "data/whole_file.h"
#include "pcgs/error.h"
#include "pcgs/state.h"

namespace pcgs::compare {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// When the round after the last row will be.
void add_coming_time(Problem& problem, double step) {
  auto& times = *problem.times;
  const double next = times.at.back() + step;
  times.at.push_back(next);
  times.text.add(step == 0        ? std::string()
                 : times.calendar ? io::date_text(next)
                                  : fmt::format("{}", next));
}

std::vector<std::string> joined_names(const ExpertPool& pool, const Problem& series) {
  std::vector<std::string> names = pool.names();
  for (const auto& name : series.experts) {
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw Error(fmt::format("{}: column {} has the name of an expert of the pool; rename it",
                              series.origin, name));
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace

Problem read_series(const std::string& path, const SeriesColumns& columns) {
  const auto& own = columns.forecasts;
  if (std::find(own.begin(), own.end(), columns.column) != own.end()) {
    throw Error(fmt::format("{} is what is forecast; leave it out of --forecasts", columns.column));
  }
  io::TableRequest request;
  request.keep = {columns.column};
  request.keep.insert(request.keep.end(), own.begin(), own.end());
  request.may_be_missing = [](std::string_view) { return true; };
  request.format = columns.format;
  request.note = [&](const std::string& sentence) {
    if (columns.tell) columns.tell({NoteKind::kReading, sentence});
  };
  if (columns.time.empty()) {
    request.find_times = true;
  } else {
    request.text = {columns.time};
  }
  io::NumberTable table = io::read_table(path, request);
  if (!columns.time.empty()) table.times = std::move(table.texts.front());

  Problem series;
  series.origin = path == "-" ? "standard input" : path;
  series.experts = own;
  series.values = Matrix(table.values.rows, own.size());
  for (std::size_t t = 0; t < table.values.rows; ++t) {
    const auto row = table.values.row(t);
    series.outcomes.push_back(row[0]);
    std::copy(row.begin() + 1, row.end(), series.values.row(t).begin());
  }
  if (series.known() == 0) {
    throw Error(
        fmt::format("{}: column {} holds no value; give a series", series.origin, columns.column));
  }
  if (table.times) series.times = io::read_times(std::move(*table.times), series.origin);
  return series;
}

void let_forecast(Problem& series, const std::string& column, ExpertPool& pool, const Clock* before,
                  const std::function<void(std::size_t)>& advance) {
  const std::size_t rows = series.rounds(), known = series.known(), own = series.experts.size();
  const double step = series.times ? usual_step(series, before) : 0;
  std::vector<std::string> names = joined_names(pool, series);
  Matrix values(rows + 1, names.size());
  std::vector<std::uint8_t> after_known;
  for (std::size_t t = 0; t <= rows; ++t) {
    if (t == known) after_known = pool.save_bytes();
    // Rows that are missing are gaps to the pool.
    for (std::int64_t i = 0; t < rows && !series.missing.empty() && i < series.missing[t]; ++i) {
      pool.observe(kUnknown);
    }
    const auto row = values.row(t);
    pool.forecast(row.first(pool.size()));
    if (t < rows) {
      std::copy_n(series.values.row(t).begin(), own,
                  row.begin() + static_cast<std::ptrdiff_t>(pool.size()));
      try {
        pool.observe(series.outcomes[t]);
      } catch (const Error& wrong) {
        throw Error(fmt::format("{}: row {}, column {}: {}", series.origin, series.file_row(t),
                                column, wrong.what()));
      }
      if (advance) advance(1);
    } else {
      std::fill(row.begin() + static_cast<std::ptrdiff_t>(pool.size()), row.end(), kUnknown);
    }
  }
  pool.load_bytes(after_known, series.origin);
  series.experts = std::move(names);
  series.values = std::move(values);
  series.outcomes.push_back(kUnknown);
  if (!series.rows.empty()) series.rows.push_back(rows > 0 ? series.rows.back() + 1 : 1);
  if (!series.missing.empty()) series.missing.push_back(0);
  if (series.times && rows > 0) add_coming_time(series, step);
}

namespace {

std::uint64_t kind_of_file() { return architecture_hash("a pool and its aggregator", 0); }

}  // namespace

std::vector<std::uint8_t> ForecastState::file() const {
  StateWriter out;
  for (const auto* part : {&pool, &aggregator}) {
    out.u64(part->size());
    out.bytes(*part);
  }
  out.u64(seasons.size());
  for (const std::size_t season : seasons) out.u64(season);
  return out.file(kind_of_file());
}

ForecastState ForecastState::load(const std::string& path) {
  const auto bytes = read_whole_file(path);
  StateReader in(bytes, path);
  if (in.architecture() != kind_of_file()) in.fail("pcgs forecast did not save it");
  ForecastState state;
  for (auto* part : {&state.pool, &state.aggregator}) {
    part->resize(in.count(1));
    in.bytes(*part);
  }
  state.seasons.resize(in.count(sizeof(std::uint64_t)));
  for (std::size_t& season : state.seasons) season = in.u64();
  in.finish();
  return state;
}

}  // namespace pcgs::compare
