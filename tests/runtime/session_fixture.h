// A session of a hand-made program on the fake backend.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "base/mapping.h"
#include "runtime/session.h"
#include "support/fake_backend.h"
#include "support/program_builder.h"

namespace memline::runtime {

using testing::operand;
using testing::Operand;
using testing::ProgramBuilder;

// Floats in pages, so that they lie as weights lie in a mapping.
inline std::shared_ptr<const engine::Engine> make_engine(engine::Program program,
                                                         const std::vector<float>& weights = {}) {
  auto pages = std::make_shared<Pages>(*Pages::take(std::max<int64_t>(program.weights_bytes, 1)));
  if (!weights.empty()) std::memcpy(pages->bytes().data(), weights.data(), weights.size() * sizeof(float));
  const auto bytes = pages->bytes().first(static_cast<size_t>(program.weights_bytes));
  return std::make_shared<const engine::Engine>("fake", std::move(program), bytes, pages);
}

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : pool_(*ThreadPool::create(0)) {}

  Result<std::unique_ptr<Session>> create(engine::Program program, SessionOptions options = {}) {
    return Session::create(make_engine(std::move(program)), backend_, *pool_, options);
  }
  // The session must come to be.
  std::unique_ptr<Session> make(engine::Program program, SessionOptions options = {}) {
    auto session = create(std::move(program), options);
    EXPECT_TRUE(session) << (session ? "" : session.error().message);
    return session ? *std::move(session) : nullptr;
  }

  testing::FakeBackend backend_;
  std::unique_ptr<ThreadPool> pool_;
};

// A tensor of the caller's: 0, 1, 2, ... times `step`.
struct Floats {
  Floats(std::vector<int64_t> dims, float step = 1)
      : values(static_cast<size_t>(std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>()))) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * step;
    view = dense_view(DType::f32, values.data(), dims);
  }
  std::vector<float> values;
  TensorView view;
};

inline std::vector<float> floats_of(const TensorView& view) {
  return {view.as<float>(), view.as<float>() + view.elements()};
}

// y[n, 4] = -(x[n, 4]) through a value in the arena, 1 <= n <= 8.
inline engine::Program negate_program() {
  ProgramBuilder b;
  const DimExpr n = b.slot("x.batch", {1, 8}, 0, 0);
  const TensorType type{DType::f32, {n, 4}};
  const Operand x = b.input("x", type), y = b.output("y", type), middle = b.arena(type);
  b.kernel("copy", "Identity", {x}, {middle});
  b.kernel("negate", "Neg", {middle}, {y});
  return b.take();
}

}  // namespace memline::runtime
