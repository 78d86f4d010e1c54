#!/usr/bin/env bash
# The installed package: installs the release and the runtime-only build into one place, moves it to another, builds examples/ against it
# there (C++ and C), and runs an engine with them. Nothing but the public headers may be installed, and nothing may name the first place.
source "$(dirname "$0")/../project.sh"
scripts/build.sh release
scripts/build.sh runtime-only
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# installed PRESET: the package's place after the move.
install_and_move() {
  cmake --install "build/$1" --prefix "$work/made/$1" > "$work/install.log"
  mkdir -p "$work/moved"
  mv "$work/made/$1" "$work/moved/$1"
  rmdir "$work/made"
}

check_contents() {
  local prefix=$work/moved/$1 wanted=$2 headers strangers
  headers=$(cd "$prefix/include" && find . -type f | sort | tr '\n' ' ')
  [ "$headers" = "$wanted" ] || die "$1 installs the headers $headers, not $wanted"
  strangers=$(grep -rlIF -e "$work/made" -e "$PWD" "$prefix" || true)
  [ -z "$strangers" ] || die "$1: these files name the place they were made in: $strangers"
  local binary
  for binary in "$prefix"/lib*/*.so "$prefix"/bin/*; do
    [ ! -f "$binary" ] || ! readelf -d "$binary" | grep -E 'R(UN)?PATH' | grep -v '\[\$ORIGIN' || die "$binary has a path of its own"
  done
}

# examples PRESET [cmake options]
build_examples() {
  local preset=$1
  shift
  env -u LD_LIBRARY_PATH cmake -S examples -B "$work/examples-$preset" -G Ninja -DCMAKE_PREFIX_PATH="$work/moved/$preset" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" "$@" > "$work/configure.log" \
    || { cat "$work/configure.log"; die "examples do not configure against the moved $preset package"; }
  cmake --build "$work/examples-$preset" > "$work/build.log" || { cat "$work/build.log"; die "examples do not build against $preset"; }
}

c_headers="./memline/memline.h ./memline/memline.hpp ./memline/result.hpp ./memline/tensor.hpp "
install_and_move release
check_contents release "${c_headers}./memline/tools.hpp ./memline/vision.hpp "
build_examples release
install_and_move runtime-only
check_contents runtime-only "${c_headers}./memline/vision.hpp "
[ ! -e "$work/moved/runtime-only/bin" ] || die "runtime-only installs a program"
build_examples runtime-only
rm -r "$work/examples-runtime-only"
build_examples runtime-only -DEXAMPLES_C_ONLY=ON

engine=$work/person-seg.mline
"$work/moved/release/bin/memline" build models/person-seg/person-seg.onnx -o "$engine" --tune none --shape images=1x3x96x96 > "$work/engine.log"
cpp=$("$work/examples-release/run_engine" "$engine" 3)
c=$("$work/examples-release/run_engine_c" "$engine" 3)
c_runtime=$("$work/examples-runtime-only/run_engine_c" "$engine" 3)
[ "$(wc -l <<< "$cpp")" = 3 ] || die "run_engine printed: $cpp"
[ "$cpp" = "$c" ] && [ "$c" = "$c_runtime" ] || die "the examples differ: C++ '$cpp', C '$c', runtime-only '$c_runtime'"
! "$work/examples-release/run_engine_c" README.md 2> "$work/refused" || die "run_engine_c took README.md for an engine"
grep -q "README.md" "$work/refused" || die "the refusal names no file: $(cat "$work/refused")"
echo "package: installs, moves, and is found by projects in C++ and C"
