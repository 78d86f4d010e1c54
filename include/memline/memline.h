/* Memline's C face for running engines: C11, also usable from C++ and through any foreign function interface.
 *
 *   memline_engine* engine = NULL;
 *   memline_session* session = NULL;
 *   memline_tensor in = {.dtype = MEMLINE_F32, .rank = 4, .dims = {1, 3, 640, 640}, .data = pixels}, out[2] = {0};
 *   if (memline_engine_load("model.mline", &engine) != MEMLINE_OK ||
 *       memline_session_create(engine, NULL, &session) != MEMLINE_OK ||
 *       memline_session_run(session, &in, 1, out, 2) != MEMLINE_OK)
 *     fprintf(stderr, "%s\n", memline_last_error()->message);
 *   memline_session_free(session);
 *   memline_engine_free(engine);
 *
 * Errors: a call that can fail returns a code; the reason and the sentence behind it are in memline_last_error(), which
 *   belongs to the calling thread: calls that fail before there is a handle (a load) can explain themselves, and
 * threads that share an engine do not overwrite each other's errors. No call prints, throws or ends the process.
 * Arguments: a pointer that must not be NULL and is gives invalid_argument. An out parameter is written on success
 * only. Threads: a memline_engine may be used from any number of threads. A memline_session serves one call at a time:
 * a second caller is refused at once with invalid_argument, reason "session_busy". Sessions of one engine share its
 *   weights and the process's one thread pool, and may run at once.
 * Lifetime: a session keeps what it needs of its engine alive; either may be freed first. Freeing NULL does nothing.
 * Stability: enumerators keep their values and structs their layout within a major version. */
#ifndef MEMLINE_MEMLINE_H
#define MEMLINE_MEMLINE_H

#include <stddef.h>
#include <stdint.h>

#define MEMLINE_C_API __attribute__((visibility("default")))
#define MEMLINE_MAX_RANK 8

#ifdef __cplusplus
extern "C" {
#endif

/* Also the exit codes of the program. */
typedef enum memline_code {
  MEMLINE_OK = 0,
  MEMLINE_INVALID_ARGUMENT = 2,
  MEMLINE_INVALID_MODEL = 3,
  MEMLINE_UNSUPPORTED = 4,
  MEMLINE_OVER_BUDGET = 5,
  MEMLINE_OUT_OF_MEMORY = 6,
  MEMLINE_NOT_FOUND = 7,
  MEMLINE_IO_ERROR = 8,
  MEMLINE_DEVICE_ERROR = 9,
  MEMLINE_INTERNAL = 10,
  MEMLINE_CANCELLED = 130
} memline_code;

typedef enum memline_dtype {
  MEMLINE_F32 = 0,
  MEMLINE_F16 = 1,
  MEMLINE_BF16 = 2,
  MEMLINE_F64 = 3,
  MEMLINE_I8 = 4,
  MEMLINE_U8 = 5,
  MEMLINE_I16 = 6,
  MEMLINE_U16 = 7,
  MEMLINE_I32 = 8,
  MEMLINE_U32 = 9,
  MEMLINE_I64 = 10,
  MEMLINE_U64 = 11,
  MEMLINE_BOOL = 12
} memline_dtype;

/* The last error of the calling thread. The texts are never NULL. */
typedef struct memline_error {
  memline_code code;   /* MEMLINE_OK when no call of this thread has failed yet */
  const char* reason;  /* stable, snake_case: "engine_truncated"; may be empty */
  const char* message; /* one line, for a person: what, where, found, needed */
} memline_error;

/* A dense row-major tensor in host memory that somebody else owns. */
typedef struct memline_tensor {
  memline_dtype dtype;
  int32_t rank;                   /* 0 to MEMLINE_MAX_RANK */
  int64_t dims[MEMLINE_MAX_RANK]; /* in ONNX's order; 0 is a legal extent */
  void* data;                     /* aligned to the element's size */
} memline_tensor;

/* One input or output of an engine. The pointers are valid as long as the engine. */
typedef struct memline_port {
  const char* name; /* UTF-8 */
  memline_dtype dtype;
  int32_t rank;
  const int64_t* min_dims; /* [rank]; equal to max_dims where the extent is fixed */
  const int64_t* opt_dims; /* what the engine is tuned for */
  const int64_t* max_dims;
  int64_t max_bytes; /* what a tensor of this port takes at most */
} memline_port;

/* What the engine's plan holds, by owner, in bytes. The entries add up to total_bytes; one that does not apply is 0. */
typedef struct memline_bill {
  int64_t context_bytes;     /* threads, library pages, tables */
  int64_t weights_bytes;     /* shared by the sessions of an engine */
  int64_t activations_bytes; /* these three are one session's arena */
  int64_t workspace_bytes;
  int64_t io_bytes; /* the session's own inputs and outputs */
  int64_t kernels_bytes;
  int64_t staging_bytes;
  int64_t results_bytes;
  int64_t video_bytes;
  int64_t total_bytes;
  int64_t limit_bytes; /* the line the engine was built under; 0: none */
  int64_t arena_bytes;
} memline_bill;

typedef struct memline_session_options {
  int32_t threads; /* participants of a run, the calling thread included; 0: as many as the engine was built for */
} memline_session_options;

typedef struct memline_engine memline_engine;
typedef struct memline_session memline_session;

/* "0.1.0". Static storage. */
MEMLINE_C_API const char* memline_version(void);

/* "invalid_argument" for MEMLINE_INVALID_ARGUMENT; "internal" for a number that is no code. Static storage. */
MEMLINE_C_API const char* memline_code_name(memline_code code);

/* What the last call that failed on this thread had to say. Never NULL; the struct and its texts are valid until the
 * next call of this thread that fails, or the thread's end. Successful calls leave it as it is. */
MEMLINE_C_API const memline_error* memline_last_error(void);

/* Maps and checks an engine file; no copy of its weights is made.
 *   path    the file, as the system's open() takes it
 *   engine  receives the engine, to be given to memline_engine_free()
 * Errors: not_found; io_error; invalid_argument with reason engine_not_ours, engine_version, engine_truncated,
 * engine_corrupt; unsupported with reason engine_target when this CPU cannot run it; out_of_memory. */
MEMLINE_C_API memline_code memline_engine_load(const char* path, memline_engine** engine);

/* Gives the engine back. Memory that its sessions still use goes with the last of them. No other call may be using this
 * handle. */
MEMLINE_C_API void memline_engine_free(memline_engine* engine);

/* How many inputs and outputs; 0 when engine is NULL. */
MEMLINE_C_API size_t memline_engine_input_count(const memline_engine* engine);
MEMLINE_C_API size_t memline_engine_output_count(const memline_engine* engine);

/* Describes input or output `index`, in the order in which memline_session_run() takes them.
 * Errors: invalid_argument (no such index). */
MEMLINE_C_API memline_code memline_engine_input(const memline_engine* engine, size_t index, memline_port* port);
MEMLINE_C_API memline_code memline_engine_output(const memline_engine* engine, size_t index, memline_port* port);

/* What one session of the engine holds, known before there is one. Errors: invalid_argument. */
MEMLINE_C_API memline_code memline_engine_bill(const memline_engine* engine, memline_bill* bill);

/* How many participants a run has at most; 0 when engine is NULL. */
MEMLINE_C_API int32_t memline_engine_threads(const memline_engine* engine);

/* "cpu avx2"; NULL when engine is NULL. Valid as long as the engine. */
MEMLINE_C_API const char* memline_engine_target(const memline_engine* engine);

/* What was written down when the engine was built: "precision", "model", "tune", "task" and others. NULL when there is
 * no such key, or engine or key is NULL. Valid as long as the engine. */
MEMLINE_C_API const char* memline_engine_about(const memline_engine* engine, const char* key);

/* Takes everything the session will ever hold, so that its runs take nothing.
 *   options  NULL: the defaults
 *   session  receives the session, to be given to memline_session_free()
 * Errors: invalid_argument (threads below 0 or above the engine's); out_of_memory. */
MEMLINE_C_API memline_code memline_session_create(const memline_engine* engine, const memline_session_options* options,
                                                  memline_session** session);

/* Gives the session's memory back; what its runs returned in the session's own memory is gone with it. No call may be
 * under way. */
MEMLINE_C_API void memline_session_free(memline_session* session);

/* The session's own memory for input `index` with these extents, to be filled before a run. It is part of the bill; a
 * run may overwrite it, so it is filled before each.
 *   dims    [rank] extents, each within the port's [min, max]
 *   tensor  receives dtype, rank, dims and the address
 * Allocates nothing on success. Errors: invalid_argument (no such input; another rank; an extent outside its range). */
MEMLINE_C_API memline_code memline_session_own_input(memline_session* session, size_t index, const int64_t* dims,
                                                     int32_t rank, memline_tensor* tensor);

/* Runs once and returns when the outputs are ready. A run that succeeds allocates nothing and touches no new page.
 *   inputs   one an input, in the engine's order; own_input's memory or the caller's. The caller's is only read
 *   outputs  one an output. data NULL: the session's own memory is used, valid until its next run; otherwise data has
 *            room for the port's max_bytes and stays the caller's. dtype, rank and dims are set on return, data too
 *            where it was NULL
 * Errors: invalid_argument (count, dtype, rank, an extent, a condition between extents: the message names the input and
 * the nearest shape that works; reason session_busy: another call is under way); device_error. The session stays
 * usable, and the outputs are as they were given. */
MEMLINE_C_API memline_code memline_session_run(memline_session* session, const memline_tensor* inputs,
                                               size_t input_count, memline_tensor* outputs, size_t output_count);

#ifdef __cplusplus
}
#endif

#endif /* MEMLINE_MEMLINE_H */
