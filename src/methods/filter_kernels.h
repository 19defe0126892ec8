// Vector arithmetic over a table of weights, one row for each member of a mixture, compiled for
// each instruction set and chosen at run time.
//
// Rows are aligned to a cache line and padded with zeros to `stride`, a whole number of lines; so
// are the other arrays over experts. Every loop runs over whole registers, padding included.
#pragma once

#include <cstddef>

namespace pcgs::kernels {

// out[m] = <row m, losses>. Rows of the same bits give the same bits.
void row_losses(const double* table, std::size_t rows, std::size_t stride, const double* losses,
                double* out);

// out(k) = sum_m shares[m] table(m, k).
void mix_rows(const double* table, std::size_t rows, std::size_t stride, const double* shares,
              double* out);

// Filters of one learning rate. They differ in where and how often they restart.
struct FilterRows {
  std::size_t stride;
  double* uniform;  // [uniform_rows x stride] weights of filters that restart uniformly
  std::size_t uniform_rows;
  const double* rho;  // [uniform_rows]
  double* past;       // [past_rows x stride] weights of filters that restart to their own past
  double* means;      // [past_rows x stride] the means of their posteriors
  std::size_t past_rows;
  const double* past_rho;  // [past_rows]
  double step;             // how much the posterior of this round counts in the mean
  const double* flat;      // [stride] 1/K, zeros in the padding
};

// One round of the share recursion for each row. `losses` are relative to the least of the round,
// so that an expert with all of its weight left exists and no sum is 0. Overwrites `factors`.
// z[i] = sum_k w(k) exp(-eta l(k)), for the uniform rows.
void step_filters(const FilterRows& rows, const double* losses, double eta, double* factors,
                  double* z);

}  // namespace pcgs::kernels
