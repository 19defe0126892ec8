#include "show/markup.h"

#include <gtest/gtest.h>

namespace pcgs::report {
namespace {

TEST(Markup, EscapesWhateverHasAMeaning) {
  EXPECT_EQ(escaped("<script>alert(\"1\" & '2')</script>"),
            "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;");
  EXPECT_EQ(escaped("naïve 🦊"), "naïve 🦊");
}

TEST(Markup, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(escaped("a\xff"
                    "b"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Markup, JsonCannotEndItsElement) {
  const nlohmann::ordered_json value = {{"</script><b>", "<!-- \"quotes\" -->"}};
  const std::string text = script_json(value);
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::ordered_json::parse(text), value);
}

TEST(Markup, CodeCannotEndItsElement) {
  EXPECT_EQ(script_code("x = '</script>' + '<!--' + a</b;"),
            "x = '<\\/script>' + '<\\!--' + a</b;");
}

}  // namespace
}  // namespace pcgs::report
