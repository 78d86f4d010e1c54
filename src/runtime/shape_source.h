// ShapeSource: input shapes of a program, drawn uniformly by seed from those that meet its ranges and conditions.
//   * A condition on one extent is met by listing that extent's values once; extents that share a condition are drawn
//     together until it holds. What shares no condition is independent, so every shape is as likely as every other.
//   * The same program and seed give the same shapes on every machine: the generator is our own (splitmix64).
//   * next() allocates nothing, so that `bench` can draw while it measures.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/program.h"

namespace memline::runtime {

class ShapeSource {
 public:
  // Keeps `program`, which must outlive it. Errors: invalid_argument, reason no_such_shape, when no value of an extent
  // meets the conditions on it alone.
  static Result<ShapeSource> create(const engine::Program& program, uint64_t seed);

  // Draws the next shape. Errors: invalid_argument, reason no_such_shape, when kMostDraws draws met no condition.
  Status next();
  // Of the shape drawn last: the extents of input i.
  std::span<const int64_t> dims(size_t input) const { return dims_[input]; }

  static constexpr int kMostDraws = 1 << 22;

 private:
  // One input extent: a range, or the values of it that meet the conditions on it alone.
  struct Extent {
    int32_t slot = 0;
    std::vector<int64_t> values;  // empty: the whole range
  };
  struct Group {
    std::vector<Extent> extents;
    std::vector<int32_t> conditions;
  };

  ShapeSource(const engine::Program& program, uint64_t seed) : program_(&program), state_(seed) {}
  void find_groups();
  Status list_values(Group& group);
  void draw(const Extent& extent);
  bool holds(std::span<const int32_t> conditions);
  uint64_t below(uint64_t count);

  const engine::Program* program_;
  uint64_t state_;
  std::vector<int64_t> slots_;
  std::vector<std::pair<int32_t, DimExpr>> computed_;  // slots that are known before the first step
  std::vector<Group> groups_;
  std::vector<std::vector<int64_t>> dims_;
};

}  // namespace memline::runtime
