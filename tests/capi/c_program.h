/* What tests/capi/c_program.c does, so that the C++ tests can call it. */
#ifndef TESTS_CAPI_C_PROGRAM_H
#define TESTS_CAPI_C_PROGRAM_H

#include "memline/memline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Loads the engine and runs it once on `input` with the caller's memory for the outputs and once in the session's own,
 * as a C program does. 0 when both gave the same bytes in `output`; otherwise the line of c_program.c that failed. */
int c_program_runs(const char* engine_path, const float* input, const int64_t* dims, int32_t rank, float* output,
                   size_t output_floats);

#ifdef __cplusplus
}
#endif

#endif
