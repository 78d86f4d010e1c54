"""Whom peers.py and memory.py measure: Memline, onnxruntime and OpenVINO, each run in a fresh process, and on which models."""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MEMLINE = os.path.join("build", "release", "memline")
ENGINES = os.path.join("build", "engines")

# name: the line its engine is built under (the foundation's memory table)
LINES = {"person-seg": "36MiB", "tv_resnet50": "112MiB", "tv_mobilenet_v3_large": "32MiB"}


class Failed(Exception):
    pass


def golden():
    sys.path.insert(0, os.path.join(ROOT, "scripts"))
    import make_golden

    return make_golden


def cpu_flags():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("flags"):
                return set(line.split(":")[1].split())
    return set()


def has_bf16():
    return bool({"avx512_bf16", "amx_bf16"} & cpu_flags())


def machine():
    model = "unknown"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":")[1].strip()
                break
    levels = [f for f in ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8") if f in cpu_flags()]
    return {"cpu": model, "cpus": len(os.sched_getaffinity(0)), "levels": levels, "load_average": os.getloadavg()[0]}


def peer(runtime, name, precision, threads, seconds):
    """Runs a peer and returns its JSON with baseline_bytes and peak_bytes, read from /proc from outside."""
    make_golden = golden()
    input_name, shape, _, _ = make_golden.MODELS[name]
    model = make_golden.model_path(name)
    job = {
        "runtime": runtime,
        "model": model,
        "input": input_name,
        "shape": shape,
        "values": os.path.join(make_golden.OUT, "golden", name, "inputs", input_name + ".npy"),
        "precision": precision,
        "threads": threads,
        "seconds": seconds,
    }
    command = [sys.executable, os.path.join(ROOT, "bench", "peer_process.py"), json.dumps(job)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        if child.stdout.readline().strip() != "ready":
            raise Failed(f"{runtime} did not start: {child.stderr.read().strip()[-500:]}")
        baseline = rollup_rss(child.pid)
        answer = send(child)
        if not answer:
            raise Failed(f"{runtime} failed on {name}: {child.stderr.read().strip()[-500:]}")
        result = json.loads(answer)
        result["baseline_bytes"] = baseline
        result["peak_bytes"] = status_bytes(child.pid, "VmHWM") - baseline
        return result
    finally:
        child.communicate("\n")


def send(child):
    child.stdin.write("\n")
    child.stdin.flush()
    return child.stdout.readline()


def rollup_rss(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Rss:"))


def status_bytes(pid, field):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field + ":"))


def memline(*arguments):
    """Runs a memline command with --json and returns its object."""
    done = subprocess.run([MEMLINE, *arguments, "--json"], capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise Failed(f"memline {' '.join(arguments)}: exit {done.returncode}, no JSON: {done.stderr.strip()[-500:]}")
    if done.returncode != 0:
        raise Failed(f"memline {' '.join(arguments)}: {answer.get('error', {}).get('message', answer)}")
    return answer


def build_engine(name, precision, threads):
    make_golden = golden()
    input_name, shape, _, _ = make_golden.MODELS[name]
    os.makedirs(ENGINES, exist_ok=True)
    engine = os.path.join(ENGINES, f"{name}-{precision}.mline")
    model = os.path.relpath(make_golden.model_path(name), ROOT)
    built = memline("build", model, "-o", engine, "--memory", LINES[name], "--precision", precision, "--threads", str(threads),
                    "--shape", f"{input_name}={'x'.join(map(str, shape))}", "--timing-cache", os.path.join(ENGINES, "timings.cache"))
    return engine, built


def ours(engine, threads, seconds):
    result = memline("bench", engine, "--threads", str(threads), "--seconds", str(seconds))
    result["p50"] = result["latency_ms"]["p50"]
    return result


def versions():
    import importlib.metadata

    found = {name: importlib.metadata.version(name) for name in ("onnxruntime", "openvino")}
    found["memline"] = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    return found


def write_results(name, command, tables):
    import datetime

    folder = os.path.join("bench", "results")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + ".json")
    record = {
        "command": command,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(),
        "versions": versions(),
        **tables,
    }
    with open(path, "w") as file:
        json.dump(record, file, indent=1)
        file.write("\n")
    print(f"written: {path}")
