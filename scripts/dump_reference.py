#!/usr/bin/env python3
"""Stores what onnxruntime answers to a model, every intermediate value too, for `memline compare MODEL --reference OUT`.

usage: .venv/bin/python scripts/dump_reference.py MODEL.onnx OUT [--input NAME=x.npy]... [--shape NAME=1x3x640x640]... [--seed N]

Inputs without --input are random by seed: floats in [0, 1), small integers, booleans. Symbolic dimensions need --shape or --input.
Graph optimisations are off, so that values are those of the model's own nodes. Writes OUT/NAME.npy, names percent-encoded outside
[A-Za-z0-9._-]; values that are no tensors, or of a type that NumPy lacks, are left out and named.
"""
import argparse
import os
import sys

import numpy as np
import onnx
import onnxruntime

KINDS = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(double)": np.float64, "tensor(bool)": np.bool_,
         "tensor(uint8)": np.uint8, "tensor(int8)": np.int8, "tensor(uint16)": np.uint16, "tensor(int16)": np.int16,
         "tensor(int32)": np.int32, "tensor(int64)": np.int64, "tensor(uint32)": np.uint32, "tensor(uint64)": np.uint64}


def assignments(texts, option):
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            sys.exit(f"{option}: found '{text}', needs NAME=VALUE")
        pairs[name] = value
    return pairs


def file_name(value):
    plain = lambda c: c.isascii() and (c.isalnum() or c in "._-")
    return "".join(c if plain(c) else "".join(f"%{b:02X}" for b in c.encode()) for c in value) + ".npy"


def random_values(info, shape, rng):
    if info.type not in KINDS:
        sys.exit(f"input '{info.name}' is {info.type}: give --input {info.name}=FILE.npy")
    kind = np.dtype(KINDS[info.type])
    if kind.kind == "f":
        return rng.random(shape).astype(kind)
    return rng.integers(0, 2 if kind.kind == "b" else 100, shape).astype(kind)


def inputs_of(session, args, rng):
    files, shapes = assignments(args.input, "--input"), assignments(args.shape, "--shape")
    names = [info.name for info in session.get_inputs()]
    for name in [*files, *shapes]:
        if name not in names:
            sys.exit(f"the model has no input '{name}'; it has {', '.join(names)}")
    inputs = {}
    for info in session.get_inputs():
        if info.name in files:
            inputs[info.name] = np.load(files[info.name], allow_pickle=False)
            continue
        shape = [int(d) for d in shapes[info.name].split("x")] if info.name in shapes else info.shape
        if not all(isinstance(d, int) for d in shape):
            sys.exit(f"input '{info.name}' has the shape {shape}: give --shape {info.name}=1x3x640x640 or --input")
        inputs[info.name] = random_values(info, shape, rng)
    return inputs


def with_all_outputs(path):
    """The model with every value that a node of its main graph makes as an output."""
    model = onnx.load(path)
    known = {output.name for output in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in known:
                known.add(name)
                model.graph.output.append(onnx.ValueInfoProto(name=name))
    return model


def open_session(model, folder):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    if model.ByteSize() < 1 << 30:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    path = os.path.join(folder, "with_all_outputs.onnx")
    onnx.save(model, path, save_as_external_data=True)
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("out")
    parser.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy")
    parser.add_argument("--shape", action="append", default=[], metavar="NAME=DIMS")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    session = open_session(with_all_outputs(args.model), args.out)
    inputs = inputs_of(session, args, np.random.Generator(np.random.PCG64(args.seed)))
    names = [output.name for output in session.get_outputs()]
    left_out = []
    for name, value in [*inputs.items(), *zip(names, session.run(names, inputs))]:
        if isinstance(value, np.ndarray) and value.dtype in KINDS.values():
            np.save(os.path.join(args.out, file_name(name)), value)
        else:
            left_out.append(name)
    print(f"{args.out}: {len(inputs)} inputs, {len(names) - len(left_out)} values")
    if left_out:
        print(f"left out: {', '.join(left_out)}")


if __name__ == "__main__":
    main()
