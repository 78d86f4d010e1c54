/* The same in C: run_engine_c ENGINE.mline [RUNS] */
#include <stdio.h>
#include <stdlib.h>

#include "memline/memline.h"

static int failed(const char* what) {
  const memline_error* error = memline_last_error();
  fprintf(stderr, "%s: %s\n", what, error->message);
  return (int)error->code;
}

/* The same numbers as run_engine.cpp. */
static void fill(const memline_tensor* input) {
  int64_t elements = 1;
  for (int32_t axis = 0; axis < input->rank; ++axis) elements *= input->dims[axis];
  for (int64_t i = 0; i < elements; ++i) {
    if (input->dtype == MEMLINE_F32) ((float*)input->data)[i] = (float)(i % 256) / 256;
    if (input->dtype == MEMLINE_U8) ((uint8_t*)input->data)[i] = (uint8_t)(i % 256);
  }
}

static void print_output(const char* name, const memline_tensor* output) {
  printf("%s", name);
  for (int32_t axis = 0; axis < output->rank; ++axis)
    printf("%c%lld", axis == 0 ? ' ' : 'x', (long long)output->dims[axis]);
  if (output->dtype == MEMLINE_F32) printf(" %.6g", (double)*(const float*)output->data);
  printf("\n");
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: run_engine_c ENGINE.mline [RUNS]\n");
    return 2;
  }
  const long runs = argc > 2 ? atol(argv[2]) : 1;
  memline_engine* engine = NULL;
  memline_session* session = NULL;
  memline_bill bill;
  if (memline_engine_load(argv[1], &engine) != MEMLINE_OK) return failed(argv[1]);
  if (memline_engine_bill(engine, &bill) != MEMLINE_OK) return failed("bill");
  printf("%s, %d threads, %lld bytes in all\n", memline_engine_target(engine), memline_engine_threads(engine),
         (long long)bill.total_bytes);
  if (memline_session_create(engine, NULL, &session) != MEMLINE_OK) return failed("session");

  const size_t input_count = memline_engine_input_count(engine), output_count = memline_engine_output_count(engine);
  memline_tensor* inputs = calloc(input_count, sizeof(memline_tensor));
  memline_tensor* outputs = calloc(output_count, sizeof(memline_tensor));
  if (inputs == NULL || outputs == NULL) return (int)MEMLINE_OUT_OF_MEMORY;
  for (size_t i = 0; i < input_count; ++i) {
    memline_port port;
    if (memline_engine_input(engine, i, &port) != MEMLINE_OK) return failed("input");
    if (memline_session_own_input(session, i, port.opt_dims, port.rank, &inputs[i]) != MEMLINE_OK)
      return failed("input");
  }
  for (long n = 0; n < runs; ++n) {
    for (size_t i = 0; i < input_count; ++i) fill(&inputs[i]);        /* a run may have written over them */
    for (size_t i = 0; i < output_count; ++i) outputs[i].data = NULL; /* the session's own memory, please */
    if (memline_session_run(session, inputs, input_count, outputs, output_count) != MEMLINE_OK) return failed("run");
  }
  for (size_t i = 0; i < output_count; ++i) {
    memline_port port;
    if (memline_engine_output(engine, i, &port) != MEMLINE_OK) return failed("output");
    print_output(port.name, &outputs[i]);
  }

  free(inputs);
  free(outputs);
  memline_session_free(session);
  memline_engine_free(engine);
  return 0;
}
