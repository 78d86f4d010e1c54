/* A C11 program's use of memline.h, beginning to end. */
#include "capi/c_program.h"

#include <string.h>

#define CHECK(condition)               \
  do {                                 \
    if (!(condition)) return __LINE__; \
  } while (0)

static size_t bytes_of(const memline_tensor* tensor) {
  size_t n = sizeof(float);
  for (int32_t axis = 0; axis < tensor->rank; ++axis) n *= (size_t)tensor->dims[axis];
  return n;
}

int c_program_runs(const char* engine_path, const float* input, const int64_t* dims, int32_t rank, float* output,
                   size_t output_floats) {
  memline_engine* engine = NULL;
  memline_session* session = NULL;
  memline_port port;
  CHECK(memline_engine_load(engine_path, &engine) == MEMLINE_OK);
  CHECK(memline_engine_input_count(engine) == 1 && memline_engine_output_count(engine) == 1);
  CHECK(memline_engine_input(engine, 0, &port) == MEMLINE_OK);
  CHECK(strcmp(port.name, "x") == 0 && port.dtype == MEMLINE_F32 && port.rank == rank);
  CHECK(memline_engine_output(engine, 0, &port) == MEMLINE_OK);
  CHECK((size_t)port.max_bytes <= output_floats * sizeof(float));

  const memline_session_options options = {.threads = 1};
  CHECK(memline_session_create(engine, &options, &session) == MEMLINE_OK);
  memline_engine_free(engine); /* the session keeps what it needs */

  memline_tensor in = {.dtype = MEMLINE_F32, .rank = rank, .data = (void*)input};
  memcpy(in.dims, dims, sizeof(int64_t) * (size_t)rank);
  memline_tensor out = {.data = output};
  CHECK(memline_session_run(session, &in, 1, &out, 1) == MEMLINE_OK);
  CHECK(out.data == output && out.dtype == MEMLINE_F32);

  memline_tensor own_in, own_out = {0};
  CHECK(memline_session_own_input(session, 0, dims, rank, &own_in) == MEMLINE_OK);
  CHECK(bytes_of(&own_in) == bytes_of(&in));
  memcpy(own_in.data, input, bytes_of(&own_in));
  CHECK(memline_session_run(session, &own_in, 1, &own_out, 1) == MEMLINE_OK);
  CHECK(own_out.data != NULL && bytes_of(&own_out) == bytes_of(&out));
  CHECK(memcmp(own_out.data, output, bytes_of(&out)) == 0);
  memline_session_free(session);
  return 0;
}
