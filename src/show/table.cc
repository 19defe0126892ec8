#include "show/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/text.h"

namespace pcgs::show {

Cell number(double x, const char* format) {
  if (!std::isfinite(x)) return missing();
  return {fmt::format(fmt::runtime(format), x), fmt::format("{}", x)};
}

Cell number(const std::optional<double>& x, const char* format) {
  return x ? number(*x, format) : missing();
}

Cell whole(std::size_t x) { return {std::to_string(x), std::to_string(x)}; }

Cell share(const std::optional<double>& x, const char* format) {
  Cell cell = number(x, "{}");
  if (!cell.missing) cell.text = fmt::format(fmt::runtime(format), 100 * *x);
  return cell;
}

Cell difference(const std::optional<double>& x) { return number(x, "{:+.1f} %"); }

Cell fixed(const std::optional<double>& x, int decimals) {
  Cell cell = number(x, "{}");
  if (cell.missing) return cell;
  // Further digits would be wider than a phone.
  cell.text = std::abs(*x) < 1e9 ? fmt::format("{:.{}f}", *x, decimals) : fmt::format("{:.4g}", *x);
  return cell;
}

int decimals_for(double x, int digits) {
  if (!std::isfinite(x) || x == 0) return 0;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(x)))), 0, 9);
}

void Table::drop_empty_columns() {
  for (std::size_t i = head.size(); i-- > 0;) {
    const bool empty = std::ranges::all_of(
        rows, [&](const auto& row) { return row[i].text.empty() && !row[i].missing; });
    if (!empty || !head[i].wide) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    head.erase(head.begin() + at);
    for (auto& row : rows) row.erase(row.begin() + at);
  }
}

void Table::bring_forward(std::initializer_list<std::string_view> keys) {
  auto to = static_cast<std::ptrdiff_t>(left);
  for (const auto key : keys) {
    const auto from = std::ranges::find(head, key, &Column::key) - head.begin();
    if (from < to || from == std::ssize(head)) continue;
    const auto move = [&](auto& all) {
      std::rotate(all.begin() + to, all.begin() + from, all.begin() + from + 1);
    };
    move(head);
    for (auto& row : rows) move(row);
    ++to;
  }
}

std::string text(const Table& table) {
  io::TextTable out{
      table.caption, {}, std::vector<std::vector<std::string>>(table.rows.size()), table.left};
  for (std::size_t i = 0; i < table.head.size(); ++i) {
    if (table.head[i].wide) continue;
    out.head.push_back(table.head[i].name);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const Cell& cell = table.rows[r][i];
      out.rows[r].push_back(cell.missing ? "-" : cell.text);
    }
  }
  return text(out);
}

}  // namespace pcgs::show
