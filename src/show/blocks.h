// Text and JSON as parts of an HTML page. Whatever a name holds, it stays text.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "show/curves.h"
#include "show/table.h"

namespace pcgs::report {

// For text between tags and inside quoted attributes. What is not UTF-8 gets replacement signs.
std::string escaped(std::string_view text);
// For a <script type="application/json">: no sign in it can end the element.
std::string script_json(const ordered_json& value);
// For a <script>: the code does the same and cannot end the element.
std::string script_code(std::string_view code);

// What a page consists of, and how that is written as HTML. The scripts of web/ draw the charts and
// make the rest come alive; without them, texts and tables are all there.

struct Paragraph {
  std::string text;
  bool leading = false;  // the sentence to read if only one is read
};

using show::Cell;
using show::number;
using show::Table;
using show::whole;

// A time that is not broken into lines.
std::string unbroken(const std::string& time);

// A few numbers that stand for the whole, large.
struct Figures {
  struct One {
    Cell number;
    std::string meaning;
  };
  std::vector<One> all;
};

// The data and texts of a chart, and which template of web/charts draws it. The data are groups:
// objects whose arrays go row by row and whose other values are the same in each of those rows.
struct Chart {
  std::string id{}, title{};
  std::string note{};                            // how to read it
  std::string alternative{};                     // what it shows, for those who do not see it
  std::string uses{};                            // the template, such as "lines"
  ordered_json values = ordered_json::object();  // of its placeholders that are not as usual
  ordered_json groups = ordered_json::array();
  ordered_json datasets = nullptr;  // further groups, by name
  int height = 260;
  bool canvas = false;                    // for many marks
  std::string window = {};                // of time, that it follows
  std::optional<Calendar> calendar = {};  // of its rounds and ends, which are units of it then

  // A curve under its name in the legend, with what is the same in all of its rows.
  void add_line(const std::string& name, const Points& points,
                ordered_json same = ordered_json::object());
};

// A chart of these rounds.
Chart over_time(const char* uses, std::string id, const AxisRange& range);

struct Block;

// One of several, chosen by the reader.
struct Choice {
  struct Option {
    std::string name;
    std::vector<Block> blocks;
  };
  std::string id, label;
  std::vector<Option> options;
};

// A part of time, chosen by the reader with a brush over the chart or with sliders.
struct Window {
  std::string id;
  Chart overview;
};

// Where the reader chooses a part of what this chart shows, which follows.
Window time_window(const Chart& chart, const char* of_what);

struct Block : std::variant<Paragraph, Figures, Table, Chart, Choice, Window> {
  using variant::variant;
};

struct Section {
  std::string id, title;
  std::vector<Block> blocks;
};

std::string html(const Section& section);

}  // namespace pcgs::report
