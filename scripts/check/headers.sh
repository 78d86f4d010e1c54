#!/usr/bin/env bash
# Compiles each header alone, and the public C header as C11. A header that its own source includes first has been compiled alone by
# the build. Headers of CPU levels (they end in .inl.h or lie in cpu/simd/) are compiled for one.
source "$(dirname "$0")/../project.sh"

base_flags="-std=c++20 -fsyntax-only -Isrc -Iinclude -march=x86-64-v2 -x c++ -Wall -Wextra -Wno-missing-field-initializers"
ffmpeg_flags=$(pkg-config --cflags libavformat libavcodec libswscale libavutil)

check_header() {
  local header=$1 flags=$base_flags
  case $header in
    *.inl.h | src/cpu/simd/*) flags="$flags -mavx2 -mfma -mf16c" ;;
    src/video/*) flags="$flags $ffmpeg_flags" ;;
  esac
  # Included rather than named, so that "#pragma once in main file" is not warned about.
  # shellcheck disable=SC2086  # flags are words
  if ! g++ $flags - <<< "#include \"$PWD/$header\"" 2> "$errors/${header//\//_}"; then
    echo "$header does not compile alone:"
    grep -m 3 error "$errors/${header//\//_}"
    return 1
  fi
}
export -f check_header
export base_flags ffmpeg_flags errors
errors=$(mktemp -d)
trap 'rm -r "$errors"' EXIT

leads_its_source() {
  local source=${1%.h}.cpp
  [ -f "$source" ] && [ "$(grep -m 1 -oE '#include .*' "$source")" = "#include \"${1#src/}\"" ]
}

headers_to_check() {
  local header
  find include -name '*.hpp'
  for header in $(find src -name '*.h'); do leads_its_source "$header" || echo "$header"; done
}

status=0
headers_to_check | sort | xargs -P "$(nproc)" -I{} bash -c 'check_header {}' || status=1
if [ -f include/memline/memline.h ]; then
  gcc -std=c11 -pedantic-errors -Wall -Werror -fsyntax-only -x c - <<< "#include \"$PWD/include/memline/memline.h\"" || status=1
fi
[ $status != 0 ] || echo "headers: each compiles alone"
exit $status
