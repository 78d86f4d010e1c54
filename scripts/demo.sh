#!/usr/bin/env bash
# The main job, from a fresh clone, in one command: builds Memline, compiles the person segmentation model under a line of 60 MiB, and
# segments 100 frames of a street film: line, bill and peak beside each other, time by stage. Results go to demo-out/.
source "$(dirname "$0")/project.sh"
line=60MiB
frames=100
film=/usr/share/doc/opencv-doc/examples/data/vtest.avi
memline=build/release/memline

scripts/setup.sh build
scripts/build.sh release
rm -rf demo-out
mkdir -p demo-out

shape=images=1x3x640x640
echo
echo "== what will it hold? nothing is run yet"
$memline plan models/person-seg/person-seg.onnx --shape $shape --memory $line --task segment --source-max 768x576 \
  --svg demo-out/memory.svg | tee demo-out/bill.txt

echo
echo "== the model becomes an engine under a memory line of $line, and $frames frames of $film go through it"
$memline segment $film --model models/person-seg/person-seg.onnx --shape $shape --memory $line --frames $frames \
  --save demo-out/frames --labels demo-out/labels --results demo-out/results.jsonl

echo
echo "look at:"
echo "  demo-out/frames/         annotated frames"
echo "  demo-out/labels/         YOLO labels, one file a frame"
echo "  demo-out/results.jsonl   boxes, scores and mask run lengths, one line a frame"
echo "  demo-out/memory.svg      the memory timeline, in a browser"
echo "  demo-out/bill.txt        what the engine holds, by owner"
