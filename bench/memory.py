#!/usr/bin/env python3
"""Peak memory over baseline of Memline beside its line and its bill, and of onnxruntime and OpenVINO: 2 threads, batch 1.

usage: scripts/bench.sh memory [--models NAME,...] [--precision fp32] [--runs 1000] [--name NAME] [--no-peers]

Peers are measured from outside: highest VmHWM minus Rss before the model was loaded. Ours is what `memline bench --json` says of itself,
and VmHWM seen from outside beside it. Exits with 1 if a promise is broken: measured <= bill <= line, bill <= 1.11 x measured, arena <=
1.05 x lower bound, no growth, no new page.
"""
import argparse
import json
import subprocess
import sys
import time

import contestants

MIB = 1 << 20


def bench_from_outside(engine, runs):
    """-> (bench's JSON, the highest VmHWM seen in /proc)"""
    command = [contestants.MEMLINE, "bench", engine, "--runs", str(runs), "--threads", "2", "--json"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    highest = 0
    while child.poll() is None:
        try:
            highest = max(highest, contestants.status_bytes(child.pid, "VmHWM"))
        except (OSError, StopIteration):
            break  # it ended between the two calls
        time.sleep(0.005)
    out, err = child.communicate()
    try:
        answer = json.loads(out)
    except json.JSONDecodeError:
        raise contestants.Failed(f"memline bench {engine}: no JSON: {err.strip()[-500:]}")
    if child.returncode != 0:
        raise contestants.Failed(f"memline bench {engine}: {answer.get('error', {}).get('message')}")
    return answer, highest


def broken_promises(bench, outside_peak):
    bill, line = bench["bill_bytes"]["total"], bench["limit_bytes"]
    peak = max(bench["peak_bytes"], outside_peak)
    checks = [
        (peak <= bill, f"peak {peak} > bill {bill}"),
        (bill <= line, f"bill {bill} > line {line}"),
        (bill <= 1.11 * peak, f"bill {bill} > 1.11 x peak {peak}"),
        (bench["arena_bytes"] <= 1.05 * bench["lower_bound_bytes"],
         f"arena {bench['arena_bytes']} > 1.05 x lower bound {bench['lower_bound_bytes']}"),
        (bench["growth_bytes"] == 0, f"grew by {bench['growth_bytes']}"),
        (bench["new_pages"] == 0, f"{bench['new_pages']} new pages"),
    ]
    return [text for holds, text in checks if not holds]


def measure(name, precision, runs, peers):
    engine, _ = contestants.build_engine(name, precision, 2)
    bench, highest = bench_from_outside(engine, runs)
    row = {"model": name, "precision": precision, "line_bytes": bench["limit_bytes"], "bill_bytes": bench["bill_bytes"],
           "peak_bytes": bench["peak_bytes"], "outside_peak_bytes": highest - bench["baseline_bytes"],
           "arena_bytes": bench["arena_bytes"], "lower_bound_bytes": bench["lower_bound_bytes"],
           "growth_bytes": bench["growth_bytes"], "new_pages": bench["new_pages"], "runs": bench["runs"]}
    row["broken"] = broken_promises(bench, row["outside_peak_bytes"])
    row["peers"] = {}
    if peers:
        kinds = [("onnxruntime", "fp32"), ("openvino", "fp32")] + ([("openvino", "bf16")] if contestants.has_bf16() else [])
        for runtime, peer_precision in kinds:
            row["peers"][f"{runtime} {peer_precision}"] = contestants.peer(runtime, name, peer_precision, 2, 2)["peak_bytes"]
    return row


def print_row(row):
    mib = lambda n: f"{n / MIB:.1f}"  # noqa: E731
    peers = ", ".join(f"{who} {mib(n)}" for who, n in row["peers"].items())
    print(f"{row['model']:24} {row['precision']}  line {mib(row['line_bytes']):>6}  bill {mib(row['bill_bytes']['total']):>6}  peak "
          f"{mib(row['peak_bytes']):>6} (outside {mib(row['outside_peak_bytes'])})  arena {mib(row['arena_bytes'])} = "
          f"{row['arena_bytes'] / row['lower_bound_bytes']:.3f} x bound   {peers}", flush=True)
    for text in row["broken"]:
        print(f"{'':24} BROKEN: {text}")


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench.sh memory")
    parser.add_argument("--models", default=",".join(contestants.LINES))
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--name", default="memory")
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    print("MiB over baseline, 2 threads, batch 1")
    rows = []
    for name in options.models.split(","):
        rows.append(measure(name, options.precision, options.runs, not options.no_peers))
        print_row(rows[-1])
    contestants.write_results(options.name, "scripts/bench.sh memory " + " ".join(sys.argv[1:]), {"memory": rows})
    sys.exit(any(row["broken"] for row in rows))


if __name__ == "__main__":
    try:
        main()
    except contestants.Failed as failure:
        sys.exit(f"bench memory: {failure}")
