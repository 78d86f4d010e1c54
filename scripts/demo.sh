#!/usr/bin/env bash
# The main job, from a fresh clone, in one command: builds Memline, compiles the person segmentation model under a line of 60 MiB, and
# segments 100 frames of a street film. Results go to demo-out/.
source "$(dirname "$0")/project.sh"
line=60MiB
frames=100
film=/usr/share/doc/opencv-doc/examples/data/vtest.avi
memline=build/release/memline

scripts/setup.sh build
scripts/build.sh release
rm -rf demo-out
mkdir -p demo-out

echo
echo "== the model becomes an engine under a memory line of $line"
$memline build models/person-seg/person-seg.onnx -o demo-out/person-seg.mline --memory $line \
  --task segment --family yolo8-seg --shape images=1x3x640x640 --source-max 768x576
$memline plan demo-out/person-seg.mline --svg demo-out/memory.svg > demo-out/bill.txt

echo
echo "== $frames frames of $film"
$memline segment $film --model demo-out/person-seg.mline --frames $frames \
  --save demo-out/frames --labels demo-out/labels --results demo-out/results.jsonl

echo
echo "look at:"
echo "  demo-out/frames/         annotated frames"
echo "  demo-out/labels/         YOLO labels, one file a frame"
echo "  demo-out/results.jsonl   boxes, scores and mask run lengths, one line a frame"
echo "  demo-out/memory.svg      the memory timeline, in a browser"
echo "  demo-out/bill.txt        what the engine holds, by owner"
