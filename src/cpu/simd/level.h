// The CPU level a file is compiled for. cmake/levels.cmake gives the flags by the file's suffix; here they become a
// namespace, memline::cpu::avx2 and so on. Files of a level put everything into that namespace and give it internal
// linkage (`static`), but for the few functions that they export, and include no standard library header that has code:
// the linker keeps one copy of an inline function, and it might be the copy that only a newer CPU can run.
#pragma once

#if defined(__AMX_TILE__)
#define MEML_LEVEL amx
#elif defined(__AVX512BF16__)
#define MEML_LEVEL avx512_bf16
#elif defined(__AVX512VNNI__)
#define MEML_LEVEL avx512_vnni
#elif defined(__AVX512F__)
#define MEML_LEVEL avx512
#elif defined(__AVX2__)
#define MEML_LEVEL avx2
#else
#error "not compiled for a CPU level: the file's name must end in one (cmake/levels.cmake)"
#endif

#define MEML_INLINE static inline __attribute__((always_inline))
