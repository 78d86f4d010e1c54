// Where values lie before anything is placed: orders, views, and the copies between what disagrees.
#include "choose/lower.h"

#include <gmock/gmock.h>

#include "support/lowered.h"

namespace memline {
namespace {

using test::lowered;
using test::value_named;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> copies(const Menu& menu) { return test::copies(menu, {}); }

const MenuNode& node_of(const Menu& menu, std::string_view value) {
  for (const MenuNode& node : menu.nodes)
    for (const MenuValueId out : node.outputs)
      if (menu.value(out).name == value) return node;
  ADD_FAILURE() << "no node writes '" << value << "'";
  return menu.nodes.front();
}

TEST(Lower, ConvolutionsAndWhatStandsBetweenThemAreChannelsLast) {
  const Menu menu = lowered(R"(
    x = Input() f32[1,3,16,16]
    a = Conv(x, w1:f32[16,3,3,3])
    s = Sigmoid(a)
    m = Mul(a, s)
    p = MaxPool(m) kernel_shape=[2,2], strides=[2,2]
    b = Conv(p, w2:f32[8,16,1,1])
    Output(b))");
  for (const char* name : {"a", "s", "m", "p", "b"}) EXPECT_EQ(value_named(menu, name).order.text(), "0231") << name;
}

TEST(Lower, InputsAndOutputsOfTheModelAreRowMajorAndTheStemReadsItsInputAsItIs) {
  const Menu menu = lowered(R"(
    x = Input() f32[1,3,16,16]
    a = Conv(x, w1:f32[16,3,3,3]) | relu
    Output(a))");
  EXPECT_EQ(menu.value(menu.inputs[0]).order.text(), "0123");
  EXPECT_EQ(menu.value(menu.outputs[0]).order.text(), "0123");
  EXPECT_THAT(copies(menu), ElementsAre("a@output"));
  EXPECT_EQ(node_of(menu, "a").call.in[0].order.text(), "0123");
  EXPECT_EQ(node_of(menu, "a@output").why, "outputs are row-major");
}

TEST(Lower, EpiloguesThatNoTacticTakesBecomeAStepOfTheirOwn) {
  const Menu menu = lowered(R"(
    x = Input() f32[1,8,8,8]
    y = Input() f32[1,8,16,16]
    s = Softmax(x, y2:f32[1,8,8,8]) axis=1 | silu add(1) relu
    Output(s))");
  std::vector<std::string> ops;
  for (const MenuNode& node : menu.nodes) ops.push_back(std::string(node.call.op->name));
  EXPECT_THAT(ops, testing::IsSupersetOf({"Softmax", "Identity"}));
  EXPECT_THAT(node_of(menu, "s@base").call.epilogues, IsEmpty());
  EXPECT_EQ(node_of(menu, "s").call.epilogues.size(), 3u);
  for (const MenuNode& node : menu.nodes)
    for (const Candidate& candidate : node.candidates)
      EXPECT_THAT(std::string(candidate.tactic->name()), testing::Not(HasSubstr("reference"))) << node.name;
}

TEST(Lower, AListThatTheReferenceMustTakeAnywayStaysWhole) {
  const Menu menu = lowered(R"(
    x = Input() f32[2,8]
    s = CumSum(x, axis:i64[]) | silu
    Output(s))");
  EXPECT_EQ(node_of(menu, "s").call.op->name, "CumSum");
  EXPECT_EQ(node_of(menu, "s").call.epilogues.size(), 1u);
}

TEST(Lower, AResizeThatIsAnOutputWritesItAsItLies) {
  const std::string text = R"(
    x = Input() f32[1,3,16,16]
    scales = Constant() f32[4] {1, 1, 2, 2}
    a = Conv(x, w1:f32[16,3,3,3]) | relu
    y = Resize(a, _, scales) mode="linear"
    )";
  EXPECT_THAT(copies(lowered(text + "Output(y)")), IsEmpty());
  EXPECT_THAT(copies(lowered(text + "z = MaxPool(y) kernel_shape=[2,2]\nOutput(y, z)")),
              ElementsAre("y@output", "z@output"))
      << "an output that is read again lies as its readers want it";
}

TEST(Lower, ACopyIsMadeOnceForAllItsReadersAndSaysWhy) {
  const Menu menu = lowered(R"(
    x = Input() f32[1,16,8,8]
    a = Conv(x, w1:f32[16,16,1,1])
    b = Conv(x, w2:f32[16,16,3,3]) pads=[1,1,1,1]
    y = Add(a, b)
    m = GlobalAveragePool(y)
    Output(m))");
  std::vector<std::string> of_input;
  for (const std::string& copy : copies(menu))
    if (copy.starts_with("x@")) of_input.push_back(copy);
  EXPECT_LE(of_input.size(), 1u);
  for (const std::string& copy : of_input)
    EXPECT_THAT(node_of(menu, copy).why, HasSubstr("needs f32@0231, 'x' is f32@0123"));
}

TEST(Lower, ATransposeTurnsTheOrderAndMovesNothing) {
  const Menu menu = lowered(R"(
    x = Input() f32[1,3,16,16]
    a = Conv(x, w1:f32[16,3,3,3])
    t = Transpose(a) perm=[0,2,3,1]
    r = Relu(t)
    Output(r))");
  EXPECT_EQ(node_of(menu, "t").kind, MenuNodeKind::view);
  EXPECT_EQ(value_named(menu, "t").order.text(), "0123") << "channels-last, seen with the channels last, is row-major";
  EXPECT_THAT(copies(menu), IsEmpty());
}

TEST(Lower, AReshapeThatStridesCanSayKeepsTheOrder) {
  const Menu menu = lowered(R"(
    x = Input() f32[1,3,16,16]
    s = Constant() i64[3] {1, 16, 196}
    a = Conv(x, w1:f32[16,3,3,3])
    r = Reshape(a, s)
    y = Relu(r)
    Output(y))");
  EXPECT_EQ(node_of(menu, "r").kind, MenuNodeKind::view);
  EXPECT_EQ(value_named(menu, "r").order.text(), "021");
}

TEST(Lower, AReshapeThatTheyCannotSayReadsARowMajorCopy) {
  const Menu menu = lowered(R"(
    x = Input() f32[1,3,16,16]
    s = Constant() i64[2] {1, 3136}
    a = Conv(x, w1:f32[16,3,3,3])
    r = Reshape(a, s)
    y = Relu(r)
    Output(y))");
  EXPECT_EQ(node_of(menu, "r").kind, MenuNodeKind::view);
  EXPECT_THAT(copies(menu), ElementsAre("a@0123"));
}

TEST(Lower, ExactLeavesWinogradOutAndSaysSo) {
  constexpr std::string_view kText = R"(
    x = Input() f32[1,32,16,16]
    a = Conv(x, w1:f32[32,32,3,3]) pads=[1,1,1,1]
    Output(a))";
  const auto has_winograd = [](const Menu& menu) {
    for (const Candidate& candidate : node_of(menu, "a").candidates)
      if (candidate.tactic->name().find("winograd") != std::string_view::npos) return true;
    return false;
  };
  EXPECT_TRUE(has_winograd(lowered(kText)));
  const Menu exact = lowered(kText, {.exact = true});
  EXPECT_FALSE(has_winograd(exact));
  bool told = false;
  for (const Refusal& refusal : node_of(exact, "a").refusals) told |= refusal.reason == "left out by --exact";
  EXPECT_TRUE(told);
}

TEST(Lower, APrecisionThatTheCpuLacksIsRefused) {
  const auto graph = std::make_shared<const Graph>(test::parse("x = Input() f32[4]\ny = Relu(x)\nOutput(y)"));
  const auto menu = lower(graph, test::avx2(), {.precision = "bf16"});
  ASSERT_FALSE(menu.has_value());
  EXPECT_EQ(menu.error().code, Code::unsupported);
}

Menu lowered_in_bf16(std::string_view text) {
  static const cpu::CpuBackend backend(cpu::CpuLevel::amx);  // nothing is run
  auto menu = lower(std::make_shared<const Graph>(test::parse(text)), backend, {.precision = "bf16"});
  EXPECT_TRUE(menu.has_value()) << (menu ? "" : menu.error().message);
  return menu ? *std::move(menu) : Menu();
}

TEST(Lower, ProductsInBf16WriteBf16AndF32WhereTheyLeaveTheModel) {
  const Menu menu = lowered_in_bf16(R"(
    x = Input() f32[1,3,16,16]
    a = Conv(x, w1:f32[16,3,3,3])
    p = GlobalAveragePool(a)
    f = Flatten(p)
    h = Gemm(f, w2:f32[16,40]) | relu
    y = Gemm(h, w3:f32[40,10])
    Output(y))");
  EXPECT_THAT(copies(menu), IsEmpty());
  EXPECT_EQ(value_named(menu, "a").type.dtype, DType::bf16);
  EXPECT_EQ(value_named(menu, "h").type.dtype, DType::bf16);
  EXPECT_EQ(value_named(menu, "y").type.dtype, DType::f32);
  EXPECT_TRUE(node_of(menu, "y").candidates.front().tactic->name().ends_with("amx"));
}

TEST(Lower, AnOrderThatEndsInTheChannelsStaysInBf16) {
  const Menu menu = lowered_in_bf16(R"(
    x = Input() f32[1,3,16,16]
    a = Conv(x, w1:f32[16,3,3,3])
    t = Transpose(a) perm=[0,1,3,2]
    s = Softmax(t) axis=1
    b = Conv(s, w2:f32[1,16,1,1])
    Output(b))");
  EXPECT_THAT(copies(menu), ElementsAre("b@output"));
  EXPECT_EQ(value_named(menu, "s").type.dtype, DType::bf16);
  EXPECT_EQ(value_named(menu, "s").order.text(), "0321");
}

}  // namespace
}  // namespace memline
