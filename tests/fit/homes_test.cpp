// Where values lie: what is a view and what is copied.
#include "fit/homes.h"

#include <gmock/gmock.h>

#include "support/lowered.h"

namespace memline {
namespace {

using test::copies;
using test::lowered;
using testing::ElementsAre;
using testing::IsEmpty;

const Home& home_of(const Menu& menu, const Homes& homes, std::string_view name) {
  for (size_t v = 0; v < menu.values.size(); ++v)
    if (menu.values[v].name == name) return homes.of_value[v];
  ADD_FAILURE() << "no value '" << name << "'";
  return homes.of_value.front();
}

// A block as in C2f: a split, two convolutions of which the second adds what the first read, and a concat of all.
constexpr std::string_view kBlock = R"(
    x = Input() f32[1,3,16,16]
    n = Constant() i64[2] {8, 8}
    a = Conv(x, w1:f32[16,3,3,3]) pads=[1,1,1,1]
    p, q = Split(a, n) axis=1
    m = Conv(q, w2:f32[8,8,3,3]) pads=[1,1,1,1] | silu
    r = Conv(m, w3:f32[8,8,3,3], q) pads=[1,1,1,1] | silu add(2)
    cat = Concat(p, q, r) axis=1
    y = Conv(cat, w4:f32[16,24,1,1])
    Output(y))";

TEST(Homes, SplitAndConcatOnChannelsMoveNothing) {
  const Menu menu = lowered(kBlock);
  const Homes homes = place_values(menu);
  EXPECT_THAT(copies(menu, homes), ElementsAre("y@output"));
  const Home& all = home_of(menu, homes, "cat");
  for (const char* part : {"a", "p", "q", "r"}) EXPECT_EQ(home_of(menu, homes, part).root, all.root) << part;
  EXPECT_EQ(home_of(menu, homes, "q").at.offset, DimExpr(8));
  EXPECT_EQ(home_of(menu, homes, "r").at.offset, DimExpr(16));
  EXPECT_EQ(home_of(menu, homes, "r").at.strides[3], DimExpr(24));
}

TEST(Homes, WhoReadsAConcatWaitsForAllThatWriteIntoIt) {
  const Menu menu = lowered(kBlock);
  const Homes homes = place_values(menu);
  const auto writes = [&](const Task& task, std::string_view name) {
    return task.out.size() == 1 && task.out[0] >= 0 && menu.value(task.out[0]).name == name;
  };
  for (size_t t = 0; t < homes.tasks.size(); ++t) {
    if (!writes(homes.tasks[t], "y")) continue;
    std::vector<std::string> before;
    for (const int32_t earlier : homes.after[t])
      before.push_back(menu.value(homes.tasks[static_cast<size_t>(earlier)].out[0]).name);
    EXPECT_THAT(before, ElementsAre("a", "r"));
  }
}

TEST(Homes, AConcatInsideAnotherLiesInTheOuterOne) {
  const Menu menu = lowered(R"(
    x = Input() f32[4,6]
    a = Relu(x)
    b = Tanh(x)
    c = Sigmoid(x)
    inner = Concat(a, b) axis=1
    outer = Concat(c, inner) axis=1
    y = Relu(outer)
    Output(y))");
  const Homes homes = place_values(menu);
  EXPECT_THAT(copies(menu, homes), IsEmpty());
  EXPECT_EQ(home_of(menu, homes, "b").root, home_of(menu, homes, "outer").root);
  EXPECT_EQ(home_of(menu, homes, "b").at.offset, DimExpr(12));
}

TEST(Homes, AModelInputOrConstantIsCopiedIntoItsPlaceOfAConcat) {
  const Menu menu = lowered(R"(
    x = Input() f32[2,6]
    a = Relu(x)
    cat = Concat(a, x, k:f32[2,6]) axis=1
    y = Relu(cat)
    Output(y))");
  const Homes homes = place_values(menu);
  EXPECT_THAT(copies(menu, homes), ElementsAre("cat <- x", "cat <- k"));
  EXPECT_EQ(home_of(menu, homes, "x").at.offset, DimExpr(0));  // the caller's
  EXPECT_NE(home_of(menu, homes, "x").root, home_of(menu, homes, "cat").root);
}

TEST(Homes, AValueThatAConcatHasTwiceIsCopiedOnce) {
  const Menu menu = lowered(R"(
    x = Input() f32[2,6]
    a = Relu(x)
    cat = Concat(a, a) axis=1
    y = Relu(cat)
    Output(y))");
  const Homes homes = place_values(menu);
  EXPECT_THAT(copies(menu, homes), ElementsAre("cat <- a"));
  EXPECT_EQ(home_of(menu, homes, "a").root, home_of(menu, homes, "cat").root);
}

TEST(Homes, AValueOfTwoConcatsLiesInOneAndIsCopiedIntoTheOther) {
  const Menu menu = lowered(R"(
    x = Input() f32[2,6]
    a = Relu(x)
    b = Tanh(x)
    first = Concat(a, b) axis=1
    second = Concat(b, a) axis=1
    y = Add(first, second)
    Output(y))");
  EXPECT_EQ(copies(menu, place_values(menu)).size(), 2u);
}

TEST(Homes, PartOfAValueCannotBeWrittenAloneIntoAConcat) {
  const Menu menu = lowered(R"(
    x = Input() f32[2,6]
    n = Constant() i64[2] {2, 4}
    a = Relu(x)
    p, q = Split(a, n) axis=1
    cat = Concat(p, p) axis=1
    y = Relu(cat)
    z = Relu(q)
    Output(y, z))");
  const Homes homes = place_values(menu);
  EXPECT_THAT(copies(menu, homes), ElementsAre("cat <- p", "cat <- p"));
  EXPECT_EQ(home_of(menu, homes, "q").root, home_of(menu, homes, "a").root);
}

TEST(Homes, ReshapesAndTransposesAreViews) {
  const Menu menu = lowered(R"(
    x = Input() f32[2,3,4]
    a = Relu(x)
    s = Constant() i64[2] {6, 4}
    r = Reshape(a, s)
    t = Transpose(r) perm=[1,0]
    y = Relu(t)
    Output(y))");
  const Homes homes = place_values(menu);
  const Home& t = home_of(menu, homes, "t");
  EXPECT_EQ(t.root, home_of(menu, homes, "a").root);
  EXPECT_EQ(t.at.strides[0], DimExpr(1));
  EXPECT_EQ(t.at.strides[1], DimExpr(4));
}

TEST(Homes, AViewThatStridesCannotExpressIsCopiedOnceBeforeIt) {
  // b lies inside the concat with a row of 12: merging its axes needs a dense copy.
  const Menu menu = lowered(R"(
    x = Input() f32[2,6]
    a = Relu(x)
    b = Tanh(x)
    cat = Concat(a, b) axis=1
    s = Constant() i64[1] {12}
    r = Reshape(b, s)
    y = Relu(cat)
    z = Relu(r)
    Output(y, z))");
  EXPECT_THAT(copies(menu, place_values(menu)), ElementsAre("r <- b"));
}

TEST(Homes, AnOutputThatIsAViewOrAnInputIsAStepOfItsOwn) {
  const Menu menu = lowered(R"(
    x = Input() f32[2,6]
    s = Constant() i64[1] {12}
    a = Relu(x)
    r = Reshape(a, s)
    k = Constant() f32[3] {1, 2, 3}
    Output(r, same=x, k, a))");
  EXPECT_THAT(copies(menu, place_values(menu)), ElementsAre("r@output", "same@output", "k@output"));
}

}  // namespace
}  // namespace memline
