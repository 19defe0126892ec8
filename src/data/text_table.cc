#include "data/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/csv.h"

namespace pcgs::io {

namespace {

// How many columns a terminal gives it: every byte but UTF-8's continuations.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string padding(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, width_of(text)), ' ');
}

std::string typeset(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "±") == 0) {
      out += "$\\pm$";
      ++i;
    } else if (std::string("&%$#_{}").find(text[i]) != std::string::npos) {
      out += std::string("\\") + text[i];
    } else if (text[i] == '\\') {
      out += "\\textbackslash{}";
    } else if (text[i] == '~' || text[i] == '^') {
      out += std::string("\\") + text[i] + "{}";
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string text(const TextTable& table) {
  std::vector<std::size_t> width(table.head.size());
  const auto widen = [&](const std::vector<std::string>& row) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], width_of(row[c]));
  };
  widen(table.head);
  for (const auto& row : table.rows) widen(row);

  std::string out = table.caption.empty() ? "" : table.caption + "\n\n";
  const auto put = [&](const std::vector<std::string>& row) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad = padding(row[c], width[c]);
      const bool last = c + 1 == row.size();
      out += c > 0 ? "  " : "";
      out += c < table.left ? row[c] + (last ? "" : pad) : pad + row[c];
    }
    out += '\n';
  };
  if (!table.head.empty()) put(table.head);
  for (const auto& row : table.rows) put(row);
  return out;
}

std::string csv(const TextTable& table) {
  std::string out;
  const auto put = [&](const std::vector<std::string>& row) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) out += ',';
      out += csv_field(row[c]);
    }
    out += '\n';
  };
  put(table.head);
  for (const auto& row : table.rows) put(row);
  return out;
}

std::string latex(const TextTable& table, const std::string& label) {
  std::string out = "\\begin{table}[t]\n\\centering\n\\small\n\\begin{tabular}{l" +
                    std::string(table.head.size() - 1, 'r') + "}\n\\toprule\n";
  const auto put = [&](const std::vector<std::string>& row) {
    for (std::size_t c = 0; c < row.size(); ++c) out += (c > 0 ? " & " : "") + typeset(row[c]);
    out += " \\\\\n";
  };
  put(table.head);
  out += "\\midrule\n";
  for (const auto& row : table.rows) put(row);
  return out + fmt::format(
                   "\\bottomrule\n\\end{{tabular}}\n\\caption{{{}}}\n\\label{{tab:{}}}\n"
                   "\\end{{table}}\n",
                   typeset(table.caption), label);
}

std::string counted(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string time_text(double ns) {
  if (ns < 1e4) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e7) return fmt::format("{:.0f} us", ns / 1e3);
  return fmt::format("{:.0f} ms", ns / 1e6);
}

}  // namespace pcgs::io
