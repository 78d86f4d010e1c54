# Sourced by the scripts beside it: strict mode, the project's root as working folder, and how times are printed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() {
  echo "$(basename "$0"): $*" >&2
  exit 2
}

# timed LABEL COMMAND... : runs the command and prints the seconds it took.
timed() {
  local label=$1 start=$SECONDS status=0
  shift
  "$@" || status=$?
  echo "$label: $((SECONDS - start)) s"
  return $status
}
