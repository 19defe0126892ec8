#include "show/markup.h"

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

}  // namespace pcgs::report
