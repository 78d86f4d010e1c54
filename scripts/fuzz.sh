#!/usr/bin/env bash
# libFuzzer on what reads bytes that nobody vouches for, each target for so many seconds, from its seed corpus. What it finds stays in
# build/fuzz/found (crash-..., timeout-..., oom-...): a file there is a failure.
#   scripts/fuzz.sh [SECONDS] [TARGET ...]      600; engine_reader graph_text onnx_import
source "$(dirname "$0")/project.sh"
seconds=${1:-600}
[[ $seconds =~ ^[0-9]+$ ]] || die "usage: scripts/fuzz.sh [SECONDS] [TARGET ...]"
shift || true
targets=("$@")
[ ${#targets[@]} != 0 ] || targets=(engine_reader graph_text onnx_import)

scripts/build.sh fuzz "${targets[@]/#/fuzz_}"
mkdir -p build/fuzz/found
failed=()
for target in "${targets[@]}"; do
  corpus=build/fuzz/corpus/$target
  mkdir -p "$corpus"
  "build/fuzz/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix=build/fuzz/found/"$target"- "$corpus" "fuzz/corpus/$target" 2> "build/fuzz/$target.log" || failed+=("$target")
  echo "fuzz $target: $(grep -E 'number_of_executed_units|new_units_added' "build/fuzz/$target.log" | awk '{print $2}' | paste -sd' ' | sed 's/ / runs, /') new inputs, ${seconds} s"
done
if [ ${#failed[@]} != 0 ]; then
  echo "fuzz: found something: ${failed[*]} (build/fuzz/found, build/fuzz/*.log)"
  exit 1
fi
