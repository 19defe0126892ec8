// What streams of tokens promise about what they save, whatever their tokens are of.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "pcgs/matrix.h"
#include "pcgs/state.h"
#include "support/expect.h"
#include "support/forge.h"
#include "support/random.h"

namespace pcgs::tokens {

template <class Stream>
std::vector<std::uint8_t> saved(const Stream& stream) {
  StateWriter out;
  stream.save(out);
  return out.file(7);
}

template <class Stream>
void load(Stream& stream, const std::vector<std::uint8_t>& file) {
  StateReader in(file, "a file");
  stream.load(in);
  in.finish();
}

// A stream that is saved and loaded before each of so many rounds; `numbers` of it are all that it says.
template <class Stream, class Play, class Numbers>
void expect_goes_on_to_the_bit(std::size_t experts, std::size_t rounds, const Play& play,
                               const Numbers& numbers) {
  Stream through(experts), resumed(experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    Stream fresh(experts);
    ASSERT_NO_THROW(load(fresh, saved(resumed))) << "round " << t;
    ASSERT_EQ(numbers(fresh), numbers(Stream(experts))) << "zeros after load()";
    resumed = fresh;
    play(through, t);
    play(resumed, t);
    ASSERT_EQ(numbers(through), numbers(resumed)) << "round " << t;
    ASSERT_EQ(through.scale(), resumed.scale());
    ASSERT_EQ(saved(through), saved(resumed)) << "round " << t;
  }
}

inline std::size_t words_of(const std::vector<std::uint8_t>& file) {
  return (file.size() - test::kStateHeader - 4) / 8;
}

inline std::vector<std::uint8_t> forged(std::vector<std::uint8_t> file, std::size_t word,
                                        std::uint64_t bits) {
  test::put_u64(file, test::kStateHeader + 8 * word, bits);
  test::seal(file);
  return file;
}

// Every number of a state is a count or bounded, so that none beyond `most` can stand for one; and what
// is not refused does no harm: numbers stay finite. And states are of so many experts.
template <class Stream, class Play, class Numbers>
void expect_forged_states_refused_or_harmless(const Stream& stream, std::size_t experts,
                                              double most, const Play& play,
                                              const Numbers& numbers) {
  const auto file = saved(stream);
  ASSERT_GT(words_of(file), 100u);
  std::size_t accepted = 0, refused = 0;
  for (std::size_t i = 0; i < words_of(file); ++i) {
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL, -1e19, most}) {
      Stream loaded(experts);
      SCOPED_TRACE(std::to_string(bad) + " in place of number " + std::to_string(i));
      EXPECT_TRUE(test::mentions(
          test::error_of([&] { load(loaded, forged(file, i, std::bit_cast<std::uint64_t>(bad))); }),
          "a file"));
    }
    for (const double odd : {0.0, 1e-320, 1e-300, 1e-40, 1e-9, 0.5, 1.0, 2.0, 1e6, most / 100,
                             -1e-9, -0.5, -1.0, -2.0, -1e6}) {
      Stream loaded(experts);
      try {
        load(loaded, forged(file, i, std::bit_cast<std::uint64_t>(odd)));
      } catch (const Error&) {
        ++refused;
        continue;
      }
      ++accepted;
      test::Random random(i);
      for (int t = 0; t < 3; ++t) {
        play(loaded, random);
        Stream again(experts);
        ASSERT_NO_THROW(load(again, saved(loaded))) << odd << " in place of number " << i;
        for (const float x : numbers(loaded)) {
          ASSERT_TRUE(std::isfinite(x)) << odd << " in place of number " << i;
        }
      }
    }
  }
  EXPECT_GT(accepted, 500u);
  EXPECT_GT(refused, 500u);
  for (const std::size_t others : {1u, 2u, 4u, 9u}) {
    Stream other(others);
    test::error_of([&] { load(other, file); });
  }
}

// What a stream is shown that wants to break it.
struct Hostile {
  const char* name;
  double (*number)(std::size_t k, std::size_t t);

  Matrix rows(std::size_t rounds, std::size_t experts) const {
    Matrix out(rounds, experts);
    for (std::size_t t = 0; t < rounds; ++t) {
      for (std::size_t k = 0; k < experts; ++k) out.row(t)[k] = number(k, t);
    }
    return out;
  }
};

// Histories to be saved in the middle of: usual ones of few and of more experts, and hostile ones.
template <class Make, class Expect>
void expect_of_each_history(std::span<const Hostile> hostile, const Make& make,
                            const Expect& expect) {
  for (const std::size_t experts : {1u, 2u, 9u}) expect(make(experts));
  for (const Hostile& one : hostile) {
    SCOPED_TRACE(one.name);
    expect(one.rows(320, 3));
  }
}

// Who is whose place when experts change theirs.
inline std::vector<std::size_t> new_labels(std::size_t experts) {
  test::Random random(experts);
  std::vector<std::size_t> label(experts);
  std::iota(label.begin(), label.end(), 0);
  for (std::size_t i = experts - 1; i > 0; --i) std::swap(label[i], label[random.below(i + 1)]);
  if (experts == 2) label = {1, 0};
  return label;
}

inline Matrix relabelled(const Matrix& rows, const std::vector<std::size_t>& label) {
  Matrix moved = rows;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    for (std::size_t k = 0; k < rows.columns; ++k) moved.row(t)[label[k]] = rows.row(t)[k];
  }
  return moved;
}

// The same rows before round 40, and others from then on.
inline Matrix with_other_future(Matrix rows, const Matrix& future) {
  const auto at = static_cast<std::ptrdiff_t>(40 * rows.columns);
  std::copy(future.values.begin() + at, future.values.end(), rows.values.begin() + at);
  return rows;
}

}  // namespace pcgs::tokens
