// What Session::create refuses: engines that do not fit the backend, and programs that do not fit themselves.
#include "runtime/session_fixture.h"

namespace memline::runtime {
namespace {

class LoadTest : public SessionTest {
 protected:
  Error refused(engine::Program program) {
    const auto session = create(std::move(program));
    EXPECT_FALSE(session);
    EXPECT_EQ(backend_.device.held_bytes, 0);
    return session ? Error() : session.error();
  }
  static engine::Step& step(engine::Program& program, size_t index) { return program.blocks[0].steps[index]; }
};

TEST_F(LoadTest, AnEngineOfAnotherTargetNamesBothAndHowToRebuild) {
  const auto program = negate_program();
  const auto engine =
      std::make_shared<const engine::Engine>("cpu avx512", program, std::span<const std::byte>(), nullptr);
  const auto session = Session::create(engine, backend_, *pool_, {});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, Code::invalid_argument);
  EXPECT_EQ(session.error().reason, "engine_target");
  EXPECT_NE(session.error().message.find("'cpu avx512'"), std::string::npos);
  EXPECT_NE(session.error().message.find("'fake'"), std::string::npos);
  EXPECT_NE(session.error().message.find("memline build"), std::string::npos);
}

TEST_F(LoadTest, AnUnknownTacticIsCorrupt) {
  auto program = negate_program();
  step(program, 1).tactic = "fake.none";
  const Error error = refused(program);
  EXPECT_EQ(error.reason, "engine_corrupt");
  EXPECT_EQ(error.message, "step 'negate': there is no tactic 'fake.none'");
}

TEST_F(LoadTest, ATacticThatHasChangedAsksForARebuild) {
  auto program = negate_program();
  step(program, 1).tactic_version = 2;
  const Error error = refused(program);
  EXPECT_EQ(error.reason, "engine_version");
  EXPECT_NE(error.message.find("has version 3, the engine was made with 2"), std::string::npos);
}

TEST_F(LoadTest, ACallThatCannotBeReadIsCorrupt) {
  auto program = negate_program();
  step(program, 0).call = "Identity(f32[";
  EXPECT_EQ(refused(program).reason, "engine_corrupt");
  step(program, 0).call = "NoSuchOp(f32[4]@0) -> f32[4]@0";
  EXPECT_EQ(refused(program).reason, "engine_corrupt");
}

TEST_F(LoadTest, OperandsThatAreNotTheCallsAreCorrupt) {
  auto program = negate_program();
  step(program, 0).in[0].type.dtype = DType::i32;
  EXPECT_NE(refused(program).message.find("step 'copy': input 0: is i32"), std::string::npos);
  program = negate_program();
  step(program, 0).in.push_back(step(program, 0).in[0]);
  EXPECT_NE(refused(program).message.find("2 inputs and 1 outputs, the call has 1 and 1"), std::string::npos);
  program = negate_program();
  step(program, 0).in[0].present = false;
  EXPECT_NE(refused(program).message.find("not in both"), std::string::npos);
}

TEST_F(LoadTest, AWorkspaceSmallerThanTheTacticNeedsIsCorrupt) {
  auto program = negate_program();
  step(program, 1).workspace_bytes = 63;
  EXPECT_NE(refused(program).message.find("63 bytes of workspace, fake.reference needs 64"), std::string::npos);
}

TEST_F(LoadTest, AnOperandThatLeavesItsRegionAtTheLargestShapeIsCorrupt) {
  auto program = negate_program();
  step(program, 0).out[0].offset = step(program, 0).out[0].offset + DimExpr::slot(0) * DimExpr(64);
  const Error error = refused(program);
  EXPECT_EQ(error.reason, "engine_corrupt");
  EXPECT_NE(error.message.find("step 'copy'"), std::string::npos);
}

TEST_F(LoadTest, AnExtentLargerThanTheKernelsIsCorrupt) {
  auto program = negate_program();
  std::string& call = step(program, 1).call;
  const size_t at = call.find("<=[8,4]");
  ASSERT_NE(at, std::string::npos);
  call.replace(at, 7, "<=[7,4]");
  EXPECT_EQ(refused(program).reason, "engine_corrupt");
}

}  // namespace
}  // namespace memline::runtime
