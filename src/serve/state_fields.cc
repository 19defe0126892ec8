#include "serve/state_fields.h"

namespace pcgs::stream {

void put_texts(StateWriter& out, std::span<const std::string> texts) {
  out.u64(texts.size());
  for (const std::string& text : texts) out.text(text);
}

std::vector<std::string> take_texts(StateReader& in) {
  std::vector<std::string> texts(in.count(sizeof(std::uint64_t)));
  for (std::string& text : texts) text = in.text();
  return texts;
}

void put_spec(StateWriter& out, const StreamSpec& spec) {
  put_texts(out, spec.experts);
  out.text(spec.loss);
  out.f64(spec.tau);
  out.u64(spec.seasons.size());
  for (const std::size_t season : spec.seasons) out.u64(season);
  out.text(spec.method);
}

StreamSpec take_spec(StateReader& in) {
  StreamSpec spec;
  spec.experts = take_texts(in);
  spec.loss = in.text();
  spec.tau = in.f64();
  spec.seasons.resize(in.count(sizeof(std::uint64_t)));
  for (std::size_t& season : spec.seasons) season = in.u64();
  spec.method = in.text();
  return spec;
}

std::string file_text(const StateWriter& out, std::uint64_t architecture) {
  const auto file = out.file(architecture);
  return {file.begin(), file.end()};
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace pcgs::stream
