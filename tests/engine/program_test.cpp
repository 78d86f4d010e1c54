// encode() and decode(): the tables as bytes.
#include <gtest/gtest.h>

#include <chrono>

#include "engine/context.h"
#include "engine/file.h"
#include "support/program_builder.h"

namespace memline::engine {
namespace {

using Bytes = std::vector<std::byte>;

TEST(Program, ComesBackFromItsBytesAsItWas) {
  const Program program = testing::sample_program();
  const Bytes bytes = encode(program);
  const Result<Program> again = decode(bytes);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(encode(*again), bytes);
  ASSERT_EQ(again->blocks.size(), 4u);
  const Step& add = again->blocks[0].steps[0];
  EXPECT_EQ(add.name, "add");
  EXPECT_EQ(add.call, program.blocks[0].steps[0].call);
  EXPECT_EQ(add.in[0].type, program.blocks[0].steps[0].in[0].type);
  EXPECT_EQ(add.in[0].strides, program.blocks[0].steps[0].in[0].strides);
  EXPECT_EQ(add.in[1].region, memory::Region::weights);
  EXPECT_EQ(add.flops, int64_t{1} << 62);
  EXPECT_EQ(add.chosen_ns, 1234.5);
  EXPECT_EQ(again->limit_bytes, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(again->about, program.about);
  EXPECT_EQ(again->buffers, program.buffers);
  EXPECT_EQ(again->bill, program.bill);
  EXPECT_FALSE(again->blocks[0].steps[3].in[1].present);
  EXPECT_EQ(again->blocks[2].steps[0].out[0].rows.axis, 0);
  EXPECT_EQ(again->conditions[0].demanded_by, "Reshape 'halves'");
}

TEST(Program, HasTheSameBytesEachTime) {
  EXPECT_EQ(encode(testing::sample_program()), encode(testing::sample_program()));
}

// Reads, and if that works, reads what is written again: nothing may crash, whatever the bytes are.
void expect_error_or_program(const Bytes& bytes) {
  const Result<Program> program = decode(bytes);
  if (!program) {
    EXPECT_EQ(program.error().code, Code::invalid_argument);
    EXPECT_EQ(program.error().reason, "engine_corrupt");
    EXPECT_FALSE(program.error().message.empty());
    return;
  }
  const Bytes written = encode(*program);
  const Result<Program> again = decode(written);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(encode(*again), written);
}

TEST(Program, CutAnywhereIsAnError) {
  const Bytes bytes = encode(testing::sample_program());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Result<Program> program = decode(std::span(bytes).first(size));
    ASSERT_FALSE(program) << size;
    EXPECT_EQ(program.error().reason, "engine_corrupt");
  }
}

TEST(Program, WithAnyBitFlippedIsAnErrorOrAProgramThatCanBeWritten) {
  const Bytes bytes = encode(testing::sample_program());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Bytes flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    expect_error_or_program(flipped);
  }
}

TEST(Program, WithAnyByteSetToItsExtremesIsAnErrorOrAProgramThatCanBeWritten) {
  const Bytes bytes = encode(testing::sample_program());
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int value : {0x00, 0x7f, 0x80, 0xff}) {
      Bytes changed = bytes;
      changed[at] = static_cast<std::byte>(value);
      expect_error_or_program(changed);
    }
  }
}

TEST(Program, WithBytesBehindItsEndIsAnError) {
  Bytes bytes = encode(testing::sample_program());
  bytes.push_back(std::byte{0});
  ASSERT_FALSE(decode(bytes));
  EXPECT_NE(decode(bytes).error().message.find("left over"), std::string::npos);
}

TEST(Program, ThatSpeaksOfASlotItDoesNotHaveIsAnError) {
  Program program = testing::sample_program();
  program.blocks[0].steps[1].assigns[0].second = DimExpr::slot(4) + DimExpr(1);
  const Result<Program> read = decode(encode(program));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("a slot does not exist"), std::string::npos);
}

TEST(Program, OfManyStepsIsReadFast) {
  const Program program = testing::long_program(2500);
  const Bytes bytes = encode(program);
  double best_ms = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const Result<Program> read = decode(bytes);
    const auto end = std::chrono::steady_clock::now();
    ASSERT_TRUE(read) << read.error().message;
    best_ms = std::min(best_ms, std::chrono::duration<double, std::milli>(end - begin).count());
  }
  RecordProperty("decode_ms", std::to_string(best_ms));
  RecordProperty("bytes", std::to_string(bytes.size()));
  RecordProperty("table_bytes", std::to_string(table_bytes(program)));
  EXPECT_LT(best_ms, 60);  // 20 ms alone on the machine; the rest is for neighbours and sanitizers
}

TEST(Program, ExpressionsAreStoredOnce) {
  testing::ProgramBuilder b;
  const DimExpr n = b.slot("n", {1, 8}, 0, 0);
  const TensorType type{DType::f32, {n * DimExpr(3) + DimExpr(1), 5}};
  b.input("x", TensorType{DType::f32, {n, 5}});
  const Operand a = b.arena(type), c = b.arena(type);
  for (int i = 0; i < 10; ++i) b.kernel("copy", "Identity", {a}, {c});
  const Program program = b.take();
  const Bytes bytes = encode(program);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t steps_begin = text.find("copy");
  size_t found = 0;
  const std::string expression = type.dims[0].text();
  for (size_t at = text.find(expression); at < steps_begin; at = text.find(expression, at + 1)) ++found;
  EXPECT_EQ(found, 1u);
}

}  // namespace
}  // namespace memline::engine
