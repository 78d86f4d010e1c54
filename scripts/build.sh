#!/usr/bin/env bash
# Builds one preset into build/<preset> and prints the seconds: scripts/build.sh [dev|release|asan|tsan|fuzz|runtime-only] [target ...]
source "$(dirname "$0")/project.sh"
preset=${1:-dev}
shift || true
grep -q "\"name\": \"$preset\", \"inherits\"" CMakePresets.json || die "no preset '$preset' in CMakePresets.json"
scripts/setup.sh build

configure() {
  mkdir -p build
  cmake --preset "$preset" > "build/$preset.configure.log" 2>&1 || {
    cat "build/$preset.configure.log"
    return 1
  }
}
build() { cmake --build "build/$preset" -j "$(nproc)" ${1:+--target "$@"}; }

timed "configure $preset" configure
timed "build $preset" build "$@"
