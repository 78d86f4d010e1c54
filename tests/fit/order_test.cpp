#include "fit/order.h"

#include <gmock/gmock.h>

#include <numeric>

#include "support/lowered.h"

namespace memline {
namespace {

using test::lowered;

// Two branches, each a large value that becomes a small one.
constexpr std::string_view kWide = R"(
    x = Input() f32[1,3,16,16]
    a = Conv(x, w1:f32[32,3,3,3]) pads=[1,1,1,1]
    b = Conv(x, w2:f32[32,3,3,3]) pads=[1,1,1,1]
    a2 = Conv(a, w3:f32[1,32,1,1])
    b2 = Conv(b, w4:f32[1,32,1,1])
    y = Add(a2, b2)
    Output(y))";

TEST(Orders, EachIsAPermutationThatRespectsWhatComesBefore) {
  const Homes homes = place_values(lowered(kWide));
  for (const Order& order : candidate_orders(homes)) {
    ASSERT_EQ(order.size(), homes.tasks.size());
    std::vector<bool> done(order.size(), false);
    for (const int32_t task : order) {
      EXPECT_FALSE(done[static_cast<size_t>(task)]);
      for (const int32_t before : homes.after[static_cast<size_t>(task)])
        EXPECT_TRUE(done[static_cast<size_t>(before)]);
      done[static_cast<size_t>(task)] = true;
    }
  }
}

TEST(Orders, TheFirstIsTheModelsOwnAndNoneComesTwice) {
  const Homes homes = place_values(lowered(kWide));
  const std::vector<Order> orders = candidate_orders(homes);
  Order own(homes.tasks.size());
  std::iota(own.begin(), own.end(), 0);
  EXPECT_EQ(orders.front(), own);
  for (size_t i = 0; i < orders.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(orders[i], orders[j]);
}

TEST(Orders, FitFinishesALargeBranchBeforeItBeginsTheOther) {
  const Schedule s = test::fitted(kWide);
  const auto position = [&](std::string_view name) {
    return std::find(s.order.begin(), s.order.end(), test::task_of(s, name)) - s.order.begin();
  };
  EXPECT_TRUE(position("a2") < position("b") || position("b2") < position("a"));
}

TEST(Spans, AnInputLivesFromTheStartAndAnOutputToTheEnd) {
  const Menu menu = lowered(R"(
    x = Input() f32[8]
    unused = Input() f32[8]
    y = Relu(x)
    z = Tanh(y)
    w = Sigmoid(z)
    Output(y, w))");
  const Homes homes = place_values(menu);
  Order order(homes.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  const std::vector<Span> spans = root_spans(homes, order);
  for (size_t r = 0; r < spans.size(); ++r) {
    const Root& root = homes.roots[r];
    if (root.region == memory::Region::input) {
      EXPECT_EQ(spans[r].first, 0) << root.name;
    } else if (root.region == memory::Region::output) {
      EXPECT_EQ(spans[r].last, static_cast<int32_t>(order.size()) - 1) << root.name;
    }
  }
}

}  // namespace
}  // namespace memline
