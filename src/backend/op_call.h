// OpCall: all that a tactic or kernel is told of a node. Never a graph.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/op.h"
#include "tensor/layout.h"

namespace memline {

struct CallOperand {
  bool present = true;
  TensorType type;  // dtype is the storage dtype `choose` gave it, which may be bf16 where the graph says f32
  std::vector<int64_t> max_dims;  // each extent's upper bound over the ranges; equal to the dims at a fixed shape
  AxisOrder
      order;  // how its axes lie in memory. Strides are run-time values: any, but the last axis in memory has stride 1
  bool is_constant = false;
  TensorView value;               // when constant, and only while building: its dense row-major value
  std::vector<DimExpr> integers;  // its elements, where shape arithmetic knows them; only while building, not printed
};

struct OpCall {
  const ops::OpDef* op = nullptr;
  ops::Attrs attrs;
  std::vector<CallOperand> in;  // the op's inputs, then the epilogues' extra inputs
  size_t base_inputs = 0;       // how many of `in` belong to the op itself
  std::vector<CallOperand> out;
  std::vector<ops::Epilogue> epilogues;
  int row_axis = 2;  // the logical axis on which row ranges are counted

  // One line, everything but constant values: the key of the timing cache and what an engine stores. parse(text())
  // gives an equal call.
  //   Conv(f32[1,16,320,320]@0231, const f32[32,16,3,3]@0123, const f32[32]@0) pads=[1,1,1,1] | bias(2) silu ->
  //   f32[1,32,160,160]@0231
  std::string text() const;
  static Result<OpCall> parse(std::string_view text);
};

}  // namespace memline
