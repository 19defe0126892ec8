// Input that cannot be used, as a value: what kind of thing is wrong, where, and a sentence about it.
//
// A sentence names an option by option(), so that every door can write its own name for it:
//
//     throw Error(ErrorKind::kRequest, {.field = "block"},
//                 fmt::format("rows are not in blocks; leave {} out", option("block")));
//
//     what()                       rows are not in blocks; leave block out
//     the program, with worded()   rows are not in blocks; leave --block out
//
// A broken invariant of our own is not an Error; it aborts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pcgs {

enum class ErrorKind : std::uint8_t {
  kFile,       // cannot be opened, read or written
  kFormat,     // is not of the format that it should have
  kValue,      // a number, a time or a text that is not accepted
  kMissing,    // something that is needed is not there
  kUnknown,    // a name that nothing has
  kDuplicate,  // given twice
  kMismatch,   // two things that do not belong together, such as a state and a table
  kRequest,    // options that contradict each other or what they are applied to
  kLimit,      // too large, too long, too many
  kCall,       // calls in an order that makes no sense
};
// "file", "format" and so on.
std::string_view kind_name(ErrorKind kind);

// Where it is wrong, as far as that is known. Rows and lines count from 1; 0: not known.
struct ErrorPlace {
  std::string file{};
  std::size_t row = 0, line = 0;
  std::string column{};
  std::string field{};  // of a request, an options struct or a JSON object
};

// How a door writes an option: by its name alone, or set to a value ("" for a switch that is turned on).
struct Wording {
  std::function<std::string(std::string_view name)> name;
  std::function<std::string(std::string_view name, std::string_view value)> value;
};

// An option inside a sentence, by the name of its field: option("block"), or with a value to advise,
// option("block", "24") and option_on("skip_learned").
std::string option(std::string_view name);
std::string option(std::string_view name, std::string_view value);
std::string option_on(std::string_view name);
// The sentence with every option in the words of a door, or in those of the library ("block = 24").
std::string worded(std::string_view sentence, const Wording& wording);
std::string worded(std::string_view sentence);

class Error : public std::runtime_error {
 public:
  explicit Error(std::string_view sentence) : Error(ErrorKind::kValue, {}, sentence) {}
  // Where the place has a file, a row or a column, the sentence is told with it in front:
  // "FILE: row R (line N), column NAME: SENTENCE".
  Error(ErrorKind kind, ErrorPlace place, std::string_view sentence);

  ErrorKind kind() const { return what_->kind; }
  const ErrorPlace& place() const { return what_->place; }
  // The whole sentence in the words of a door; what() has it in the library's.
  std::string in_words_of(const Wording& wording) const { return worded(what_->sentence, wording); }

 private:
  struct What {
    ErrorKind kind;
    ErrorPlace place;
    std::string sentence;  // the whole of it, options as option() wrote them
  };
  explicit Error(std::shared_ptr<const What> what);
  std::shared_ptr<const What> what_;  // shared: copying an exception must not throw
};

}  // namespace pcgs
