// What a page consists of, and how that is written as HTML. web/report.js draws the charts and
// makes the rest come alive; without it, texts and tables are all there.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

namespace pcgs::report {

struct Paragraph {
  std::string text;
  bool leading = false;  // the sentence to read if only one is read
};

struct Cell {
  std::string text;
  std::string exact{};  // the whole number, for whoever copies it; empty: the text is all there is
};
// `format` is that of fmt, such as "{:.3f}". A number that is not finite is "none".
Cell number(double x, const char* format);
// null is "none".
Cell number(const nlohmann::ordered_json& x, const char* format);

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

// A Vega-Lite specification without data, size and theme. The data are groups: objects whose arrays
// go row by row and whose other values are the same in each of those rows.
struct Chart {
  std::string id, title;
  std::string note;         // how to read it
  std::string alternative;  // what it shows, for those who do not see it
  nlohmann::ordered_json spec;
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  nlohmann::ordered_json datasets = nullptr;  // further groups, by name
  int height = 260;
  bool canvas = false;      // for many marks
  std::string window = {};  // of time, that it follows
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
