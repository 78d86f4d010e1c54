// memline.hpp over engine/ and runtime/.
#include "api/engine.h"

#include "api/backends.h"
#include "api/process.h"
#include "engine/file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#ifndef MEMLINE_VERSION
#define MEMLINE_VERSION "0.1.0"
#endif

namespace memline {

namespace api {

MemoryBill public_bill(const engine::Program& program) {
  MemoryBill bill;
  for (const auto& entry : program.bill.entries()) bill.entries.push_back({std::string(entry.name), entry.bytes});
  bill.total_bytes = program.bill.total();
  bill.limit_bytes = program.limit_bytes;
  bill.arena_bytes = program.arena_bytes;
  bill.lower_bound_bytes = program.lower_bound_bytes;
  bill.plain_arena_bytes = program.plain_arena_bytes;
  bill.largest = memory::largest_at(program.buffers, program.peak_step);
  return bill;
}

std::vector<PortInfo> public_ports(const std::vector<engine::Port>& ports) {
  std::vector<PortInfo> infos;
  for (const engine::Port& port : ports)
    infos.push_back({port.name, port.type.dtype, port.min_dims, port.opt_dims, port.max_dims, port.max_bytes});
  return infos;
}

}  // namespace api

namespace {

TensorView view_of(const TensorRef& ref) {
  TensorView view;
  view.dtype = ref.dtype;
  view.data = ref.data;
  view.rank = static_cast<uint8_t>(ref.rank);
  view.dims = ref.dims;
  if (ref.rank >= 0 && ref.rank <= kMaxRank) view.set_dense(AxisOrder::row_major(ref.rank));
  return view;
}

TensorRef ref_of(const TensorView& view) {
  TensorRef ref;
  ref.dtype = view.dtype;
  ref.data = view.data;
  ref.rank = view.rank;
  ref.dims = view.dims;
  return ref;
}

}  // namespace

Engine::Engine(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<Engine> Engine::load(const std::string& path) {
  auto impl = std::make_shared<Impl>();
  MEML_TRY(impl->engine, engine::read_file(path));
  MEML_TRY(impl->backend, api::backend_for_target(impl->engine->target()));
  MEML_TRY(impl->pool, api::shared_pool());
  impl->inputs = api::public_ports(impl->engine->program().inputs);
  impl->outputs = api::public_ports(impl->engine->program().outputs);
  return Engine(std::move(impl));
}

const std::vector<PortInfo>& Engine::inputs() const { return impl_->inputs; }
const std::vector<PortInfo>& Engine::outputs() const { return impl_->outputs; }
MemoryBill Engine::bill() const { return api::public_bill(impl_->engine->program()); }
int Engine::threads() const { return impl_->engine->program().threads; }
std::string Engine::target() const { return impl_->engine->target(); }
const std::map<std::string, std::string>& Engine::about() const { return impl_->engine->program().about; }

Result<Session> Engine::make_session(const SessionOptions& options) const {
  auto impl = std::make_unique<Session::Impl>();
  impl->engine = impl_;
  MEML_TRY(impl->session,
           runtime::Session::create(impl_->engine, *impl_->backend, *impl_->pool, {.threads = options.threads}));
  impl->in.resize(impl_->inputs.size());
  impl->out.resize(impl_->outputs.size());
  return Session(std::move(impl));
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<TensorRef> Session::own_input(size_t index, std::span<const int64_t> dims) {
  const auto& ports = impl_->engine->inputs;
  if (index >= ports.size()) return invalid_argument("input {} does not exist: the engine has {}", index, ports.size());
  const TensorView view = impl_->session->own_input(index, dims);
  const bool has_bytes = view.data != nullptr;
  if (!has_bytes)
    return invalid_argument("input '{}': found [{}], needs each extent within its range, [{}] to [{}]",
                            ports[index].name, fmt::join(dims, ","), fmt::join(ports[index].min_dims, ","),
                            fmt::join(ports[index].max_dims, ","));
  return ref_of(view);
}

namespace {

RunStatus run_views(Session::Impl& impl, std::span<const TensorRef> inputs, std::span<TensorRef> outputs,
                    std::span<runtime::StepTime> profile) noexcept {
  if (inputs.size() != impl.in.size()) return RunStatus::error(Code::invalid_argument, "wrong number of inputs");
  if (outputs.size() != impl.out.size()) return RunStatus::error(Code::invalid_argument, "wrong number of outputs");
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].rank < 0 || inputs[i].rank > kMaxRank)
      return RunStatus::error(Code::invalid_argument, "an input's rank is not within 0 to 8");
    impl.in[i] = view_of(inputs[i]);
  }
  for (size_t i = 0; i < outputs.size(); ++i) impl.out[i] = view_of({outputs[i].dtype, outputs[i].data, {}});
  const RunStatus status = impl.session->run(impl.in, impl.out, profile);
  if (status.ok())
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = ref_of(impl.out[i]);
  return status;
}

// Where there is no memory for the sentence the code comes alone.
Status status_of(const Session::Impl& impl, const RunStatus& status) noexcept {
  if (status.ok()) return {};
  try {
    return fail(status.code, {}, "{}", impl.session->explain(status));
  } catch (const std::bad_alloc&) {
    return Failure(Error{.code = status.code});
  }
}

}  // namespace

namespace {

Status busy() noexcept {
  Error error{.code = Code::invalid_argument, .reason = "session_busy"};
  try {
    error.message = "the session is running already; give each thread a session of its own";
  } catch (const std::bad_alloc&) {
  }
  return Failure(std::move(error));
}

// A second caller is refused before anything that the first one uses is touched.
Status run_alone(Session::Impl& impl, std::span<const TensorRef> inputs, std::span<TensorRef> outputs,
                 std::span<runtime::StepTime> profile) noexcept {
  if (impl.busy.test_and_set(std::memory_order_acquire)) return busy();
  Status status = status_of(impl, run_views(impl, inputs, outputs, profile));
  impl.busy.clear(std::memory_order_release);
  return status;
}

}  // namespace

Status Session::run(std::span<const TensorRef> inputs, std::span<TensorRef> outputs) noexcept {
  return run_alone(*impl_, inputs, outputs, {});
}

Status Session::run_profiled(std::span<const TensorRef> inputs, std::span<TensorRef> outputs,
                             std::vector<LayerTime>& times) {
  std::vector<runtime::StepTime> profile(times.size());
  Status status = run_alone(*impl_, inputs, outputs, profile);
  for (size_t i = 0; i < times.size(); ++i) times[i] = {profile[i].step, profile[i].nanoseconds};
  return status;
}

std::string version() { return MEMLINE_VERSION; }

}  // namespace memline
