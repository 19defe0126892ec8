#include "show/blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/json.h"

namespace pcgs::report {

namespace {

// JSON's own writer knows which bytes are UTF-8.
std::string valid_utf8(std::string_view text) {
  return ordered_json::parse(io::json_text(std::string(text))).get<std::string>();
}

std::string replaced(std::string_view text, std::string_view sign, std::string_view by) {
  std::string out;
  for (std::size_t at; (at = text.find(sign)) != text.npos; text.remove_prefix(at + sign.size())) {
    out.append(text.substr(0, at)).append(by);
  }
  return out.append(text);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out = valid_utf8(text);
  for (const auto& [sign, name] :
       {std::pair{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}}) {
    out = replaced(out, sign, name);
  }
  return out;
}

std::string script_json(const ordered_json& value) {
  // A '<' is always inside a JSON string.
  return replaced(io::json_text(value), "<", "\\u003c");
}

std::string script_code(std::string_view code) {
  // These can only stand in strings and regular expressions, where the sign may be escaped.
  return replaced(replaced(code, "</script", "<\\/script"), "<!--", "<\\!--");
}

void Chart::add_line(const std::string& name, const Points& points, ordered_json same) {
  values["series"].push_back(name);
  same.update({{"series", name}, {"round", drawn(points.x)}, {"value", drawn(points.y)}});
  groups.push_back(std::move(same));
}

Chart over_time(const char* uses, std::string id, const AxisRange& range) {
  Chart chart;
  chart.uses = uses;
  chart.id = std::move(id);
  chart.canvas = true;
  chart.values = {{"first", range.first}, {"last", range.last}};
  chart.calendar = range.calendar;
  return chart;
}

Window time_window(const Chart& chart, const char* of_what) {
  Window window{chart.window, chart};
  Chart& overview = window.overview;
  overview.uses = "overview";
  overview.id = chart.window + "-overview";
  overview.window.clear();
  overview.title = fmt::format("Choose a part of the {}", of_what);
  overview.note = "Drag over the curves, or move the sliders; the charts below follow.";
  overview.height = 70;
  for (const char* other : {"axis", "zero"}) overview.values.erase(other);
  return window;
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

  // An element with what a cell says, and its exact value for copying.
  static std::string element(const char* tag, const char* scope, const Cell& cell) {
    const std::string exact =
        cell.exact.empty() ? "" : fmt::format(" data-value=\"{}\"", escaped(cell.exact));
    return fmt::format("<{0}{1}{2}>{3}</{0}>", tag, scope, exact,
                       cell.missing ? "none" : escaped(cell.text));
  }

  // A number and its sign of per cent stay on one line.
  static std::string words(std::string text) {
    for (std::size_t i = 0; (i = text.find(" %", i + 1)) != text.npos;) {
      if (text[i - 1] >= '0' && text[i - 1] <= '9') text.replace(i, 1, "\u00a0");
    }
    return escaped(text);
  }

  void operator()(const Paragraph& paragraph) {
    out += fmt::format("<p{}>{}</p>\n", paragraph.leading ? " class=\"lead\"" : "",
                       words(paragraph.text));
  }

  void operator()(const Figures& figures) {
    out += "<ul class=\"figures\">\n";
    for (const auto& one : figures.all) {
      out += fmt::format("<li>{}<span>{}</span></li>\n", element("b", "", one.number),
                         words(one.meaning));
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
      const bool strong = std::ranges::find(table.strong, r) != table.strong.end();
      out += strong ? "<tr class=\"best\">" : "<tr>";
      for (const Cell& cell : table.rows[r]) {
        const bool first = &cell == &table.rows[r].front();
        out += element(first ? "th" : "td", first ? " scope=\"row\"" : "", cell);
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
                       escaped(window.id), window.overview.values["first"].get<double>(),
                       window.overview.values["last"].get<double>());
    chart(window.overview, "chart overview");
    out += "</div>\n";
  }
};

}  // namespace

std::string unbroken(const std::string& time) {
  return replaced(replaced(time, "-", "\u2011"), " ", "\u00a0");
}

std::string html(const Section& section) {
  std::string out =
      fmt::format("<section id=\"{}\"><h2>{}</h2>\n", escaped(section.id), escaped(section.title));
  Writer{out}.add(section.blocks);
  return out + "</section>\n";
}

}  // namespace pcgs::report
