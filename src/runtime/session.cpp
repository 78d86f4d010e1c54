#include "runtime/session.h"

#include <algorithm>
#include <cstring>

#include "runtime/explain.h"
#include "runtime/inputs.h"
#include "runtime/messages.h"
#include "runtime/prepare.h"
#include "runtime/run.h"

namespace memline::runtime {
namespace {

// One run at the opt shape, on zeros, in the session's own inputs and outputs.
Status warm_up(Session& session, const engine::Program& program) {
  std::vector<TensorView> inputs, outputs(program.outputs.size());
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    inputs.push_back(session.own_input(i, program.inputs[i].opt_dims));
    if (inputs.back().data == nullptr)
      return invalid_argument("input '{}' has no place in the arena, so the session cannot be warmed up",
                              program.inputs[i].name);
    std::memset(inputs.back().data, 0, static_cast<size_t>(inputs.back().elements() * size_of(inputs.back().dtype)));
  }
  const RunStatus status = session.run(inputs, outputs);
  if (!status.ok()) return fail(status.code, {}, "warm-up: {}", session.explain(status));
  return {};
}

}  // namespace

Session::Session(std::shared_ptr<const engine::Engine> engine, std::unique_ptr<Prepared> prepared)
    : engine_(std::move(engine)), prepared_(std::move(prepared)) {}

Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const engine::Engine> engine, const Backend& backend,
                                                 ThreadPool& pool, const SessionOptions& options) {
  const engine::Program& program = engine->program();
  if (engine->target() != backend.target())
    return fail(Code::invalid_argument, "engine_target",
                "the engine was made for '{}', this is '{}'; rebuild it here: memline build MODEL.onnx -o ENGINE.mline",
                engine->target(), backend.target());
  if (options.threads < 0 || options.threads > program.threads)
    return invalid_argument("{} threads asked for, the engine's workspaces are made for {}", options.threads,
                            program.threads);
  const int threads = options.threads == 0 ? program.threads : options.threads;
  MEML_TRY(std::unique_ptr<Prepared> prepared, prepare(*engine, backend, pool, threads));
  std::unique_ptr<Session> session(new Session(std::move(engine), std::move(prepared)));
  if (options.warm_up) MEML_TRY_STATUS(warm_up(*session, program));
  return session;
}

TensorView Session::own_input(size_t index, std::span<const int64_t> dims) noexcept {
  const auto& inputs = engine_->program().inputs;
  if (index >= inputs.size() || dims.size() != inputs[index].max_dims.size()) return {};
  const engine::Port& input = inputs[index];
  for (size_t axis = 0; axis < dims.size(); ++axis)
    if (dims[axis] < input.min_dims[axis] || dims[axis] > input.max_dims[axis]) return {};
  return dense_view(input.type.dtype, prepared_->own(input), dims);
}

RunStatus Session::run(std::span<const TensorView> inputs, std::span<TensorView> outputs,
                       std::span<StepTime> profile) noexcept {
  if (busy_.test_and_set(std::memory_order_acquire)) return RunStatus::error(Code::invalid_argument, kBusy);
  RunStatus status = accept(*prepared_, inputs, outputs);
  if (status.ok()) status = run_program(*prepared_, profile);
  if (status.ok()) describe_outputs(*prepared_, outputs);
  busy_.clear(std::memory_order_release);
  return status;
}

std::string Session::explain(const RunStatus& status) const {
  if (status.ok()) return "ok";
  if (busy_.test_and_set(std::memory_order_acquire)) return status.message;
  std::string sentence = explain_run(*prepared_, status);
  busy_.clear(std::memory_order_release);
  return sentence;
}

int64_t Session::arena_bytes() const { return engine_->program().arena_bytes; }
int32_t Session::step_count() const { return static_cast<int32_t>(prepared_->steps.size()); }
const engine::Step& Session::step(int32_t number) const { return *prepared_->steps[static_cast<size_t>(number)].step; }

}  // namespace memline::runtime
