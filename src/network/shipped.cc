#include "network/shipped.h"

#include "data/invariant.h"

// The assembler copies the file; a C++ array of half a million numbers would take the compiler
// seconds. PCGS_MODELS is the folder, given by CMake, which also knows what this file depends on.
#define PCGS_INCLUDE_MODEL(NAME)                                                           \
  asm(".section .rodata\n"                                                                 \
      ".balign 64\n"                                                                       \
      "pcgs_model_" #NAME                                                                  \
      ":\n"                                                                                \
      ".incbin \"" PCGS_MODELS "/" #NAME                                                   \
      ".safetensors\"\n"                                                                   \
      "pcgs_model_" #NAME                                                                  \
      "_end:\n"                                                                            \
      ".previous\n");                                                                      \
  extern "C" const std::uint8_t pcgs_model_##NAME[] __attribute__((visibility("hidden"))); \
  extern "C" const std::uint8_t pcgs_model_##NAME##_end[] __attribute__((visibility("hidden")))

PCGS_INCLUDE_MODEL(regret);
PCGS_INCLUDE_MODEL(oracle);
PCGS_INCLUDE_MODEL(combine);

namespace pcgs::infer {

std::span<const std::uint8_t> shipped_model(std::string_view name) {
  if (name == "regret") return {pcgs_model_regret, pcgs_model_regret_end};
  if (name == "combine") return {pcgs_model_combine, pcgs_model_combine_end};
  invariant(name == "oracle", "a model that is shipped");
  return {pcgs_model_oracle, pcgs_model_oracle_end};
}

}  // namespace pcgs::infer
