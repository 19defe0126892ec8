#include "interval_options.h"

#include <fmt/format.h>

#include "arrays.h"
#include "pcgs/error.h"

namespace pcgs::python {

std::vector<std::size_t> seasons_of(const py::object& season) {
  constexpr std::int64_t kLongest = 262144;
  const auto rounds = [](py::handle one) {
    return static_cast<std::size_t>(count_of(one, "season", 2, kLongest));
  };
  if (!py::isinstance<py::iterable>(season)) return {rounds(season)};
  std::vector<std::size_t> seasons;
  for (const py::handle one : season) seasons.push_back(rounds(one));
  if (seasons.size() > 2 || (seasons.size() == 2 && seasons[0] >= seasons[1])) {
    throw Error(fmt::format("season is {}; give one number of rounds, or two, the shorter first",
                            std::string(py::repr(season))));
  }
  return seasons;
}

std::optional<IntervalOptions> interval_options(const py::object& levels) {
  IntervalOptions options;
  if (py::isinstance<py::float_>(levels) || py::isinstance<py::int_>(levels)) {
    options.levels = {number_of(levels, "intervals")};
    return options;
  }
  const Row row = row_of(levels, "intervals");
  if (row.values.empty()) return std::nullopt;
  options.levels.assign(row.values.begin(), row.values.end());
  return options;
}

}  // namespace pcgs::python
