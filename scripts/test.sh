#!/usr/bin/env bash
# Builds and runs tests; ctest's closing line comes last.
#   scripts/test.sh [--preset PRESET] [LABEL] [FILTER]
#   LABEL   unit cases model gpu onnx all; without one: unit, cases and model
#           long: all of them, threads of base/, runtime/, api/ and capi/ under ThreadSanitizer, the README's commands in a fresh clone, and
#           ten minutes of fuzzing a target
#   FILTER  a regular expression on test names ("folder.Suite.Test")
#   PRESET  dev (default), asan, tsan
source "$(dirname "$0")/project.sh"
preset=dev
if [ "${1:-}" = --preset ]; then
  preset=${2:?usage: scripts/test.sh --preset PRESET}
  shift 2
fi
label=${1:-default}
filter=${2:-}
case $label in
  default) labels='^(unit|cases|model)$' ;;
  unit | cases | model | gpu | onnx) labels="^$label\$" ;;
  all | long) labels='.' ;;
  *) die "no label '$label': unit cases model gpu onnx long all" ;;
esac

if [ "$label" = gpu ] && ! ls /dev/nvidia0 > /dev/null 2>&1; then
  echo "gpu tests skipped: this machine has no /dev/nvidia0"
  exit 0
fi

case $label in
  unit | cases) scripts/setup.sh build ;;
  *)
    scripts/setup.sh
    timed "models and stored outputs" .venv/bin/python scripts/make_golden.py
    ;;
esac
scripts/build.sh "$preset"
if [ "$label" = long ]; then
  scripts/check/fresh_clone.sh
  scripts/test.sh --preset tsan unit '^(runtime|base|api|capi)\.'
  scripts/fuzz.sh 600
fi

ctest --test-dir "build/$preset" -j "$(nproc)" -L "$labels" ${filter:+-R "$filter"} \
  --output-on-failure --no-label-summary --no-tests=error --timeout 1800
