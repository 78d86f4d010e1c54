#include "engine/verify.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/program_builder.h"

namespace memline::engine {
namespace {

TEST(Verify, AcceptsWhatTheBuilderMakes) {
  EXPECT_TRUE(verify(testing::sample_program()));
  EXPECT_TRUE(verify(testing::long_program(10)));
}

struct Damage {
  const char* what;
  std::function<void(Program&)> make;
  const char* message;  // part of it
};

Step& step(Program& program, size_t block, size_t index) { return program.blocks[block].steps[index]; }

const Damage kDamages[] = {
    {"no blocks", [](Program& p) { p.blocks.clear(); }, "no steps"},
    {"a negative arena", [](Program& p) { p.arena_bytes = -1; }, "a region of -1 bytes"},
    {"an absurd arena", [](Program& p) { p.arena_bytes = int64_t{1} << 60; }, "a region of"},
    {"no threads", [](Program& p) { p.threads = 0; }, "made for 0 threads"},
    {"a buffer without an offset", [](Program& p) { p.buffer_offsets.clear(); }, "buffers have 0 offsets"},
    {"a buffer outside the arena", [](Program& p) { p.buffer_offsets[0] = p.arena_bytes; }, "arena"},
    {"a buffer of negative size", [](Program& p) { p.buffers[0].bytes = -4; }, ""},
    {"a port without its ranges", [](Program& p) { p.inputs[0].max_dims.pop_back(); }, "'x' has 2 axes"},
    {"a port with an empty range", [](Program& p) { p.inputs[0].min_dims[1] = 9; }, "'x' axis 1: the range 9 to 8"},
    {"a port of absurd size", [](Program& p) { p.outputs[0].max_dims[0] = int64_t{1} << 60; }, "'y' takes"},
    {"a port outside the arena", [](Program& p) { p.outputs[0].own_offset = p.arena_bytes; }, "'y' leaves the arena"},
    {"a port at an odd place", [](Program& p) { p.outputs[0].own_offset += 4; }, "'y' leaves the arena"},
    {"a slot of an input that is not there", [](Program& p) { p.slots[0].input = 2; }, "comes from input 2"},
    {"a slot of an axis that is not there", [](Program& p) { p.slots[1].axis = 2; }, "comes from axis 2"},
    {"a slot with an empty range",
     [](Program& p) {
       p.slots[0].range = {3, 2};
     },
     "has an empty range"},
    {"an extent that may be negative", [](Program& p) { p.slots[0].range.min = -1; }, "may be negative"},
    {"a block that nothing runs", [](Program& p) { p.blocks.emplace_back(); }, "block 4 is not reached"},
    {"a block that runs itself", [](Program& p) { step(p, 0, 3).blocks[0] = 0; }, "step 'loop' runs block 0"},
    {"a block that two steps run", [](Program& p) { step(p, 0, 3).blocks[0] = 1; }, "step 'loop' runs block 1"},
    {"a branch with one block", [](Program& p) { step(p, 0, 2).blocks.pop_back(); }, ""},
    {"a branch on a number", [](Program& p) { step(p, 0, 2).in[0].type.dtype = DType::u8; }, "needs one bool"},
    {"a loop without a counter", [](Program& p) { step(p, 0, 3).iteration_slot = -1; },
     "without one body and a counter"},
    {"a loop whose counter is an input's extent", [](Program& p) { step(p, 0, 3).iteration_slot = 0; },
     "sets slot 0, an input's extent"},
    {"a loop over an i32", [](Program& p) { step(p, 0, 3).in[0].type.dtype = DType::i32; }, "needs a trip count"},
    {"a kernel with a block",
     [](Program& p) {
       p.blocks.emplace_back();
       step(p, 0, 0).blocks = {4};
     },
     "has blocks"},
    {"an assignment to no slot", [](Program& p) { step(p, 0, 1).assigns[0].first = 4; }, "slot 4 does not exist"},
    {"an assignment to an extent", [](Program& p) { step(p, 0, 1).assigns[0].first = 1; }, "sets slot 1"},
    {"a count of no output",
     [](Program& p) {
       step(p, 0, 0).counts = {{1, 0, 2}};
     },
     "counts axis 0 of output 1"},
    {"a count of no axis",
     [](Program& p) {
       step(p, 0, 0).counts = {{0, 2, 2}};
     },
     "counts axis 2 of output 0"},
    {"an operand with too few strides", [](Program& p) { step(p, 0, 0).in[0].strides.pop_back(); },
     "input 0: 2 axes and 1"},
    {"an operand of nine axes",
     [](Program& p) {
       step(p, 0, 0).in[0].type.dims.assign(9, 1);
       step(p, 0, 0).in[0].strides.assign(9, 1);
     },
     "9 axes"},
    {"an operand in an input that is not there", [](Program& p) { step(p, 0, 0).in[0].index = 2; }, "does not exist"},
    {"an operand in a negative output", [](Program& p) { step(p, 1, 0).out[0].index = -1; }, "does not exist"},
    {"a constant operand behind its region", [](Program& p) { step(p, 0, 0).in[1].offset = p.weights_bytes; },
     "step 'add': input 1: it leaves its region"},
    {"a constant operand before its region", [](Program& p) { step(p, 0, 0).in[1].offset = -64; }, "leaves its region"},
    {"a constant operand that overflows",
     [](Program& p) { step(p, 0, 0).in[1].type.dims[0] = std::numeric_limits<int64_t>::max(); }, "leaves its region"},
    {"a band of an axis that is not there", [](Program& p) { step(p, 2, 0).out[0].rows.axis = 2; }, "axes"},
    {"a step that writes to weights", [](Program& p) { step(p, 1, 0).out[0] = step(p, 0, 0).in[1]; },
     "writes to weights"},
    {"a step that writes to an input", [](Program& p) { step(p, 1, 0).out[0] = step(p, 0, 0).in[0]; }, "to an input"},
    {"a workspace outside the arena", [](Program& p) { step(p, 0, 0).workspace_bytes = p.arena_bytes; },
     "workspace leaves"},
    {"a workspace at an odd place", [](Program& p) { step(p, 0, 0).workspace_offset += 4; }, "workspace leaves"},
    {"a workspace whose size overflows",
     [](Program& p) { step(p, 0, 0).workspace_bytes = std::numeric_limits<int64_t>::max(); }, "workspace leaves"},
    {"packed weights outside the weights", [](Program& p) { step(p, 0, 0).packed_bytes = 1 << 20; },
     "packed weights leave"},
};

TEST(Verify, RefusesEachKindOfDamageAndNamesIt) {
  for (const Damage& damage : kDamages) {
    Program program = testing::sample_program();
    damage.make(program);
    const Status status = verify(program);
    ASSERT_FALSE(status) << damage.what;
    EXPECT_EQ(status.error().code, Code::invalid_argument) << damage.what;
    EXPECT_EQ(status.error().reason, "engine_corrupt") << damage.what;
    EXPECT_NE(status.error().message.find(damage.message), std::string::npos)
        << damage.what << ": " << status.error().message;
  }
}

}  // namespace
}  // namespace memline::engine
