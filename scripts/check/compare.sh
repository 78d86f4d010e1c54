#!/usr/bin/env bash
# Every node of person-seg against onnxruntime, on an engine and on the references; and a spoilt value must be found.
source "$(dirname "$0")/../project.sh"
scripts/setup.sh
scripts/build.sh release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=models/person-seg/person-seg.onnx
.venv/bin/python scripts/dump_reference.py "$model" "$work/stored" --shape images=1x3x160x160

compare() { build/release/memline compare "$model" --reference "$work/stored" --tune none --json "$@"; }
field() { /usr/bin/python3 -c 'import json, sys; print(eval("json.load(sys.stdin)" + sys.argv[1]))' "$1"; }

for on in engine reference; do
  [ "$(compare --on $on | field '["differing"]')" = 0 ] || die "on $on these differ: $(compare --on $on | field '["first"]')"
  [ "$(compare --on $on | field '["compared"]')" -gt 400 ] || die "on $on fewer values were compared than person-seg has"
done
.venv/bin/python - "$work/stored/up_1.npy" << 'PYTHON'
import sys
import numpy as np
values = np.load(sys.argv[1])
values.flat[7] += np.ptp(values)
np.save(sys.argv[1], values)
PYTHON
[ "$(compare | field '["first"]["name"]')" = up_1 ] || die "a spoilt value of up_1 was not found first"
echo "compare: every node of person-seg agrees with onnxruntime"
