#!/usr/bin/env bash
# Measurements, each with the command that repeats it; results go to bench/results/*.json.
#   scripts/bench.sh memory [options]    peak memory beside line and bill, and peers' (options: --help)
#   scripts/bench.sh peers [options]     latency in turn with onnxruntime and OpenVINO
#   scripts/bench.sh op [options]        convolution kernels over the layers of real models (bench/bench_conv.cpp)
source "$(dirname "$0")/project.sh"
what=${1:-}
shift || true
case $what in
  memory | peers)
    scripts/setup.sh
    scripts/build.sh release
    .venv/bin/python scripts/make_golden.py
    exec .venv/bin/python "bench/$what.py" "$@"
    ;;
  op)
    scripts/setup.sh build
    cmake --preset release -DMEMLINE_BENCH=ON > build/release.configure.log
    cmake --build build/release -j "$(nproc)" --target bench_conv
    exec build/release/bench/bench_conv "$@" bench/shapes/*.convs
    ;;
  *) die "usage: scripts/bench.sh memory|peers|op [options]" ;;
esac
