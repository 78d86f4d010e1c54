// memline.h: sessions, over memline.hpp.
#include <algorithm>
#include <atomic>

#include "capi/engine.h"
#include "capi/guard.h"

using memline::Status;
using memline::TensorRef;
using memline::capi::guarded;
using memline::capi::needs;

// The lists that a run fills are here, so that a run allocates nothing; `busy` keeps a second caller away from them.
struct memline_session {
  memline_session(memline::Session taken, size_t input_count, size_t output_count)
      : session(std::move(taken)), inputs(input_count), outputs(output_count) {}

  memline::Session session;
  std::vector<TensorRef> inputs, outputs;
  std::atomic_flag busy = ATOMIC_FLAG_INIT;
};

namespace {

static_assert(MEMLINE_MAX_RANK == std::tuple_size_v<decltype(TensorRef::dims)>);

TensorRef ref_of(const memline_tensor& tensor) {
  TensorRef ref;
  ref.dtype = static_cast<memline::DType>(tensor.dtype);
  ref.rank = tensor.rank;
  std::copy_n(tensor.dims, MEMLINE_MAX_RANK, ref.dims.begin());
  ref.data = tensor.data;
  return ref;
}

memline_tensor tensor_of(const TensorRef& ref) {
  memline_tensor tensor = {static_cast<memline_dtype>(ref.dtype), ref.rank, {}, ref.data};
  std::copy_n(ref.dims.begin(), MEMLINE_MAX_RANK, tensor.dims);
  return tensor;
}

Status check_count(const char* kind, const void* list, size_t found, size_t needed) {
  if (found != needed) return memline::invalid_argument("{} {}s given, {} needed", found, kind, needed);
  return found == 0 ? Status() : needs(list, kind);
}

// A number that is no dtype must not become one.
Status check_dtypes(std::span<const memline_tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (static_cast<unsigned>(inputs[i].dtype) > MEMLINE_BOOL)
      return memline::invalid_argument("input {}: {} is no dtype", i, static_cast<int>(inputs[i].dtype));
  return {};
}

Status run_alone(memline_session& session, std::span<const memline_tensor> inputs, std::span<memline_tensor> outputs) {
  std::ranges::transform(inputs, session.inputs.begin(), ref_of);
  for (size_t i = 0; i < outputs.size(); ++i) {
    session.outputs[i] = {};
    session.outputs[i].data = outputs[i].data;
  }
  MEML_TRY_STATUS(session.session.run(session.inputs, session.outputs));
  std::ranges::transform(session.outputs, outputs.begin(), tensor_of);
  return {};
}

}  // namespace

memline_code memline_session_create(const memline_engine* engine, const memline_session_options* options,
                                    memline_session** session) {
  return guarded([&]() -> Status {
    MEML_TRY_STATUS(needs(engine, "engine"));
    MEML_TRY_STATUS(needs(session, "session"));
    const memline::SessionOptions wanted = {.threads = options == nullptr ? 0 : options->threads};
    MEML_TRY(memline::Session taken, engine->engine.make_session(wanted));
    *session = new memline_session(std::move(taken), engine->inputs.size(), engine->outputs.size());
    return {};
  });
}

void memline_session_free(memline_session* session) { delete session; }

memline_code memline_session_own_input(memline_session* session, size_t index, const int64_t* dims, int32_t rank,
                                       memline_tensor* tensor) {
  return guarded([&]() -> Status {
    MEML_TRY_STATUS(needs(session, "session"));
    MEML_TRY_STATUS(needs(tensor, "tensor"));
    if (rank < 0 || rank > MEMLINE_MAX_RANK)
      return memline::invalid_argument("rank is {}, needs 0 to {}", rank, MEMLINE_MAX_RANK);
    if (rank > 0) MEML_TRY_STATUS(needs(dims, "dims"));
    MEML_TRY(const TensorRef own, session->session.own_input(index, {dims, static_cast<size_t>(rank)}));
    *tensor = tensor_of(own);
    return {};
  });
}

memline_code memline_session_run(memline_session* session, const memline_tensor* inputs, size_t input_count,
                                 memline_tensor* outputs, size_t output_count) {
  return guarded([&]() -> Status {
    MEML_TRY_STATUS(needs(session, "session"));
    MEML_TRY_STATUS(check_count("input", inputs, input_count, session->inputs.size()));
    MEML_TRY_STATUS(check_count("output", outputs, output_count, session->outputs.size()));
    MEML_TRY_STATUS(check_dtypes({inputs, input_count}));
    if (session->busy.test_and_set(std::memory_order_acquire))
      return memline::fail(memline::Code::invalid_argument, "session_busy",
                           "the session is running already; give each thread a session of its own");
    Status status = run_alone(*session, {inputs, input_count}, {outputs, output_count});
    session->busy.clear(std::memory_order_release);
    return status;
  });
}
