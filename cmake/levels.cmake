# Kernels of one CPU level live in files whose name ends in the level: foo_avx2.cpp. Their flags are set here and nowhere else.
# Highway's static target follows from them.
set(avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpclmul -maes)
set(avx512 ${avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mprefer-vector-width=512
    -Wno-uninitialized -Wno-maybe-uninitialized)  # g++ 12 warns of its own AVX-512 header
set(MEMLINE_LEVEL_avx2 ${avx2})
set(MEMLINE_LEVEL_avx512 ${avx512})
set(MEMLINE_LEVEL_avx512vnni ${avx512} -mavx512vnni)
set(MEMLINE_LEVEL_avx512bf16 ${avx512} -mavx512vnni -mavx512bf16)
set(MEMLINE_LEVEL_amx ${avx512} -mavx512vnni -mavx512bf16 -mamx-tile -mamx-bf16 -mamx-int8)
foreach(level avx2 avx512 avx512vnni avx512bf16 amx)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*_${level}.cpp)
  if(sources)
    string(REPLACE ";" " " flags "${MEMLINE_LEVEL_${level}}")
    set_source_files_properties(${sources} PROPERTIES COMPILE_FLAGS "${flags} -O3")
  endif()
endforeach()
