// Results as one HTML page that holds everything it needs: it opens from disk, without a network.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/quantiles.h"
#include "show/depth.h"
#include "show/result.h"

namespace pcgs::report {

struct RoundCharts;
struct Section;

// Whether this build holds what pages are made of (see PCGS_REPORT in CMakeLists.txt).
bool available();
// Throws Error, saying what to do, if not: before the work that a page would be about.
void require_available();

// What a page is about, in any mixture; parts without data are left out.
struct Material {
  struct Result {
    std::string origin;  // for messages and the title
    results::Result result;
    std::optional<RunDepth> depth{};              // the same run, round by round
    std::shared_ptr<const RoundCharts> charts{};  // of the same run
  };
  std::vector<Result> results;
  std::vector<RunDepth> runs;  // further ones
};

// Throws Error, naming their origins, for two results of one kind and for a kind that has no page.
std::string page(const Material& material);
// What a page shows, in order. Takes no assets.
std::vector<Section> sections(const Material& material);

// The page of a comparison, whose RunResult this is, that was looked at in depth.
std::string run_page(const Problem& problem, const Comparison& comparison, results::Result result,
                     RunDepth depth);
// The same for one that was not: its methods play once more.
std::string run_page(const Problem& problem, const Comparison& comparison, results::Result result);
// That of many series.
std::string series_page(results::Result result, const std::string& origin);
// That of quantiles: what was published in each round, [rounds x P], and the result of it.
std::string quantile_page(const QuantileProblem& problem, const Matrix& published,
                          results::Result result);

// A trace, to the run of these results if there is one. Throws Error, naming both, unless it can be of
// this run: the same experts, its methods, and as many rounds; and for a second one.
void add_trace(RunDepth depth, const std::string& origin, Material& material);

}  // namespace pcgs::report
