// Program: what an engine runs. A tree of blocks of steps over operands in four regions; every size is a DimExpr over
// slots, every byte is planned. The compiler's assemble.cpp writes it, engine/file.* stores it, runtime/ runs it.
//   * Step kinds: kernel (which includes layout copies), host_eval (integers to slots), if, loop.
//   * An operand is a region, a byte offset, logical dims, strides by logical axis in elements, and optionally a row
//   range.
//   * Buffers list what the arena holds, for the bill, the timeline and verification at load.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "memory/bill.h"
#include "memory/buffer.h"
#include "ops/op.h"
#include "tensor/layout.h"
#include "tensor/tensor_type.h"

namespace memline::engine {

// The rows of a banded value that lie in memory. The operand's offset and dims are then those of the whole value: the
// offset may be negative, and only these rows may be touched.
struct BandRows {
  int32_t axis = -1;  // -1: the whole value lies there
  DimExpr begin, end;
};

struct Operand {
  memory::Region region = memory::Region::arena;
  int32_t index = 0;  // input, output: which one; otherwise 0
  DimExpr offset;     // bytes from the region's start (weights, arena, staging) or from the caller's pointer
  TensorType type;
  std::vector<DimExpr> strides;  // elements, by logical axis
  int64_t max_bytes = 0;         // at the bound, from the offset to the last byte touched: for reports
  BandRows rows;
  bool present = true;
};

// output `output` of the step has its true extent on `axis` only when the step has run; it then goes to `slot`.
struct CountOutput {
  int32_t output = 0, axis = 0, slot = 0;
};

//   kernel     runs its tactic's kernel on in, out
//   host_eval  `assigns` in order
//   branch     in[0] is one bool: true runs blocks[0], false blocks[1]
//   loop       runs blocks[0] while the number of runs is below in[0] (one i64; absent: no limit) and in[1] (one bool;
//              absent: true) holds; both are read before each run, so the body may write in[1]. `iteration_slot` is
//              0, 1, ...; a loop that would leave its range fails. The body's own steps move what is carried.
enum class StepKind : uint8_t { kernel, host_eval, branch, loop };

struct Step {
  StepKind kind = StepKind::kernel;
  std::string name;    // the node it comes from, for errors, bills and `bench --layers`
  std::string tactic;  // kernel: found by name in the backend at load
  int32_t tactic_version = 1;
  std::string call;  // kernel: the printed OpCall
  std::vector<Operand> in, out;
  DimExpr row_begin, row_end;  // kernel: output rows; row_end 0 and row_begin 0 with whole == true means all
  bool whole = true;
  int64_t workspace_offset = 0;  // bytes in the arena
  int64_t workspace_bytes = 0;
  int64_t packed_offset = 0;  // bytes in the weights region
  int64_t packed_bytes = 0;
  std::vector<CountOutput> counts;
  std::vector<std::pair<int32_t, DimExpr>> assigns;  // host_eval: slot <- expression of earlier slots
  // branch: then, else; loop: body. Each block but the first belongs to exactly one step, of a block before it.
  std::vector<int32_t> blocks;
  int32_t iteration_slot = -1;  // loop
  // What explains the step to a person; the run does not read it.
  int64_t flops = 0;
  double chosen_ns = 0;  // time measured when it was chosen, or the stored cost
  std::string why;       // copies: the reason
};

struct Block {
  std::vector<Step> steps;
};

struct Port {  // an input or output of the model
  std::string name;
  TensorType type;
  std::vector<int64_t> max_dims, min_dims, opt_dims;
  int64_t max_bytes = 0;
  int64_t own_offset = -1;  // where the session's own copy lies in the arena; -1: nowhere, it must be the caller's
};

struct SlotInfo {
  std::string name;
  Interval range;
  int64_t opt = 0;
  // Input dimensions are read from the shapes given to run: input `input`, axis `axis`. -1: set by a step.
  int32_t input = -1, axis = -1;
};

struct ShapeCondition {
  DimExpr left, right;
  std::string demanded_by;
};

struct Program {
  std::vector<Block> blocks;  // blocks[0] is the main one
  std::vector<SlotInfo> slots;
  std::vector<ShapeCondition> conditions;
  std::vector<Port> inputs, outputs;
  std::vector<memory::Buffer> buffers;  // roots in the arena, with their planned offsets
  std::vector<int64_t> buffer_offsets;
  int64_t arena_bytes = 0;
  int64_t weights_bytes = 0;
  int64_t staging_bytes = 0;
  int32_t threads = 1;  // workspaces are made for that many

  // Facts for reports.
  int64_t plain_arena_bytes = 0, lower_bound_bytes = 0, limit_bytes = 0;
  int32_t peak_step = 0;  // where the sum of live bytes is largest
  memory::Bill bill;
  // Model name and hash, precision, tune, passes that fired, refusals. Sorted, so byte-stable.
  std::map<std::string, std::string> about;
};

}  // namespace memline::engine
