// Packed records against a plain list of them.
#include "serve/answered_rounds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "support/expect.h"

namespace pcgs {

using namespace serve;

namespace {

struct Plain {
  std::string id;
  Remembered what;
  Answer answer;
};

bool same(const Remembered& a, const Remembered& b) {
  return a.kind == b.kind && a.digest == b.digest && a.round == b.round && a.outcome == b.outcome &&
         a.forecast == b.forecast;
}

class Drawn {
 public:
  explicit Drawn(std::uint64_t seed) : random_(seed) {}

  // Ids of every length, some with a zero in them; experts that change now and then.
  Plain next() {
    Plain out;
    out.id = fmt::format("{}{}", count_++, std::string(random_() % 201, char(random_() % 256)));
    if (random_() % 20 == 0) {
      experts_ = std::make_shared<const Names>(Names(1 + random_() % 5, "expert"));
    }
    out.what.kind = Remembered::Kind(1 + random_() % 3);
    out.what.digest = random_();
    if (out.what.kind == Remembered::Kind::kExpertChange) return out;
    out.what.round = std::int64_t(random_() >> 1);
    out.what.outcome = number();
    out.what.forecast = number();
    out.answer = {out.what.forecast, {}, experts_};
    for (std::size_t k = 0; k < experts_->size(); ++k) out.answer.weights.push_back(number());
    return out;
  }

 private:
  double number() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  std::mt19937_64 random_;
  std::size_t count_ = 0;
  std::shared_ptr<const Names> experts_ = std::make_shared<const Names>(Names{"a", "b"});
};

}  // namespace

TEST(ClosedRounds, AreThoseOfAPlainListOfTheLastThousand) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Drawn drawn(seed);
    std::deque<Plain> plain;
    std::string forgotten;
    ClosedRounds packed;
    for (std::size_t i = 0; i < 5 * kRemembered / 2; ++i) {
      plain.push_back(drawn.next());
      packed.add(plain.back().id, plain.back().what, plain.back().answer);
      if (plain.size() > kRemembered) {
        forgotten = plain.front().id;
        plain.pop_front();
      }
      ASSERT_EQ(packed.size(), plain.size());
      if (i % 97 != 0) continue;
      EXPECT_EQ(packed.find("never was"), std::nullopt);
      if (!forgotten.empty()) {
        EXPECT_EQ(packed.find(forgotten), std::nullopt);
      }
      for (const Plain& one : plain) {
        const auto found = packed.find(one.id);
        ASSERT_TRUE(found && same(*found, one.what)) << one.id;
        if (one.what.kind == Remembered::Kind::kExpertChange) continue;
        const Answer answer = packed.answer(one.id);
        EXPECT_EQ(answer.forecast, one.answer.forecast);
        EXPECT_TRUE(test::same_bits(answer.weights, one.answer.weights));
        EXPECT_EQ(*answer.experts, *one.answer.experts);
      }
    }
    std::size_t i = 0;
    packed.each([&](std::string_view id, const Remembered& what, const Answer& answer) {
      ASSERT_LT(i, plain.size());
      EXPECT_EQ(id, plain[i].id);
      EXPECT_TRUE(same(what, plain[i].what));
      EXPECT_EQ(answer.weights, plain[i].answer.weights);
      ++i;
    });
    EXPECT_EQ(i, plain.size());
  }
}

TEST(ClosedRounds, IdsWithTheSameHashAreToldApart) {
  // To FNV-1a of 32 bits they are.
  const std::string one = "costarring", other = "liquid";
  ClosedRounds packed;
  packed.add(one, {.kind = Remembered::Kind::kExpertChange, .digest = 1}, {});
  EXPECT_EQ(packed.find(other), std::nullopt);
  packed.add(other, {.kind = Remembered::Kind::kExpertChange, .digest = 2}, {});
  EXPECT_EQ(packed.find(one)->digest, 1u);
  EXPECT_EQ(packed.find(other)->digest, 2u);
}

}  // namespace pcgs
