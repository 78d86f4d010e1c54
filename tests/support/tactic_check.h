// Checks one tactic on one call against the op's reference, on random inputs of a fixed seed:
//   * the result is within a stated tolerance of the reference with the epilogues applied;
//   * bytes are equal with dense and with padded leading dimensions, for one participant and two, and for every split
//     of the rows in two and every row alone (where the tactic says that rows are independent);
//   * bytes are equal where the call's bounds are larger than the extents of the run (where the tactic takes that
//   call);
//   * nothing outside a view is read or written: gaps hold NaNs and are compared afterwards, and each tensor and the
//     workspace end where an unreadable page begins;
//   * bytes are equal when an input that the tactic may overwrite lies where the output lies.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "backend/tactic.h"

namespace memline::testing {

struct CheckInput {
  std::vector<int64_t> dims;
  bool constant = false;
  DType dtype = DType::f32;
  bool channels_last = false;  // as AxisOrder::channels_last
  bool present = true;
  std::vector<double> values = {};  // given elements, row-major; random when empty
};

struct CheckCall {
  std::string_view op;
  ops::Attrs attrs;
  std::vector<CheckInput> inputs;        // the op's
  std::vector<ops::Epilogue> epilogues;  // their `input` counts on from the op's inputs
  std::vector<CheckInput> epilogue_inputs;
  bool output_channels_last = false;
  DType output_dtype = DType::f32;
  int row_axis = 2;
};

struct Tolerance {
  double relative = 0;  // of the largest magnitude in the reference's result
  double absolute = 0;
};

// Reports through gtest. A tactic that refuses the call is a failure.
void expect_matches_reference(const Tactic& tactic, const CheckCall& call, Tolerance tolerance, uint32_t seed = 1);

// The refusal's reason, or "" when the tactic takes the call.
std::string refusal(const Tactic& tactic, const CheckCall& call);

}  // namespace memline::testing
