#!/usr/bin/env python3
"""Writes an ONNX model of about NODES nodes: residual blocks of convolutions, for the time that `memline plan` takes.

usage: make_large_graph.py OUT.onnx [NODES]        (needs: pip install onnx numpy)
"""
import sys
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

out, nodes_wanted = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2500
rng = np.random.default_rng(0)
nodes, weights, last = [], [], "x"
block = 0
while len(nodes) + 5 <= nodes_wanted:
    name = f"b{block}"
    for i, kernel in enumerate((3, 1)):
        weights.append(numpy_helper.from_array(rng.standard_normal((16, 16, kernel, kernel), np.float32) * 0.1, f"{name}_w{i}"))
    nodes += [
        helper.make_node("Conv", [last, f"{name}_w0"], [f"{name}_c0"], name=f"{name}_c0", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", [f"{name}_c0"], [f"{name}_r0"], name=f"{name}_r0"),
        helper.make_node("Conv", [f"{name}_r0", f"{name}_w1"], [f"{name}_c1"], name=f"{name}_c1"),
        helper.make_node("Concat", [f"{name}_c1", f"{name}_r0"], [f"{name}_cat"], name=f"{name}_cat", axis=1),
        helper.make_node("MaxPool", [f"{name}_cat"], [f"{name}_p"], name=f"{name}_p", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    ]
    weights.append(numpy_helper.from_array(rng.standard_normal((16, 32, 1, 1), np.float32) * 0.1, f"{name}_w2"))
    nodes.append(helper.make_node("Conv", [f"{name}_p", f"{name}_w2"], [f"{name}_out"], name=f"{name}_out"))
    nodes.append(helper.make_node("Add", [f"{name}_out", last], [f"{name}_sum"], name=f"{name}_sum"))
    last, block = f"{name}_sum", block + 1
graph = helper.make_graph(nodes, "large", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16, 64, 64])],
                          [helper.make_tensor_value_info(last, TensorProto.FLOAT, [1, 16, 64, 64])], weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), out)
print(out, len(nodes), "nodes")
