#!/usr/bin/env bash
# What the objects of a build may refer to: scripts/check/symbols.sh [PRESET]   (after scripts/build.sh PRESET; default dev)
#   * objects of the run path (scripts/run_path_objects.txt) reach neither an allocator nor a throw
#   * objects of a CPU level share no inline function with the rest: the linker keeps one copy, and it might be the one that only a newer
#     CPU can run
source "$(dirname "$0")/../project.sh"
build=build/${1:-dev}
[ -d "$build" ] || die "no $build: run scripts/build.sh ${1:-dev} first"
status=0

object_of() {
  local folder
  folder=$(cut -d/ -f2 <<< "$1")
  echo "$build/CMakeFiles/memline_$folder.dir/$1.o"
}

forbidden='^(operator new|operator delete|__cxa_throw|__cxa_allocate_exception|malloc|calloc|realloc|free|posix_memalign|aligned_alloc|std::__throw_)'
for source in $(grep -v '^#' scripts/run_path_objects.txt); do
  object=$(object_of "$source")
  if [ ! -f "$object" ]; then
    echo "$source: named in scripts/run_path_objects.txt, but $object was not built"
    status=1
    continue
  fi
  found=$(nm -C --undefined-only "$object" | sed 's/^ *U //' | grep -E "$forbidden" || true)
  if [ -n "$found" ]; then
    echo "$source is on the run path but refers to: $(tr '\n' ';' <<< "$found")"
    status=1
  fi
done

levels='avx2|avx512|avx512vnni|avx512bf16|amx'
namespaces='memline::cpu::(avx2|avx512|avx512_vnni|avx512_bf16|amx)::'
for object in $(find "$build" -name '*.o' | grep -E "_($levels)\.cpp\.o$" | sort); do
  found=$(nm -C --defined-only "$object" | grep -E '^[0-9a-f]+ [WVu] ' | grep -vE "$namespaces" || true)
  if [ -n "$found" ]; then
    echo "$object has inline functions or templates that other files may share:"
    sed 's/^/  /' <<< "$found"
    status=1
  fi
done
[ $status != 0 ] || echo "symbols: the run path allocates and throws nothing; CPU levels keep to themselves"
exit $status
