#!/usr/bin/env python3
"""Fails on any include outside src/layers.txt: a folder of src/ may include itself, what it names there, and what those name.

Beyond the list: the public headers result.hpp and tensor.hpp hold what every layer speaks (base and tensor re-export them); `cli` sees the public headers and base; `api` implements the public headers and reaches `video` through the entry
point of an opened library only. Headers of FFmpeg stay in video/, CUDA's in cuda/, protobuf's in onnx/.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
PUBLIC_FOLDERS = {"api", "capi", "cli", "serve"}
SHARED_HEADERS = {"memline/result.hpp": "base", "memline/tensor.hpp": "tensor"}
VENDORS = {"libav": "video", "libsw": "video", "cuda": "cuda", "cudnn": "cuda", "cublas": "cuda", "nvrtc": "cuda", "protozero/": "onnx"}


def read_layers(path):
    direct = {}
    for line in open(path):
        match = re.match(r"^([a-z]+):(.*)$", line)
        if match:
            direct[match[1]] = match[2].split()
    return direct


def closure(direct, folder):
    seen, todo = set(), [folder]
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += direct.get(at, [])
    return seen


def includes(path):
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == '"', match[2]


def problem(folder, allowed, folders, quoted, name):
    for prefix, owner in VENDORS.items():
        if name.startswith(prefix) and folder != owner:
            return f"headers of {prefix.rstrip('/')}* stay in src/{owner}/"
    if name.startswith("memline/"):
        return None if folder in PUBLIC_FOLDERS or SHARED_HEADERS.get(name) in allowed else "the public headers are for the folders that implement or use them"
    other = name.split("/")[0]
    if not quoted or "/" not in name or other not in folders:
        return None
    if folder == "api" and other == "video":
        return "api opens the video library (vision/video_library.h) and includes nothing of it"
    return None if other in allowed else f"src/layers.txt does not let {folder} include {other}"


def main():
    direct = read_layers("src/layers.txt")
    failures = []
    for folder in sorted(f for f in os.listdir("src") if os.path.isdir(os.path.join("src", f))):
        if folder not in direct:
            failures.append(f"src/{folder}: not in src/layers.txt")
            continue
        allowed = closure(direct, folder)
        for path, _, files in os.walk(os.path.join("src", folder)):
            for file in sorted(f for f in files if f.endswith((".h", ".cpp", ".hpp", ".cu"))):
                full = os.path.join(path, file)
                for number, quoted, name in includes(full):
                    why = problem(folder, allowed, direct, quoted, name)
                    if why:
                        failures.append(f"{full}:{number}: {name}: {why}")
    print("\n".join(failures) if failures else "layers: every include is allowed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
