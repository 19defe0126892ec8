// What a page consists of, and how that is written as HTML. The scripts of web/ draw the charts and
// make the rest come alive; without them, texts and tables are all there.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "show/time_axis.h"

namespace pcgs::report {

using nlohmann::ordered_json;

struct Paragraph {
  std::string text;
  bool leading = false;  // the sentence to read if only one is read
};

struct Cell {
  std::string text;
  std::string exact{};  // the whole number, for copying; empty: the text is all there is
};
// `format` is that of fmt, such as "{:.3f}". A number that is not finite is "none".
Cell number(double x, const char* format);
Cell number(const std::optional<double>& x, const char* format);
Cell whole(std::size_t x);
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

struct Table {
  struct Column {
    std::string name;
    std::string key{};  // where the number stands in the JSON
  };
  std::string id, caption;
  std::vector<Column> head;
  std::vector<std::vector<Cell>> rows;  // the first cell names the row
  std::vector<std::size_t> strong{};    // rows to look at
};

// The data and texts of a chart, and which template of web/charts draws it. The data are groups:
// objects whose arrays go row by row and whose other values are the same in each of those rows.
struct Chart {
  std::string id, title;
  std::string note;                              // how to read it
  std::string alternative;                       // what it shows, for those who do not see it
  std::string uses;                              // the template, such as "lines"
  ordered_json values = ordered_json::object();  // of its placeholders that are not as usual
  ordered_json groups = ordered_json::array();
  ordered_json datasets = nullptr;  // further groups, by name
  int height = 260;
  bool canvas = false;                    // for many marks
  std::string window = {};                // of time, that it follows
  std::optional<Calendar> calendar = {};  // of its rounds and ends, which are units of it then
};

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
  double first = 0, last = 0;
  Chart overview;
};

struct Block : std::variant<Paragraph, Figures, Table, Chart, Choice, Window> {
  using variant::variant;
};

struct Section {
  std::string id, title;
  std::vector<Block> blocks;
};

std::string html(const Section& section);

}  // namespace pcgs::report
