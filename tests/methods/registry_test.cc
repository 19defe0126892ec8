#include "pcgs/registry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "support/expect.h"
#include "support/options.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

using test::error_of;
using test::mentions;

using Specs = std::vector<std::string>;

TEST(Registry, HasTheMethodsOfTheDesign) {
  std::set<std::string> names;
  for (const MethodInfo& method : registered_methods()) names.emplace(method.name);
  for (const char* name : {"hedge", "fixed-share", "variable-share", "genshare", "learn-alpha",
                           "past-posteriors", "adahedge", "squint", "ml-poly", "boa", "pcgs-tf",
                           "pcgs-tf:oracle", "pcgs-tf:combine", "guard", "blend"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
  EXPECT_EQ(names.size(), registered_methods().size()) << "no name twice";
  EXPECT_EQ(names.count(std::string(kDefaultMethod)), 1u);
}

TEST(Registry, DescribesEveryMethodAndOption) {
  for (const MethodInfo& method : registered_methods()) {
    EXPECT_FALSE(method.summary.empty()) << method.name;
    EXPECT_FALSE(method.source.empty()) << method.name;
    for (const Option& option : method.options) {
      SCOPED_TRACE(std::string(method.name) + " " + std::string(option.name));
      EXPECT_FALSE(option.meaning.empty());
      if (option.kind == Option::Kind::kText) continue;
      EXPECT_LT(option.low, option.high);
      if (option.kind != Option::Kind::kNumber) continue;
      EXPECT_LE(option.low, option.standard);
      EXPECT_LE(option.standard, option.high);
    }
  }
}

std::string with_option(const MethodInfo& method, const Option& option, double value) {
  return fmt::format("{}{{{}={}}}", method.name, option.name, value);
}

TEST(Registry, DefaultsAreWhatIsNotSaid) {
  for (const MethodInfo& method : registered_methods()) {
    const std::string name = make_method(method.name, 4)->name();
    for (const Option& option : method.options) {
      if (option.kind != Option::Kind::kNumber) continue;
      EXPECT_EQ(make_method(with_option(method, option, option.standard), 4)->name(), name);
    }
  }
}

TEST(Registry, NamesEveryOptionThatHasAValue) {
  for (const MethodInfo& method : registered_methods()) {
    const std::string name = make_method(method.name, 4)->name();
    EXPECT_EQ(name.rfind(method.name, 0), 0u) << name;
    for (const Option& option : method.options) {
      EXPECT_EQ(name.find(std::string(option.name) + "=") != std::string::npos,
                option.kind == Option::Kind::kNumber)
          << name;
    }
  }
  EXPECT_EQ(make_method("pcgs-tf:oracle{uniform=0.5,eta=16}", 4)->name(),
            "pcgs-tf:oracle{eta=16,uniform=0.5}");
}

TEST(Registry, TakesOptionsInAnyOrderAndSpelling) {
  for (const char* spec :
       {"fixed-share{eta=8,rho=0.003}", "fixed-share{rho=0.003,eta=8}",
        "fixed-share{rho=3e-3,eta=8.0}", " fixed-share { eta = 8 , rho = \"0.003\" } "}) {
    EXPECT_EQ(make_method(spec, 4)->name(), "fixed-share{eta=8,rho=0.003}");
  }
}

TEST(Registry, TakesDefaultsForTheOptionsLeftOut) {
  const std::string standard = make_method("fixed-share", 4)->name();
  const std::string eta = make_method("fixed-share{eta=8}", 4)->name();
  EXPECT_TRUE(mentions(eta, "eta=8,"));
  EXPECT_EQ(eta.substr(eta.find("rho")), standard.substr(standard.find("rho")));
}

TEST(Registry, KnowsTheMethodOfASpecAndItsTraits) {
  EXPECT_EQ(method_info("pcgs-tf:oracle{eta=16}").name, "pcgs-tf:oracle");
  EXPECT_EQ(method_info("guard{learned=0.3,model=\"a, b\"}").name, "guard");
  EXPECT_TRUE(method_info("pcgs-tf").traits.learned);
  EXPECT_TRUE(method_info("guard").traits.learned);
  EXPECT_FALSE(method_info("guard").traits.share_form);
  EXPECT_FALSE(method_info("hedge").traits.learned);
  for (const char* needs : {"pcgs-tf:combine", "blend{season=24}"}) {
    EXPECT_TRUE(method_info(needs).traits.needs_forecasts) << needs;
  }
  error_of([] { method_info("fixed-shear"); });
}

TEST(Registry, PutsAModelIntoLearnedMethodsOnly) {
  EXPECT_EQ(with_model("pcgs-tf", "a.b"), "pcgs-tf{model=a.b}");
  EXPECT_EQ(with_model("pcgs-tf:combine", "a.b"), "pcgs-tf:combine{model=a.b}");
  EXPECT_EQ(with_model("blend{season=24}", "a.b"), "blend{season=24,model=a.b}");
  EXPECT_EQ(with_model("guard{learned=0.30}", "a,b"), "guard{learned=0.30,model=\"a,b\"}");
  for (const char* same : {"hedge", "hedge{eta=2}", "pcgs-tf:oracle", "pcgs-tf{model=c}"}) {
    EXPECT_EQ(with_model(same, "a.b"), same);
  }
}

TEST(Registry, AcceptsBothEndsOfEveryRange) {
  for (const MethodInfo& method : registered_methods()) {
    for (const Option& option : method.options) {
      if (option.kind == Option::Kind::kText) continue;
      for (const double value : {option.low, option.high}) {
        EXPECT_NO_THROW(make_method(with_option(method, option, value), 3));
      }
    }
  }
}

TEST(Registry, RefusesValuesOutsideTheRangeAndSaysWhatItIs) {
  for (const MethodInfo& method : registered_methods()) {
    for (const Option& option : method.options) {
      if (option.kind == Option::Kind::kText) continue;
      for (const double value : {option.low - 1, option.high + 1}) {
        const std::string spec = with_option(method, option, value);
        SCOPED_TRACE(spec);
        EXPECT_TRUE(mentions(error_of([&] { make_method(spec, 3); }), std::string(option.name)));
      }
    }
  }
}

TEST(Registry, RefusesAnUnknownMethodAndListsTheKnown) {
  const std::string message = error_of([] { make_method("fixed-shear", 3); });
  EXPECT_TRUE(mentions(message, "fixed-shear"));
  for (const MethodInfo& method : registered_methods()) {
    EXPECT_TRUE(mentions(message, std::string(method.name)));
  }
  for (const char* spec : {"", "Hedge", " hedge{", "hedge ,boa"}) {
    SCOPED_TRACE(spec);
    error_of([&] { make_method(spec, 3); });
  }
}

TEST(Registry, RefusesAnUnknownOptionAndListsTheKnown) {
  const std::string message = error_of([] { make_method("fixed-share{alpha=0.1}", 3); });
  for (const char* part : {"alpha", "fixed-share", "eta", "rho"}) {
    EXPECT_TRUE(mentions(message, part));
  }
  EXPECT_TRUE(mentions(error_of([] { make_method("hedge{rho=0.1}", 3); }), "eta"));
}

TEST(Registry, RefusesWhatIsNoNumber) {
  for (const char* value : {"", "x", "1x", "nan", "inf", "-inf", "1 2", "0x", "--1"}) {
    const std::string spec = std::string("hedge{eta=") + value + "}";
    SCOPED_TRACE(spec);
    error_of([&] { make_method(spec, 3); });
  }
}

TEST(Registry, RefusesBrokenSyntax) {
  for (const char* spec :
       {"hedge{eta=2", "hedge}", "hedge{eta}", "hedge{=2}", "hedge{eta=2}x", "hedge{eta=2}{eta=2}",
        "hedge:", "hedge:eta", "hedge{{eta=2}}", "hedge{eta=2,eta=3}", "hedge{eta=2,}",
        "pcgs-tf{model=a,b}", "pcgs-tf{model=a{b}}", "pcgs-tf{model=\"a}", "pcgs-tf{model=\"a\"b}",
        "pcgs-tf{model=a\"b\"}"}) {
    SCOPED_TRACE(spec);
    error_of([&] { make_method(spec, 3); });
  }
}

TEST(Registry, RefusesToCombineNobody) {
  for (const MethodInfo& method : registered_methods()) {
    SCOPED_TRACE(method.name);
    error_of([&] { make_method(method.name, 0); });
  }
}

TEST(Registry, SplitsSpecsAtCommasOutsideBraces) {
  EXPECT_EQ(split_specs("a,b{x=1,y=2},c"), (Specs{"a", "b{x=1,y=2}", "c"}));
  EXPECT_EQ(split_specs("hedge"), Specs{"hedge"});
  EXPECT_EQ(split_specs("b{x=1,y=2}"), Specs{"b{x=1,y=2}"});
  EXPECT_EQ(split_specs("a{x=\"}, {\"},c"), (Specs{"a{x=\"}, {\"}", "c"}));
}

TEST(Registry, LoadsWhatAnAggregatorSaved) {
  const test::TempDir dir;
  Aggregator saved =
      make_aggregator("fixed-share{eta=8,rho=0.003}", 3, test::scaled(LossScale::fixed(2)));
  saved.learn(std::vector<double>{0, 1, 2});
  saved.save(dir / "a.state");
  const Aggregator loaded = load_aggregator(dir / "a.state");
  EXPECT_EQ(loaded.method().name(), "fixed-share{eta=8,rho=0.003}");
  EXPECT_EQ(loaded.experts(), 3u);
  EXPECT_EQ(loaded.scale().value(LossSource::kGiven), 2);
  EXPECT_EQ(loaded.save_bytes(), saved.save_bytes());
  EXPECT_TRUE(mentions(error_of([&] { load_aggregator(dir / "b.state"); }), dir / "b.state"));
}

}  // namespace
}  // namespace pcgs
