#include "checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "data/whole_file.h"
#include "pcgs/error.h"

namespace pcgs::train {

namespace {

constexpr double kVersion = 4;

torch::Tensor numbers_of(const Standing& s) {
  return torch::tensor({kVersion, static_cast<double>(s.step), static_cast<double>(s.best_step),
                        static_cast<double>(s.without_better), static_cast<double>(s.skipped),
                        s.best_score, s.seconds},
                       torch::kDouble);
}

Standing standing_in(const torch::Tensor& numbers) {
  const double* x = numbers.data_ptr<double>();
  // What is no count is refused later, and must not be converted.
  const auto count = [&](int i) {
    return std::abs(x[i]) < 1e18 ? static_cast<std::int64_t>(x[i]) : -1;
  };
  return {count(1), count(2), count(3), count(4), x[5], x[6]};
}

// Whether the numbers are counts, and those of the course.
bool goes_together(const torch::Tensor& numbers, const Resumed& resumed) {
  constexpr double kMost = 1e15;
  const double* x = numbers.data_ptr<double>();
  for (int i = 1; i <= 4; ++i) {
    if (!(x[i] >= 0 && x[i] <= kMost && x[i] == std::floor(x[i]))) return false;
  }
  const auto& checks = resumed.course.checks;
  const auto is_checked = [&](double step) {
    return std::any_of(checks.begin(), checks.end(),
                       [&](const auto& check) { return static_cast<double>(check.step) == step; });
  };
  return x[6] >= 0 && x[6] <= kMost && is_checked(x[1]) && is_checked(x[2]);
}

torch::Tensor bytes_of(const std::string& text) {
  auto bytes = torch::empty({static_cast<std::int64_t>(text.size())}, torch::kUInt8);
  std::copy(text.begin(), text.end(), bytes.data_ptr<std::uint8_t>());
  return bytes;
}

std::string text_in(const torch::Tensor& bytes) {
  return {reinterpret_cast<const char*>(bytes.data_ptr<std::uint8_t>()),
          static_cast<std::size_t>(bytes.numel())};
}

// A line for each: the name, a tab, the value.
std::string text_of(const Belonging& belonging) {
  std::string text;
  for (const auto& [name, value] : belonging) text += name + '\t' + value + '\n';
  return text;
}

Belonging belonging_in(const std::string& lines) {
  std::istringstream text(lines);
  Belonging belonging;
  std::string line;
  while (std::getline(text, line)) {
    const auto tab = line.find('\t');
    if (tab != line.npos) belonging[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return belonging;
}

// "its rate was 0.002 and here it is 0.003", or nothing where they are the same.
std::string difference(const Belonging& then, const Belonging& now) {
  const auto value = [](const Belonging& all, const std::string& name) {
    const auto at = all.find(name);
    return at == all.end() || at->second.empty() ? std::string("none") : at->second;
  };
  Belonging all = then;
  all.insert(now.begin(), now.end());
  for (const auto& [name, any] : all) {
    const std::string before = value(then, name), after = value(now, name);
    if (before != after) return fmt::format("its {} was {} and here it is {}", name, before, after);
  }
  return {};
}

// Standing, belonging and course, then everything that goes back where it came from.
constexpr std::size_t kBeforeTensors = 3;

std::vector<torch::Tensor> tensors_of(const Trained& trained) {
  std::vector<torch::Tensor> all;
  for (const auto& tensor : trained.weights) all.push_back(tensor.detach());
  all.insert(all.end(), trained.best.begin(), trained.best.end());
  for (const auto& tensor : trained.optimiser.state()) all.push_back(tensor);
  return all;
}

bool is_vector(const torch::Tensor& tensor, torch::Dtype type) {
  return tensor.dim() == 1 && tensor.dtype() == type && tensor.device().is_cpu();
}

}  // namespace

void save_checkpoint(const std::string& path, const Belonging& belonging, const Standing& standing,
                     const results::TrainingCourse& course, const Trained& trained) {
  std::vector<torch::Tensor> all = {numbers_of(standing), bytes_of(text_of(belonging)),
                                    bytes_of(results::course_text(course))};
  for (const auto& tensor : tensors_of(trained)) all.push_back(tensor);
  std::ostringstream bytes;
  torch::save(all, bytes);
  WholeFile file(path);
  file.write(bytes.str());
  file.commit();
}

Resumed load_checkpoint(const std::string& path, const Belonging& belonging, Trained& trained) {
  const auto refuse = [&](const std::string& why) -> void {
    throw Error(fmt::format("{} {}; give another --checkpoint", path, why));
  };
  const auto bytes = read_whole_file(path);
  std::istringstream stream(std::string(bytes.begin(), bytes.end()));
  std::vector<torch::Tensor> all;
  try {
    torch::load(all, stream);
  } catch (const std::exception&) {
    refuse("is not a checkpoint of pcgs-train");
  }
  const auto numbers = numbers_of({});
  if (all.size() < kBeforeTensors || !is_vector(all[0], torch::kDouble) ||
      !is_vector(all[1], torch::kUInt8) || !is_vector(all[2], torch::kUInt8) ||
      all[0].sizes() != numbers.sizes() || all[0][0].item<double>() != kVersion) {
    refuse("is a checkpoint of another version of pcgs-train");
  }
  const std::string other = difference(belonging_in(text_in(all[1])), belonging);
  if (!other.empty()) refuse("belongs to another training: " + other);
  const auto expected = tensors_of(trained);
  bool fits = all.size() == kBeforeTensors + expected.size();
  for (std::size_t i = 0; fits && i < expected.size(); ++i) {
    const auto& found = all[kBeforeTensors + i];
    fits = found.sizes() == expected[i].sizes() && found.dtype() == expected[i].dtype();
  }
  if (!fits) refuse("is a checkpoint of another network");

  Resumed resumed{standing_in(all[0]), results::read_course(text_in(all[2]), path)};
  if (!goes_together(all[0], resumed)) refuse("is damaged");
  torch::NoGradGuard no_gradients;
  const std::size_t n = trained.weights.size();
  for (std::size_t i = 0; i < n; ++i) {
    trained.weights[i].copy_(all[kBeforeTensors + i]);
    trained.best[i].copy_(all[kBeforeTensors + n + i]);
  }
  trained.optimiser.restore(
      {all.begin() + static_cast<std::ptrdiff_t>(kBeforeTensors + 2 * n), all.end()});
  return resumed;
}

}  // namespace pcgs::train
