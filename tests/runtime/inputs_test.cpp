// What a run refuses, and the sentences it is explained with.
#include "runtime/session_fixture.h"

namespace memline::runtime {
namespace {

// a[h, w] and b[h, w] share h; w is a's own and even; c = a + b must have b's width, which is a condition.
engine::Program pair_program() {
  ProgramBuilder b;
  const DimExpr h = b.slot("a.height", {1, 64}, 0, 0), w = b.slot("a.width", {2, 64}, 0, 1);
  const DimExpr v = b.slot("b.width", {2, 64}, 1, 1);
  const TensorType type{DType::f32, {h, w}};
  const Operand a = b.input("a", type), other = b.input("b", {DType::f32, {h, v}}), c = b.output("c", type);
  b.kernel("add", "Add", {a, other}, {c});
  b.condition(w, v, "Add 'add'");
  b.condition(mod(w, 2), 0, "Reshape 'halves'");
  return b.take();
}

class InputsTest : public SessionTest {
 protected:
  InputsTest() : session_(make(pair_program())) {}
  std::string explain(std::span<const TensorView> inputs) {
    Floats c({64, 64});
    const RunStatus status = session_->run(inputs, {&c.view, 1});
    EXPECT_EQ(status.code, Code::invalid_argument);
    EXPECT_EQ(status.step, -1);
    return session_->explain(status);
  }
  std::unique_ptr<Session> session_;
};

TEST_F(InputsTest, AWrongNumberOfInputsOrOutputs) {
  Floats a({2, 2});
  EXPECT_EQ(explain({&a.view, 1}), "1 inputs given, 2 needed");
  const TensorView both[] = {a.view, a.view};
  const RunStatus status = session_->run(both, {});
  EXPECT_EQ(session_->explain(status), "0 outputs given, 1 needed");
}

TEST_F(InputsTest, ADimensionOutsideItsRange) {
  Floats a({2, 65}), b({2, 2});
  const TensorView both[] = {a.view, b.view};
  EXPECT_EQ(explain(both), "input 'a': dimension 1 is 65, must be 2 to 64");
}

TEST_F(InputsTest, AnotherElementType) {
  Floats a({2, 2}), b({2, 2});
  TensorView both[] = {a.view, b.view};
  both[1].dtype = DType::i32;
  EXPECT_EQ(explain(both), "input 'b': element type is i32, must be f32");
}

TEST_F(InputsTest, AnotherRank) {
  Floats a({2, 2}), b({4});
  const TensorView both[] = {a.view, b.view};
  EXPECT_EQ(explain(both), "input 'b': has 1 dimensions, must have 2");
}

TEST_F(InputsTest, NoData) {
  Floats a({2, 2}), b({2, 2});
  TensorView both[] = {a.view, b.view};
  both[0].data = nullptr;
  EXPECT_EQ(explain(both), "input 'a': an input has no data");
}

TEST_F(InputsTest, AnOddAddress) {
  Floats a({2, 2}), b({2, 2});
  TensorView both[] = {a.view, b.view};
  both[0].data = a.view.as<char>() + 1;
  EXPECT_EQ(explain(both), "input 'a': an input's address is not a multiple of its element size");
}

TEST_F(InputsTest, StridesThatAreNotDense) {
  Floats a({4, 4}), b({2, 2});
  TensorView both[] = {a.view, b.view};
  both[0].dims = {2, 2};
  EXPECT_EQ(explain(both), "input 'a': an input is not dense and row-major");
}

TEST_F(InputsTest, ADimensionThatTheOtherInputHasFixed) {
  Floats a({2, 2}), b({3, 2});
  const TensorView both[] = {a.view, b.view};
  EXPECT_EQ(explain(both), "input 'b': dimension 0 is 3, must be 2 for the other inputs given");
}

TEST_F(InputsTest, ABrokenConditionNamesItsNodeAndTheNearestShapeThatWorks) {
  Floats a({2, 4}), b({2, 5});
  const TensorView both[] = {a.view, b.view};
  EXPECT_EQ(explain(both),
            "Add 'add': s1 must be equal to s2, but they are 4 and 5 for a=2x4 b=2x5; the nearest shape that works is "
            "a=2x4 b=2x4");
}

TEST_F(InputsTest, TheNearestShapeMeetsAllConditions) {
  Floats a({2, 7}), b({2, 7});
  const TensorView both[] = {a.view, b.view};
  const std::string sentence = explain(both);
  EXPECT_NE(sentence.find("Reshape 'halves'"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("works is a=2x6 b=2x6"), std::string::npos) << sentence;
}

TEST_F(InputsTest, AGoodRunIsOk) {
  Floats a({2, 4}), b({2, 4}), c({2, 4});
  const TensorView both[] = {a.view, b.view};
  const RunStatus status = session_->run(both, {&c.view, 1});
  ASSERT_TRUE(status.ok()) << session_->explain(status);
  EXPECT_EQ(session_->explain(status), "ok");
  EXPECT_EQ(c.values[7], 14.0f);
}

}  // namespace
}  // namespace memline::runtime
