#!/usr/bin/env python3
"""Makes the models of models/ that tests need, and what onnxruntime answers to a fixed input of each, as .npy files.

usage: .venv/bin/python scripts/make_golden.py [NAME ...]      names as in MODELS below; default: those marked golden

writes  models/generated/NAME.onnx                       (models with seeded weights; person-seg is in the repository)
        models/generated/golden/NAME/inputs/X.npy        one a model input
        models/generated/golden/NAME/outputs/Y.npy       one a model output
Does nothing for a model whose files are newer than what they are made from.
"""
import os
import sys

import numpy as np
import onnxruntime

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS_DIR = os.path.join(ROOT, "models")
OUT = os.path.join(MODELS_DIR, "generated")
sys.path.insert(0, MODELS_DIR)
import fill  # noqa: E402

# name: (input, shape, kind of values, made by default)
MODELS = {
    "person-seg": ("images", (1, 3, 640, 640), "picture", True),
    "tv_resnet50": ("input", (1, 3, 224, 224), "normal", True),
    "tv_mobilenet_v3_large": ("input", (1, 3, 224, 224), "normal", True),
    "tv_resnet50_int8": ("input", (1, 3, 224, 224), "normal", False),
    "tv_deeplabv3_mobilenet_v3_large_dyn": ("input", (1, 3, 520, 520), "normal", False),
    "tv_lraspp_mobilenet_v3_large_dyn": ("input", (1, 3, 520, 520), "normal", False),
    "tv_vit_b_16": ("input", (1, 3, 224, 224), "normal", False),
    "tv_retinanet": ("image", (3, 480, 640), "picture", False),
    "tv_maskrcnn": ("image", (3, 480, 640), "picture", False),
    "rfdetr_nano": ("input", (1, 3, 384, 384), "normal", False),
    "rfdetr_seg_nano": ("input", (1, 3, 312, 312), "normal", False),
}
SEED = 20261130


def values(shape, kind):
    """A picture is patches of 16 pixels with noise on them, 0..1; normal is what a normalised picture looks like to a network."""
    rng = np.random.Generator(np.random.PCG64(SEED))
    if kind == "normal":
        return rng.standard_normal(shape, dtype=np.float32)
    patches = rng.random(shape[:-2] + (-(-shape[-2] // 16), -(-shape[-1] // 16)), dtype=np.float32)
    picture = patches.repeat(16, -2).repeat(16, -1)[..., : shape[-2], : shape[-1]]
    return np.clip(picture + 0.1 * rng.standard_normal(shape, dtype=np.float32), 0, 1)


def model_path(name):
    if name == "person-seg":
        return os.path.join(MODELS_DIR, "person-seg", "person-seg.onnx")
    path = os.path.join(OUT, name + ".onnx")
    if not newer(path, os.path.join(MODELS_DIR, name + ".tar.xz"), fill.__file__):
        fill.fill(name, OUT)
    return path


def newer(path, *sources):
    return os.path.exists(path) and all(os.path.getmtime(path) >= os.path.getmtime(s) for s in sources)


def save(folder, name, array):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + ".npy")
    np.save(path + ".part.npy", array)
    os.replace(path + ".part.npy", path)


def make(name):
    input_name, shape, kind, _ = MODELS[name]
    model = model_path(name)
    folder = os.path.join(OUT, "golden", name)
    done = os.path.join(folder, "made-with.txt")
    made_with = f"onnxruntime {onnxruntime.__version__}, seed {SEED}, {shape} {kind}\n"
    if newer(done, model) and open(done).read() == made_with:
        return
    x = values(shape, kind)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    outputs = session.run(None, {input_name: x})
    save(os.path.join(folder, "inputs"), input_name, x)
    for info, array in zip(session.get_outputs(), outputs):
        save(os.path.join(folder, "outputs"), info.name, array)
    with open(done, "w") as file:
        file.write(made_with)
    print(f"{name}: {', '.join(f'{i.name}{list(a.shape)}' for i, a in zip(session.get_outputs(), outputs))}")


def main():
    names = sys.argv[1:] or [n for n, m in MODELS.items() if m[3]]
    unknown = [n for n in names if n not in MODELS]
    if unknown:
        sys.exit(f"unknown: {', '.join(unknown)}; known: {', '.join(MODELS)}")
    for name in names:
        make(name)


if __name__ == "__main__":
    main()
