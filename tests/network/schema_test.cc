#include <gtest/gtest.h>

#include "network/error_stream.h"
#include "network/model.h"
#include "network/token_stream.h"

namespace pcgs::tokens {
namespace {

// A failure means that every trained model is refused from now on. If tokens were meant to change,
// raise kSchemaVersion where the constants alone do not show it, take the new name, train again.
TEST(TokenSchema, IsTheOneThatModelsWereTrainedOn) {
  EXPECT_EQ(TokenStream::schema_name(), "pcgs-tokens-2-33c45a7e");
  EXPECT_EQ(kExpertFeatures, 63u);
  EXPECT_EQ(kSharedFeatures, 67u);
}

TEST(TokenSchema, IsNamedByEveryShippedModel) {
  for (const char* name : {"regret", "oracle"}) {
    const infer::Model model = infer::read_model(infer::shipped_model(name), name);
    EXPECT_EQ(model.token_schema, TokenStream::schema_name()) << name;
    EXPECT_EQ(model.config.features, kExpertFeatures) << name;
    EXPECT_EQ(model.config.shared, kSharedFeatures) << name;
  }
}

TEST(ErrorSchema, IsTheOneThatModelsWereTrainedOn) {
  EXPECT_EQ(ErrorStream::schema_name(), "pcgs-error-tokens-1-3dfb48c8");
  EXPECT_EQ(errors::kExpertFeatures, 33u);
  EXPECT_EQ(errors::kSharedFeatures, 33u);
}

TEST(ErrorSchema, IsNamedByTheShippedModelThatCombines) {
  const infer::Model model = infer::read_model(infer::shipped_model("combine"), "combine");
  EXPECT_EQ(model.token_schema, ErrorStream::schema_name());
  EXPECT_EQ(model.config.features, errors::kExpertFeatures);
  EXPECT_EQ(model.config.shared, errors::kSharedFeatures);
}

}  // namespace
}  // namespace pcgs::tokens
