"""One peer in a process of its own: loads a model, runs it for some seconds, says what it took. Started by peers.py.

Speaks lines: prints "ready" once its runtime is imported and before the model is touched, goes on when a line comes in, prints one JSON
object, and stays until a last line comes in, so that the parent can read its memory from outside at both ends.
"""
import json
import sys
import time

import numpy as np


def open_onnxruntime(job):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = job["threads"]
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL

    def load():
        session = onnxruntime.InferenceSession(job["model"], options, providers=["CPUExecutionProvider"])
        return lambda x: session.run(None, {job["input"]: x})

    return load


def open_openvino(job):
    import openvino

    core = openvino.Core()

    def load():
        model = core.read_model(job["model"])
        model.reshape({job["input"]: list(job["shape"])})
        compiled = core.compile_model(
            model,
            "CPU",
            {
                "PERFORMANCE_HINT": "LATENCY",
                "INFERENCE_PRECISION_HINT": "bf16" if job["precision"] == "bf16" else "f32",
                "INFERENCE_NUM_THREADS": job["threads"],
            },
        )
        request = compiled.create_infer_request()
        return lambda x: request.infer({job["input"]: x})

    return load


def main():
    job = json.loads(sys.argv[1])
    x = np.load(job["values"])
    load = {"onnxruntime": open_onnxruntime, "openvino": open_openvino}[job["runtime"]](job)
    print("ready", flush=True)
    sys.stdin.readline()

    start = time.perf_counter()
    run = load()
    loaded = time.perf_counter()
    run(x)
    first = time.perf_counter()
    times = []
    while time.perf_counter() - first < job["seconds"] or len(times) < 5:
        before = time.perf_counter()
        run(x)
        times.append((time.perf_counter() - before) * 1e3)
    result = {
        "load_ms": (loaded - start) * 1e3,
        "first_run_ms": (first - loaded) * 1e3,
        "p50": float(np.median(times)),
        "min": min(times),
        "runs": len(times),
    }
    print(json.dumps(result), flush=True)
    sys.stdin.readline()


main()
