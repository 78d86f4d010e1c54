// Many threads: one run at a time for a session, any number of sessions of an engine at once.
#include <thread>

#include "runtime/session_fixture.h"

namespace memline::runtime {
namespace {

// Waits inside its run until the test lets it go.
struct Gate {
  std::atomic<bool> entered = false, open = false;
};

class GateKernel final : public Kernel {
 public:
  explicit GateKernel(Gate& gate) : gate_(gate) {}
  RunStatus run(const KernelArgs&) noexcept override {
    gate_.entered = true;
    while (!gate_.open) std::this_thread::yield();
    return {};
  }

 private:
  Gate& gate_;
};

class GateTactic final : public Tactic {
 public:
  explicit GateTactic(Gate& gate) : gate_(gate) {}
  std::string_view name() const override { return "fake.gate"; }
  Support supports(const OpCall&) const override { return Support::yes(); }
  Workspace workspace(const OpCall&, int) const override { return {}; }
  double stored_cost(const OpCall&) const override { return 1; }
  Result<std::unique_ptr<Kernel>> make(const OpCall&, std::span<const std::byte>) const override {
    return std::make_unique<GateKernel>(gate_);
  }

 private:
  Gate& gate_;
};

TEST_F(SessionTest, RefusesASecondCallerAtOnce) {
  Gate gate;
  backend_.add(std::make_unique<GateTactic>(gate));
  engine::Program program = negate_program();
  program.blocks[0].steps[0].tactic = "fake.gate";
  program.blocks[0].steps[0].tactic_version = 1;
  const auto session = make(std::move(program));
  Floats x({2, 4}), y({2, 4});
  RunStatus first;
  std::thread caller([&] { first = session->run({&x.view, 1}, {&y.view, 1}); });
  while (!gate.entered) std::this_thread::yield();
  Floats second({2, 4});
  const RunStatus refused = session->run({&x.view, 1}, {&second.view, 1});
  EXPECT_EQ(refused.code, Code::invalid_argument);
  EXPECT_EQ(session->explain(refused), "the session is running already");
  gate.open = true;
  caller.join();
  EXPECT_TRUE(first.ok());
  EXPECT_TRUE(session->run({&x.view, 1}, {&second.view, 1}).ok());
}

TEST_F(SessionTest, SessionsOfOneEngineRunAtTheSameTimeWithTheirOwnResults) {
  const auto engine = make_engine(negate_program());
  constexpr int kThreads = 8, kRuns = 200;
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < kThreads; ++i) sessions.push_back(*Session::create(engine, backend_, *pool_, {}));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRuns; ++i) {
        Floats x({1 + (t + i) % 8, 4}, static_cast<float>(t + 1)), y({8, 4});
        if (!sessions[static_cast<size_t>(t)]->run({&x.view, 1}, {&y.view, 1}).ok()) ++wrong;
        for (size_t k = 0; k < x.values.size(); ++k) wrong += y.values[k] != -x.values[k];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace memline::runtime
