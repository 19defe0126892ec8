#include "show/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/json.h"

namespace pcgs::report {

namespace {

// JSON's own writer knows which bytes are UTF-8.
std::string valid_utf8(std::string_view text) {
  return nlohmann::ordered_json::parse(io::json_text(nlohmann::ordered_json(std::string(text))))
      .get<std::string>();
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string script_json(const nlohmann::ordered_json& value) {
  std::string out;
  for (const char c : io::json_text(value)) {
    if (c == '<') {
      out += "\\u003c";  // a '<' is always inside a JSON string
    } else {
      out += c;
    }
  }
  return out;
}

std::string script_code(std::string_view code) {
  // "</" and "<!" can only stand in strings and regular expressions, where the sign may be escaped.
  std::string out;
  out.reserve(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::string_view rest = code.substr(i);
    if (rest.starts_with("</script") || rest.starts_with("<!--")) {
      out += "<\\";
    } else {
      out += code[i];
    }
  }
  return out;
}

namespace {

struct Writer {
  std::string& out;

  void add(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      std::visit(*this,
                 static_cast<const std::variant<Paragraph, Figures, Table, Chart, Choice, Window>&>(
                     block));
    }
  }

  static std::string exact(const Cell& cell) {
    return cell.exact.empty() ? "" : fmt::format(" data-value=\"{}\"", escaped(cell.exact));
  }

  // A number and its sign of per cent stay on one line.
  static std::string words(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool per_cent =
          text.compare(i, 2, " %") == 0 && i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
      out += per_cent ? "\u00a0" : std::string(1, text[i]);
    }
    return escaped(out);
  }

  void operator()(const Paragraph& paragraph) {
    out += fmt::format("<p{}>{}</p>\n", paragraph.leading ? " class=\"lead\"" : "",
                       words(paragraph.text));
  }

  void operator()(const Figures& figures) {
    out += "<ul class=\"figures\">\n";
    for (const auto& one : figures.all) {
      out +=
          fmt::format("<li><b{}>{}</b><span>{}</span></li>\n", exact(one.number),
                      one.number.missing ? "none" : escaped(one.number.text), words(one.meaning));
    }
    out += "</ul>\n";
  }

  void operator()(const Table& table) {
    out += fmt::format(
        "<figure class=\"table\" id=\"{}\"><figcaption>{}</figcaption>\n<div class=\"scroll\" "
        "tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n<thead><tr>",
        escaped(table.id), escaped(table.caption), escaped(table.caption));
    for (const auto& column : table.head) {
      out += "<th scope=\"col\"";
      if (!column.key.empty()) out += fmt::format(" data-key=\"{}\"", escaped(column.key));
      out += fmt::format(">{}</th>", escaped(column.name));
    }
    out += "</tr></thead>\n<tbody>\n";
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const bool strong =
          std::find(table.strong.begin(), table.strong.end(), r) != table.strong.end();
      out += strong ? "<tr class=\"best\">" : "<tr>";
      bool first = true;
      for (const Cell& cell : table.rows[r]) {
        out += fmt::format("<{}{}>{}</{}>", first ? "th scope=\"row\"" : "td", exact(cell),
                           cell.missing ? "none" : escaped(cell.text), first ? "th" : "td");
        first = false;
      }
      out += "</tr>\n";
    }
    out += "</tbody></table></div></figure>\n";
  }

  void chart(const Chart& chart, const char* kind) {
    ordered_json data = {{"template", chart.uses},
                         {"values", chart.values},
                         {"groups", chart.groups},
                         {"height", chart.height}};
    if (!chart.datasets.is_null()) data["datasets"] = chart.datasets;
    if (chart.canvas) data["renderer"] = "canvas";
    if (chart.calendar) {
      data["calendar"] = {{"origin", chart.calendar->origin}, {"unit", chart.calendar->unit}};
    }
    out += fmt::format("<figure class=\"{}\" id=\"{}\"", kind, escaped(chart.id));
    if (!chart.window.empty()) out += fmt::format(" data-window=\"{}\"", escaped(chart.window));
    out += fmt::format(
        "><figcaption><h3>{}</h3><p>{}</p></figcaption>\n<div class=\"plot\" role=\"img\" "
        "aria-label=\"{}\"></div>\n<script type=\"application/json\">{}</script></figure>\n",
        escaped(chart.title), escaped(chart.note), escaped(chart.alternative), script_json(data));
  }

  void operator()(const Chart& one) { chart(one, "chart"); }

  void operator()(const Choice& choice) {
    out += fmt::format("<div class=\"choice\" id=\"{}\"><label>{} <select>", escaped(choice.id),
                       escaped(choice.label));
    for (const auto& option : choice.options) {
      out += fmt::format("<option>{}</option>", escaped(option.name));
    }
    out += "</select></label>\n";
    for (std::size_t i = 0; i < choice.options.size(); ++i) {
      out += i == 0 ? "<div class=\"option\">\n" : "<div class=\"option\" hidden>\n";
      add(choice.options[i].blocks);
      out += "</div>\n";
    }
    out += "</div>\n";
  }

  void operator()(const Window& window) {
    out += fmt::format("<div class=\"window\" id=\"{}\" data-first=\"{}\" data-last=\"{}\">\n",
                       escaped(window.id), window.first, window.last);
    chart(window.overview, "chart overview");
    out += "</div>\n";
  }
};

}  // namespace

std::string unbroken(const std::string& time) {
  std::string out;
  for (const char c : time) out += c == '-' ? "\u2011" : c == ' ' ? "\u00a0" : std::string(1, c);
  return out;
}

std::string html(const Section& section) {
  std::string out =
      fmt::format("<section id=\"{}\"><h2>{}</h2>\n", escaped(section.id), escaped(section.title));
  Writer{out}.add(section.blocks);
  return out + "</section>\n";
}

}  // namespace pcgs::report
