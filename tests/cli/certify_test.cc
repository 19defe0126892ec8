// pcgs run --certificate and pcgs certify.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"
#include "research/suite.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs::test {
namespace {

using json = nlohmann::ordered_json;

class Certify : public ProgramTest {
 protected:
  Certify() {
    csv("losses.csv", "a,b,c,d", suite::generate("switch", 80, 4, 9).losses);
    const Said said = run_program({"run", dir_ / "losses.csv", "--method",
                                   "hedge,boa,fixed-share,genshare,past-posteriors", "--switches",
                                   "0,3", "--trace", trace_, "--certificate", certificate_});
    EXPECT_EQ(said.exit_code, 0) << said.err;
  }

  std::string trace_ = dir_ / "trace.csv";
  std::string certificate_ = dir_ / "certificate.json";
};

TEST_F(Certify, HoldsForWhatWasWritten) {
  const Said said = run_program({"certify", trace_, certificate_});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.out.rfind("holds", 0), 0) << said.out;
  EXPECT_NE(said.out.find("boa: its 80 rows are as they were"), std::string::npos) << said.out;
  const json file = json::parse(content(certificate_));
  ASSERT_EQ(file["methods"].size(), 4);  // boa carries none
  for (const json& method : file["methods"]) {
    EXPECT_LE(method["best_path"]["regret"], method["best_path"]["bound"]);
    for (const json& one : method["switching"]) {
      EXPECT_LE(one["regret"], one["bound"]);
      EXPECT_LE(one["bound"], one["plain_bound"]);
    }
  }
}

TEST_F(Certify, ShowsWhatTheBoundsAreMadeOf) {
  const Said said = run_program({"certify", trace_, certificate_});
  EXPECT_NE(said.out.find("What the bounds are made of, in nats"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("Theorem 2"), std::string::npos) << said.out;
  const Said printed = run_program({"certify", trace_, certificate_, "--json"});
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  const json file = json::parse(printed.out);
  ASSERT_EQ(file["made_of"].size(), file["methods"].size());
  for (std::size_t i = 0; i < file["methods"].size(); ++i) {
    const json &method = file["methods"][i], &parts = file["made_of"][i];
    EXPECT_EQ(parts["name"], method["name"]);
    EXPECT_EQ(parts["switches"], method["best_path"]["switches"]);
    const auto part = [&](const char* name) { return parts[name].get<double>(); };
    EXPECT_NEAR(part("start") + part("stays") + part("restarts") + part("where_to"),
                method["best_path"]["code"].get<double>(), 1e-9);
    EXPECT_NEAR(part("sharp_bound"), method["best_path"]["bound"].get<double>(), 1e-9);
    EXPECT_LE(part("where_to"), part("cross_entropy") + 1e-12);  // Lemma 1
    EXPECT_LE(part("sharp_bound"), part("plain_bound"));
    EXPECT_LE(part("plain_bound"), part("training_aligned_bound") * (1 + 1e-12));  // Theorem 2
  }
}

TEST_F(Certify, RejectsATraceWithOneNumberChanged) {
  const std::string original = content(trace_);
  Random random(5);
  int tried = 0;
  while (tried < 60) {
    // A digit somewhere in the numbers of a round, of boa as well, which carries no certificate.
    const std::size_t at = original.find('\n') + 1 + random.below(original.size() - 2000);
    const std::size_t line = original.rfind('\n', at) + 1;
    const bool digit = original[at] >= '0' && original[at] <= '9';
    const bool numbers = original.find(',', line) < at;
    if (!digit || !numbers) continue;
    std::string changed = original;
    changed[at] = changed[at] == '9' ? '8' : static_cast<char>(changed[at] + 1);
    // The seventeenth digit of a double may be another and the double the same.
    const std::size_t field = original.rfind(',', at) + 1;
    if (std::stod(original.substr(field, 30)) == std::stod(changed.substr(field, 30))) continue;
    ++tried;
    std::ofstream(trace_) << changed;
    const Said said = run_program({"certify", trace_, certificate_});
    EXPECT_EQ(said.exit_code, 2) << "offset " << at << ": "
                                 << original.substr(line, original.find('\n', line) - line);
  }
}

TEST_F(Certify, RejectsACertificateWithOneNumberChanged) {
  json file = json::parse(content(certificate_));
  json& bound = file["methods"][1]["switching"][0]["bound"];
  bound = bound.get<double>() * 0.99;
  std::ofstream(certificate_) << file;
  const Said said = run_program({"certify", trace_, certificate_});
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_NE(said.err.find("checksum"), std::string::npos) << said.err;
}

TEST_F(Certify, RefusesOtherFilesInASentence) {
  for (const auto& [trace, certificate] :
       {std::pair{certificate_, certificate_}, std::pair{trace_, trace_},
        std::pair{dir_ / "losses.csv", certificate_}, std::pair{dir_ / "none", certificate_}}) {
    refuses({"certify", trace, certificate}, {});
  }
}

TEST_F(Certify, MethodsWithoutOneAndRunsWithoutATraceAreRefusedBeforeTheWork) {
  const std::string losses = dir_ / "losses.csv", written = dir_ / "c";
  refuses({"run", losses, "--method", "boa,fixed-share*", "--trace", dir_ / "t", "--certificate",
           written},
          {"past-posteriors"});
  refuses({"run", losses, "--method", "fixed-share", "--certificate", written}, {"--trace"});
}

class CertifyForecasts : public ProgramTest {
 protected:
  CertifyForecasts() {
    Random random(6);
    std::ofstream file(forecasts_);
    file << "y,near,far\n";
    for (int t = 0; t < 200; ++t) {
      const double y = 5 * random.uniform();
      file << y << ',' << y + random.uniform(-1, 1) << ',' << y + random.uniform(-3, 3) << '\n';
    }
  }
  json certificate(const std::vector<std::string>& more) {
    std::vector<std::string> command = {"run", forecasts_, "--y", "y", "--certificate", written_};
    command.insert(command.end(), more.begin(), more.end());
    const Said said = run_program(command);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    return json::parse(content(written_));
  }

  std::string forecasts_ = dir_ / "forecasts.csv";
  std::string written_ = dir_ / "certificate.json";
};

void expect_claim(const json& claim) {
  EXPECT_TRUE(claim["holds"]);
  EXPECT_LE(claim["regret"], claim["bound"]);
  const double loss = claim["loss"], bound = claim["bound"];
  EXPECT_NEAR(claim["rmse"], std::sqrt(loss), 1e-12);
  EXPECT_NEAR(claim["rmse_bound"], std::sqrt(loss) - std::sqrt(std::max(0.0, loss - bound)), 1e-12);
}

TEST_F(CertifyForecasts, BlendNeedsNoTrace) {
  const json file = certificate({});
  EXPECT_EQ(file["loss"], "squared");
  EXPECT_TRUE(file["methods"].empty());
  ASSERT_EQ(file["published"].size(), 1);
  const json& blend = file["published"][0];
  EXPECT_EQ(blend["name"], "blend");
  EXPECT_EQ(blend["rounds"], 200);
  EXPECT_EQ(blend["expert"]["expert"], "near");
  for (const char* name : {"path", "raw_path", "expert"}) expect_claim(blend[name]);
}

TEST_F(CertifyForecasts, TheProgramSaysWhatIsProved) {
  const Said said = run_program({"run", forecasts_, "--y", "y", "--certificate", written_});
  EXPECT_NE(said.out.find("no expert had a root mean squared error lower than that of blend by"),
            std::string::npos)
      << said.out;
  EXPECT_NE(said.out.find("that of the best (near) was higher by"), std::string::npos) << said.out;
  const Said plain = run_program({"run", forecasts_, "--y", "y"});
  EXPECT_EQ(plain.out.find("proved"), std::string::npos) << plain.out;
}

TEST_F(CertifyForecasts, ThoseOfAShareMethodAreProvedAgain) {
  const std::string trace = dir_ / "t.csv";
  json file = certificate({"--method", "fixed-share,blend", "--trace", trace});
  ASSERT_EQ(file["methods"].size(), 1);
  const json& claims = file["methods"][0]["forecasts"];
  expect_claim(claims["path"]);
  expect_claim(claims["expert"]);
  EXPECT_EQ(claims["expert"]["expert"], "near");
  const Said holds = run_program({"certify", trace, written_});
  EXPECT_EQ(holds.exit_code, 0) << holds.err;

  file["methods"][0]["forecasts"]["expert"]["bound"] = 0.001;
  std::ofstream(written_) << file;
  const Said lies = run_program({"certify", trace, written_});
  EXPECT_EQ(lies.exit_code, 2);
  EXPECT_NE(lies.err.find("was changed"), std::string::npos) << lies.err;
}

TEST_F(CertifyForecasts, ALinearisedRunHasNoLossOfItsForecasts) {
  const json file = certificate({"--method", "fixed-share{gradient=1}", "--trace", dir_ / "t.csv"});
  EXPECT_FALSE(file["methods"][0].contains("forecasts"));
}

}  // namespace
}  // namespace pcgs::test
