// FakeBackend: a device in host memory, for tests of everything above a backend. Its kernels are the ops' references;
// each holds some "device memory" as long as it lives. It counts what is done, has a byte cap, and fails on request:
// the n-th kernel that is made, or the n-th that is run.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace memline::testing {

struct FakeDevice {
  int64_t cap_bytes = int64_t{1} << 40;
  int64_t held_bytes = 0;
  int made = 0;
  std::atomic<int> ran = 0;
  int fail_make = 0;              // 1: the first one from now; counts down
  std::atomic<int> fail_run = 0;  // the same
};

inline constexpr int64_t kFakeKernelBytes = 1000;

class FakeKernel final : public Kernel {
 public:
  FakeKernel(const OpCall& call, FakeDevice& device)
      : op_(call.op), attrs_(call.attrs), base_inputs_(call.base_inputs), device_(device) {
    device_.held_bytes += kFakeKernelBytes;
  }
  ~FakeKernel() override { device_.held_bytes -= kFakeKernelBytes; }

  RunStatus run(const KernelArgs& args) noexcept override {
    ++device_.ran;
    if (device_.fail_run > 0 && --device_.fail_run == 0)
      return RunStatus::error(Code::device_error, "the fake device failed as asked");
    // Scribbles over its workspace: what it was not given would be found changed.
    if (!args.workspace.empty()) std::memset(args.workspace.data(), 0xee, args.workspace.size());
    op_->reference(attrs_, args.in.first(base_inputs_), args.out);
    return {};
  }

 private:
  const ops::OpDef* op_;
  ops::Attrs attrs_;
  size_t base_inputs_;
  FakeDevice& device_;
};

// Any op, by its reference; 64 bytes of workspace a thread.
class FakeTactic final : public Tactic {
 public:
  FakeTactic(std::string name, FakeDevice& device) : name_(std::move(name)), device_(device) {}
  std::string_view name() const override { return name_; }
  int version() const override { return 3; }
  Support supports(const OpCall&) const override { return Support::yes(); }
  Workspace workspace(const OpCall&, int) const override { return {.shared = 0, .per_thread = 64}; }
  double stored_cost(const OpCall&) const override { return 1; }
  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    ++device_.made;
    const bool fails = device_.fail_make > 0 && --device_.fail_make == 0;
    if (fails || device_.held_bytes + kFakeKernelBytes > device_.cap_bytes)
      return out_of_memory("the fake device has no {} bytes", kFakeKernelBytes);
    return std::make_unique<FakeKernel>(call, device_);
  }

 private:
  std::string name_;
  FakeDevice& device_;
};

class FakeBackend final : public Backend {
 public:
  FakeBackend() { tactics_.push_back(std::make_unique<FakeTactic>("fake.reference", device)); }
  std::string_view name() const override { return "fake"; }
  std::string target() const override { return "fake"; }
  std::span<const std::unique_ptr<Tactic>> tactics() const override { return tactics_; }
  Result<DType> activation_dtype(std::string_view) const override { return DType::f32; }
  void add(std::unique_ptr<Tactic> tactic) { tactics_.push_back(std::move(tactic)); }

  FakeDevice device;

 private:
  std::vector<std::unique_ptr<Tactic>> tactics_;
};

}  // namespace memline::testing
