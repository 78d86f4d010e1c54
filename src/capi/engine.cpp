// memline.h: engines, over memline.hpp.
#include "capi/engine.h"

#include "capi/guard.h"

namespace {

using memline::Status;
using memline::capi::guarded;
using memline::capi::needs;

static_assert(static_cast<int>(memline::DType::boolean) == MEMLINE_BOOL &&
              static_cast<int>(memline::DType::u64) == MEMLINE_U64 &&
              static_cast<int>(memline::DType::i8) == MEMLINE_I8 && static_cast<int>(memline::DType::f32) == 0);

std::vector<memline_port> c_ports(const std::vector<memline::PortInfo>& ports) {
  std::vector<memline_port> views;
  for (const memline::PortInfo& port : ports)
    views.push_back({port.name.c_str(), static_cast<memline_dtype>(port.dtype),
                     static_cast<int32_t>(port.max_dims.size()), port.min_dims.data(), port.opt_dims.data(),
                     port.max_dims.data(), port.max_bytes});
  return views;
}

Status find_port(const std::vector<memline_port>& ports, const char* kind, size_t index, memline_port* port) {
  MEML_TRY_STATUS(needs(port, "port"));
  if (index >= ports.size())
    return memline::invalid_argument("{} {} does not exist: the engine has {}", kind, index, ports.size());
  *port = ports[index];
  return {};
}

memline_bill c_bill(const memline::MemoryBill& bill) {
  memline_bill view = {};
  const std::pair<const char*, int64_t*> fields[] = {
      {"context", &view.context_bytes},     {"weights", &view.weights_bytes}, {"activations", &view.activations_bytes},
      {"workspace", &view.workspace_bytes}, {"io", &view.io_bytes},           {"kernels", &view.kernels_bytes},
      {"staging", &view.staging_bytes},     {"results", &view.results_bytes}, {"video", &view.video_bytes}};
  for (const memline::BillEntry& entry : bill.entries)
    for (const auto& [name, bytes] : fields)
      if (entry.name == name) *bytes = entry.bytes;
  view.total_bytes = bill.total_bytes;
  view.limit_bytes = bill.limit_bytes;
  view.arena_bytes = bill.arena_bytes;
  return view;
}

}  // namespace

memline_engine::memline_engine(memline::Engine loaded)
    : engine(std::move(loaded)),
      target(engine.target()),
      inputs(c_ports(engine.inputs())),
      outputs(c_ports(engine.outputs())) {}

const char* memline_version(void) {
  static const std::string version = memline::version();
  return version.c_str();
}

memline_code memline_engine_load(const char* path, memline_engine** engine) {
  return guarded([&]() -> Status {
    MEML_TRY_STATUS(needs(path, "path"));
    MEML_TRY_STATUS(needs(engine, "engine"));
    MEML_TRY(memline::Engine loaded, memline::Engine::load(path));
    *engine = new memline_engine(std::move(loaded));
    return {};
  });
}

void memline_engine_free(memline_engine* engine) { delete engine; }

size_t memline_engine_input_count(const memline_engine* engine) {
  return engine == nullptr ? 0 : engine->inputs.size();
}

size_t memline_engine_output_count(const memline_engine* engine) {
  return engine == nullptr ? 0 : engine->outputs.size();
}

memline_code memline_engine_input(const memline_engine* engine, size_t index, memline_port* port) {
  return guarded([&]() -> Status {
    MEML_TRY_STATUS(needs(engine, "engine"));
    return find_port(engine->inputs, "input", index, port);
  });
}

memline_code memline_engine_output(const memline_engine* engine, size_t index, memline_port* port) {
  return guarded([&]() -> Status {
    MEML_TRY_STATUS(needs(engine, "engine"));
    return find_port(engine->outputs, "output", index, port);
  });
}

memline_code memline_engine_bill(const memline_engine* engine, memline_bill* bill) {
  return guarded([&]() -> Status {
    MEML_TRY_STATUS(needs(engine, "engine"));
    MEML_TRY_STATUS(needs(bill, "bill"));
    *bill = c_bill(engine->engine.bill());
    return {};
  });
}

int32_t memline_engine_threads(const memline_engine* engine) {
  return engine == nullptr ? 0 : static_cast<int32_t>(engine->engine.threads());
}

const char* memline_engine_target(const memline_engine* engine) {
  return engine == nullptr ? nullptr : engine->target.c_str();
}

const char* memline_engine_about(const memline_engine* engine, const char* key) {
  if (engine == nullptr || key == nullptr) return nullptr;
  const char* text = nullptr;
  guarded([&]() -> Status {
    const auto found = engine->engine.about().find(key);
    if (found != engine->engine.about().end()) text = found->second.c_str();
    return {};
  });
  return text;
}
