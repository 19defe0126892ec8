// What is told beside an answer: something that was taken for granted, or that looks like a mistake.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "pcgs/error.h"

namespace pcgs {

enum class NoteKind : std::uint8_t {
  kReading,   // how a file was understood
  kTimes,     // gaps, the end of summer time, rows that were skipped
  kSeason,    // the times suggest one
  kZeros,     // that may stand for what is missing
  kComing,    // more rows are forecast ahead than errors are about
  kExperts,   // came, are missing, or have left since the state was saved
  kUnused,    // what was given is of no use
  kLearned,   // rows that the state has learned already
  kOutliers,  // forecasts far outside all others
};
// "reading", "times" and so on.
std::string_view kind_name(NoteKind kind);

struct Note {
  NoteKind kind = NoteKind::kReading;
  std::string sentence;  // options as option() wrote them

  std::string in_words_of(const Wording& wording) const { return worded(sentence, wording); }
};

// Told as soon as it is found; may be empty.
using TellNote = std::function<void(const Note&)>;

}  // namespace pcgs
