// Training sequences with everything the recipes need, made by the library itself: tokens, oracle
// paths, and what tuned Fixed Share loses on them.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "pcgs/matrix.h"
#include "research/suite.h"

namespace pcgs::train {

// N sequences of T rounds and K experts, on one device.
struct Pool {
  std::int64_t rounds = 0, experts = 0;
  torch::Tensor own;         // [N,T,K,expert features] half: tokens after each round
  torch::Tensor shared;      // [N,T,shared and side features] half
  torch::Tensor scale;       // [N,T] float: TokenStream::scale
  torch::Tensor losses;      // [N,T,K] float
  torch::Tensor path;        // [N,T] long: the oracle's, with `switches` switches
  torch::Tensor oracle;      // [N] double: its loss
  torch::Tensor tuned;       // [N] double: of the best Fixed Share of the grid, on each sequence
  torch::Tensor candidates;  // [N,grid] double: of each Fixed Share of the grid
  torch::Tensor unit;        // [N] double: what a difference in loss is measured in
  // Where a controller is to combine (error_pool.h), which has no path:
  torch::Tensor errors;  // [N,T,K] float: of the experts, in units
  torch::Tensor anchor;  // [N,T,K] half: ErrorStream::anchor

  bool combines() const { return errors.defined(); }

  std::int64_t size() const { return losses.size(0); }
};

// What a sequence is made from.
struct Material {
  Matrix losses;  // [T,K]
  Matrix side;    // [T,M] side information; may have no columns

  Material(Matrix its_losses, Matrix its_side = {})
      : losses(std::move(its_losses)), side(std::move(its_side)) {}
};

using MakeSequence = std::function<Material(std::size_t index)>;

// Calls make(0), ..., make(count - 1) from several threads; all must have the same shape.
Pool make_pool(
    std::size_t count, const MakeSequence& make, std::size_t switches, std::size_t threads,
    torch::Device device, const std::function<void()>& finished_one = [] {});

}  // namespace pcgs::train
