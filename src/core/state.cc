#include "pcgs/state.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "data/checksums.h"
#include "pcgs/error.h"

namespace pcgs {

static_assert(std::endian::native == std::endian::little,
              "state files are little-endian and are written as memory holds them");

namespace {

constexpr char kMagic[8] = {'P', 'C', 'G', 'S', 'S', 'T', 'A', 'T'};

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t zero;
  std::uint64_t architecture;
  std::uint64_t payload_size;
};
static_assert(sizeof(Header) == 32);

}  // namespace

void StateWriter::raw(const void* data, std::size_t size) {
  const auto* first = static_cast<const std::uint8_t*>(data);
  payload_.insert(payload_.end(), first, first + size);
}

void StateWriter::u64(std::uint64_t value) { raw(&value, sizeof value); }
void StateWriter::f64(double value) { raw(&value, sizeof value); }

void StateWriter::text(std::string_view value) {
  u64(value.size());
  raw(value.data(), value.size());
}

void StateWriter::f64s(std::span<const double> values) {
  u64(values.size());
  raw(values.data(), values.size_bytes());
}

void StateWriter::bytes(std::span<const std::uint8_t> values) {
  u64(values.size());
  raw(values.data(), values.size());
}

void StateWriter::experts(std::span<const double> values, double fresh) {
  change_ == nullptr ? f64s(values) : f64s(change_->moved(values, fresh));
}

void StateWriter::weights(std::span<const double> values) {
  change_ == nullptr ? f64s(values) : f64s(change_->shared_out(values));
}

std::vector<std::uint8_t> StateWriter::file(std::uint64_t architecture) const {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kStateVersion;
  header.architecture = architecture;
  header.payload_size = payload_.size();
  std::vector<std::uint8_t> file(sizeof header + payload_.size() + sizeof(std::uint32_t));
  std::memcpy(file.data(), &header, sizeof header);
  if (!payload_.empty()) std::memcpy(file.data() + sizeof header, payload_.data(), payload_.size());
  const std::size_t covered = sizeof header + payload_.size();
  const std::uint32_t checksum = crc32(std::span(file).first(covered));
  std::memcpy(file.data() + covered, &checksum, sizeof checksum);
  return file;
}

StateReader::StateReader(std::span<const std::uint8_t> file, std::string origin)
    : origin_(std::move(origin)) {
  Header header;
  if (file.size() < sizeof header || std::memcmp(file.data(), kMagic, sizeof kMagic) != 0) {
    fail("it is not a pcgs state file");
  }
  std::memcpy(&header, file.data(), sizeof header);
  if (header.version != kStateVersion) {
    fail(
        fmt::format("it has format version {} and this program reads version {}, so learn its "
                    "rounds again from the data",
                    header.version, kStateVersion));
  }
  const std::size_t around = sizeof header + sizeof(std::uint32_t);
  if (file.size() < around || header.payload_size != file.size() - around) {
    fail(fmt::format("it holds {} bytes where its header promises {} and a frame of {}",
                     file.size(), header.payload_size, around));
  }
  const std::size_t covered = file.size() - sizeof(std::uint32_t);
  std::uint32_t checksum = 0;
  std::memcpy(&checksum, file.data() + covered, sizeof checksum);
  if (checksum != crc32(std::span(file).first(covered)))
    fail("its checksum does not match its content");
  if (header.zero != 0) fail("its reserved field is not zero");
  architecture_ = header.architecture;
  left_ = file.subspan(sizeof header, header.payload_size);
}

void StateReader::fail(std::string_view why) const {
  throw Error(
      ErrorKind::kFormat, {.file = origin_},
      fmt::format("cannot load this state: {}; give a file saved by this version of pcgs", why));
}

void StateReader::mismatch(std::string_view sentence) const {
  throw Error(ErrorKind::kMismatch, {.file = origin_}, sentence);
}

void StateReader::raw(void* out, std::size_t size) {
  if (size > left_.size()) fail("it ends too early");
  if (size > 0) std::memcpy(out, left_.data(), size);
  left_ = left_.subspan(size);
}

std::uint64_t StateReader::u64() {
  std::uint64_t value = 0;
  raw(&value, sizeof value);
  return value;
}

double StateReader::f64() {
  double value = 0;
  raw(&value, sizeof value);
  return value;
}

double StateReader::f64_within(double low, double high, std::string_view what) {
  const double value = f64();
  check_within({&value, 1}, low, high, what);
  return value;
}

void StateReader::f64s_within(std::span<double> out, double low, double high,
                              std::string_view what) {
  f64s(out);
  check_within(out, low, high, what);
}

void StateReader::check_within(std::span<const double> values, double low, double high,
                               std::string_view what) const {
  for (const double value : values) {
    if (value >= low && value <= high) continue;  // false for NaN
    fail(fmt::format("{} is {}, outside [{}, {}]", what, value, low, high));
  }
}

std::uint64_t StateReader::u64_below(std::uint64_t limit, std::string_view what) {
  const std::uint64_t value = u64();
  if (value >= limit) fail(fmt::format("{} is {}, and must be below {}", what, value, limit));
  return value;
}

std::size_t StateReader::count(std::size_t bytes_each) {
  const std::uint64_t n = u64();
  if (n > left_.size() / bytes_each) fail("a length in it exceeds the file");
  return n;
}

std::string StateReader::text() {
  std::string value(count(1), '\0');
  raw(value.data(), value.size());
  return value;
}

void StateReader::f64s(std::span<double> out) {
  if (u64() != out.size()) fail("an array in it has another length");
  raw(out.data(), out.size_bytes());
}

void StateReader::bytes(std::span<std::uint8_t> out) {
  if (u64() != out.size()) fail("an array in it has another length");
  raw(out.data(), out.size());
}

void StateReader::finish() const {
  if (!left_.empty()) fail("it has bytes left over");
}

std::uint64_t architecture_hash(std::string_view method_name, std::size_t experts) {
  std::array<std::uint8_t, 8> little_endian;
  for (std::size_t i = 0; i < little_endian.size(); ++i) {
    little_endian[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(experts) >> (8 * i));
  }
  return fnv1a(little_endian, fnv1a<std::uint64_t>(method_name));
}

}  // namespace pcgs
