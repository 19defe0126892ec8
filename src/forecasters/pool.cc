#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/whole_file.h"
#include "pcgs/error.h"
#include "pcgs/experts.h"

namespace pcgs {

namespace {

std::size_t longest_reach(const Experts& experts) {
  std::size_t reach = 1;
  for (const auto& expert : experts) reach = std::max(reach, expert->reach());
  return reach;
}

}  // namespace

ExpertPool::ExpertPool(Experts experts)
    : experts_(std::move(experts)), past_(longest_reach(experts_)) {
  if (experts_.empty()) throw Error("a pool without experts forecasts nothing; give at least one");
  for (const auto& expert : experts_) {
    names_.push_back(expert->name());
    if (std::find(names_.begin(), names_.end() - 1, names_.back()) != names_.end() - 1) {
      throw Error(fmt::format("expert {} is given twice; give it once", names_.back()));
    }
  }
}

void ExpertPool::forecast(std::span<double> out) const {
  for (std::size_t k = 0; k < experts_.size(); ++k) {
    const double f = experts_[k]->forecast(past_);
    out[k] = std::isfinite(f) ? f : std::numeric_limits<double>::quiet_NaN();
  }
}

void ExpertPool::observe(double y) {
  if (std::isinf(y)) {
    throw Error(fmt::format("the series holds {}; give finite numbers, and NaN for gaps", y));
  }
  for (const auto& expert : experts_) expert->observe(past_, y);
  past_.add(y);
}

std::uint64_t ExpertPool::architecture() const {
  std::string all = "experts";
  for (const auto& name : names_) all += "\n" + name;
  return architecture_hash(all, experts_.size());
}

std::vector<std::uint8_t> ExpertPool::save_bytes() const {
  StateWriter out;
  past_.save(out);
  for (const auto& expert : experts_) expert->save(out);
  return out.file(architecture());
}

void ExpertPool::load_bytes(std::span<const std::uint8_t> file, const std::string& origin) {
  StateReader in(file, origin);
  if (in.architecture() != architecture()) in.fail("it was saved with other experts");
  const auto take = [&](StateReader& from) {
    past_.load(from);
    for (const auto& expert : experts_) expert->load(from);
    from.finish();
  };
  const auto before = save_bytes();
  try {
    take(in);
  } catch (...) {
    StateReader back(before, origin);
    take(back);
    throw;
  }
}

void ExpertPool::save(const std::string& path) const {
  WholeFile file(path);
  const auto bytes = save_bytes();
  file.write(bytes.data(), bytes.size());
  file.commit();
}

void ExpertPool::load(const std::string& path) { load_bytes(read_whole_file(path), path); }

}  // namespace pcgs
