// fixed-share* and hedge*: the best rates of the grid, chosen after the fact. They cannot be
// played; they are the honest opponents in every table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pcgs {

struct HindsightMethod {
  std::string_view name;
  std::vector<std::string> candidates;  // the specs that it is the best of
};

std::span<const HindsightMethod> hindsight_methods();

// Null for a name without a star: a method that can be played, if there is one of that name. Throws
// Error for a star behind another name.
const HindsightMethod* find_hindsight_method(std::string_view spec);

// A star means that nobody can play it.
inline bool is_playable(std::string_view spec) { return !spec.ends_with('*'); }

// What has to be played for a method: its candidates, or itself.
std::vector<std::string> candidates_of(const std::string& spec);

inline constexpr const char* kTunedFixedShare = "fixed-share*";
// The best pair of rates for each single sequence of a study, in its tables beside
// kTunedFixedShare.
inline constexpr const char* kFixedSharePerSequence = "fixed-share**";

// The registered methods of the share form, whose runs are proved: "hedge, fixed-share, ...", for messages.
std::string share_form_names();

}  // namespace pcgs
