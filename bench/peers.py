#!/usr/bin/env python3
"""Latency of Memline beside onnxruntime and OpenVINO: the same model, input, precision and threads, a fresh process each time, in turn.

usage: scripts/bench.sh peers [--models NAME,...] [--threads 1,2] [--precision fp32,bf16] [--rounds 5] [--seconds 3] [--name NAME]

Prints the median over the rounds of each one's median latency, and the ratio of ours to the best peer. The ratio is taken inside each
round, where all had the same weather, and its median is printed; a machine that does other work at the same time is noisy all the same,
and the load average in the results tells.
"""
import argparse
import os
import statistics
import sys

import contestants

# What the foundation asks of ours / best peer.
TARGETS = {
    ("person-seg", "fp32"): 1.0, ("tv_resnet50", "fp32"): 1.05, ("tv_mobilenet_v3_large", "fp32"): 1.05,
    ("person-seg", "bf16"): 1.0, ("tv_resnet50", "bf16"): 1.10, ("tv_mobilenet_v3_large", "bf16"): 1.10,
}


def contest(name, precision, threads, rounds, seconds):
    """-> {contestant: [result of each round]}"""
    engine, _ = contestants.build_engine(name, precision, max(threads, len(os.sched_getaffinity(0))))
    runners = {"memline": lambda: contestants.ours(engine, threads, seconds)}
    if precision == "fp32":
        runners["onnxruntime"] = lambda: contestants.peer("onnxruntime", name, precision, threads, seconds)
    runners["openvino"] = lambda: contestants.peer("openvino", name, precision, threads, seconds)
    results = {who: [] for who in runners}
    for round_number in range(rounds):
        order = list(runners)
        order = order[round_number % len(order):] + order[: round_number % len(order)]
        for who in order:
            results[who].append(runners[who]())
    return results


def summarise(name, precision, threads, results):
    peers = [who for who in results if who != "memline"]
    ratios = [ours["p50"] / min(results[p][i]["p50"] for p in peers) for i, ours in enumerate(results["memline"])]
    row = {"model": name, "precision": precision, "threads": threads, "ratio": statistics.median(ratios), "ratios": ratios,
           "target": TARGETS.get((name, precision))}
    for who, rounds in results.items():
        row[who] = {key: statistics.median(r[key] for r in rounds) for key in ("p50", "load_ms", "first_run_ms")}
    return row


def print_row(row):
    times = "  ".join(f"{row[who]['p50']:9.2f}" if who in row else f"{'-':>9}" for who in ("memline", "onnxruntime", "openvino"))
    verdict = "" if row["target"] is None else f"  {'ok' if row['ratio'] <= row['target'] else 'over'} (target {row['target']:.2f})"
    ours = row["memline"]
    print(f"{row['model']:24} {row['precision']} {row['threads']:>2}  {times}  {row['ratio']:6.2f}{verdict}   "
          f"load + first run {ours['load_ms'] + ours['first_run_ms']:.0f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench.sh peers")
    parser.add_argument("--models", default=",".join(contestants.LINES))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--precision", default="fp32,bf16" if contestants.has_bf16() else "fp32")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--name", default="peers")
    options = parser.parse_args()
    if "bf16" in options.precision and not contestants.has_bf16():
        sys.exit("this CPU has neither AVX512-BF16 nor AMX: bf16 cannot be compared here")
    print(f"median ms of {options.rounds} interleaved rounds of {options.seconds:g} s; ratio = memline / best peer")
    print(f"{'model':24} prec  T    memline  onnxruntime  openvino   ratio")
    rows = []
    for name in options.models.split(","):
        for precision in options.precision.split(","):
            for threads in map(int, options.threads.split(",")):
                rows.append(summarise(name, precision, threads, contest(name, precision, threads, options.rounds, options.seconds)))
                print_row(rows[-1])
    contestants.write_results(options.name, "scripts/bench.sh peers " + " ".join(sys.argv[1:]), {"latency": rows})


if __name__ == "__main__":
    try:
        main()
    except contestants.Failed as failure:
        sys.exit(f"bench peers: {failure}")
