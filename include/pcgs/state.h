// Saving and loading, to the bit.
//
// A state file, all numbers little-endian:
//
//     8 bytes   magic "PCGSSTAT"
//     u32       format version (kStateVersion)
//     u32       zero
//     u64       architecture hash: of the method's full name and the number of experts
//     u64       payload size in bytes
//     payload   fields in the order their owner writes them, untagged
//     u32       CRC-32 of everything before it
//
// A file that is truncated, flipped, of another version or of another architecture is refused with
// an Error. Nothing is converted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pcgs/expert_change.h"

namespace pcgs {

inline constexpr std::uint32_t kStateVersion = 3;

// A state may be written as it will be when experts have come and gone: whoever is asked to save
// then writes what an object for the experts after the change is to load. So nothing but save() knows
// how a method changes, and a living method changes exactly as a saved one.
class StateWriter {
 public:
  explicit StateWriter(const ExpertChange* change = nullptr) : change_(change) {}
  // Null if the experts stay who they are.
  const ExpertChange* change() const { return change_; }
  // Another change while this lives: of members, derived experts and others that are not the experts.
  class Changing {
   public:
    Changing(StateWriter& out, const ExpertChange* change)
        : out_(out), outer_(std::exchange(out.change_, change)) {}
    ~Changing() { out_.change_ = outer_; }
    Changing(const Changing&) = delete;

   private:
    StateWriter& out_;
    const ExpertChange* outer_;
  };

  void u64(std::uint64_t value);
  void f64(double value);
  void text(std::string_view value);
  void f64s(std::span<const double> values);
  void bytes(std::span<const std::uint8_t> values);
  // Rows of a number for each expert, and what newcomers have.
  void experts(std::span<const double> values, double fresh);
  // Rows of weights of the experts.
  void weights(std::span<const double> values);

  // Everything written so far, with header and checksum.
  std::vector<std::uint8_t> file(std::uint64_t architecture) const;

 private:
  void raw(const void* data, std::size_t size);
  const ExpertChange* change_;
  std::vector<std::uint8_t> payload_;
};

// Reads what a StateWriter wrote. `origin` names the file in error messages. Every read checks what
// is left; arrays carry their length and must match what the reader expects.
class StateReader {
 public:
  // Checks magic, version, size and checksum. Keeps a view: `file` must outlive the reader.
  StateReader(std::span<const std::uint8_t> file, std::string origin);

  std::uint64_t architecture() const { return architecture_; }

  std::uint64_t u64();
  double f64();
  std::string text();
  void f64s(std::span<double> out);
  void bytes(std::span<std::uint8_t> out);
  // A count that something will be allocated for; refused when it cannot fit what is left of the
  // file at `bytes_each`, so that a forged file cannot ask for more memory than its own size.
  std::size_t count(std::size_t bytes_each);
  // A double that must lie in [low, high].
  double f64_within(double low, double high, std::string_view what);
  // The same of an array; and a count below a limit.
  void f64s_within(std::span<double> out, double low, double high, std::string_view what);
  std::uint64_t u64_below(std::uint64_t limit, std::string_view what);

  // To be called last: the payload must be used up.
  void finish() const;
  [[noreturn]] void fail(std::string_view why) const;
  // Nothing is wrong with the file, but it is of something else: an Error of the kind kMismatch.
  [[noreturn]] void mismatch(std::string_view sentence) const;

 private:
  void raw(void* out, std::size_t size);
  void check_within(std::span<const double> values, double low, double high,
                    std::string_view what) const;
  std::span<const std::uint8_t> left_;
  std::string origin_;
  std::uint64_t architecture_ = 0;
};

std::uint64_t architecture_hash(std::string_view method_name, std::size_t experts);

// In the place of a method's name in a file that pcgs run --by saves: it holds the states of several
// series, and is not one itself.
inline constexpr std::string_view kStatesOfSeries = "states of several series";
// And in a file that a QuantilePanel saves.
inline constexpr std::string_view kQuantilePanel = "quantile panel 2";

}  // namespace pcgs
