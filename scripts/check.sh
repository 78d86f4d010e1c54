#!/usr/bin/env bash
# Every static check: format, layers, headers, symbols of the dev build (where it exists). --fix formats what can be formatted.
#   scripts/check.sh [--fix] [--clang]      --clang: also parse every source with clang and run a short clang-tidy list on changed files
source "$(dirname "$0")/project.sh"
fix=false clang=false
for option in "$@"; do
  case $option in
    --fix) fix=true ;;
    --clang) clang=true ;;
    *) die "usage: scripts/check.sh [--fix] [--clang]" ;;
  esac
done
scripts/setup.sh build
failed=()

format() {
  local files
  mapfile -t files < <(git ls-files --cached --others --exclude-standard | grep -E '\.(h|hpp|cpp|cu)$')
  if $fix; then clang-format -i "${files[@]}"; else
    clang-format --dry-run -Werror "${files[@]}" 2>&1 | grep -E 'error:' | cut -d: -f1 | sort | uniq -c || true
    clang-format --dry-run -Werror "${files[@]}" > /dev/null 2>&1
  fi
}

# clang 14 parses what g++ 12 compiles, except libstdc++'s range views; tidy looks for slips, not for style.
with_clang() {
  local tidy='-*,bugprone-*,performance-*,-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions'
  local sources status=0
  [ -f build/dev/compile_commands.json ] || die "--clang needs a build: scripts/build.sh"
  find src -name '*.cpp' ! -path 'src/video/*' | sort | xargs -P "$(nproc)" -n 4 \
    clang++ -std=c++20 -fsyntax-only -Isrc -Iinclude -mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512bf16 -Wno-everything || status=1
  mapfile -t sources < <(git diff --name-only HEAD~1 -- 'src/*.cpp')
  [ ${#sources[@]} = 0 ] || clang-tidy -p build/dev --quiet --checks="$tidy" "${sources[@]}" || status=1
  return $status
}

check() {
  timed "$@" || failed+=("$1")
}

check format format
check layers /usr/bin/python3 scripts/check/layers.py
check headers scripts/check/headers.sh
if [ -d build/dev/CMakeFiles ]; then check symbols scripts/check/symbols.sh dev; else echo "symbols: no dev build, not checked"; fi
if $clang; then check clang with_clang; fi

if [ ${#failed[@]} != 0 ]; then
  echo "check.sh: failed: ${failed[*]}"
  exit 1
fi
echo "check.sh: all passed"
