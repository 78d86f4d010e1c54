#!/usr/bin/env bash
# Installs what a fresh Debian 12 lacks to build, test and measure Memline. Does nothing, quickly, when nothing is missing.
#   scripts/setup.sh          Debian packages, and a Python environment in .venv for model tests and benchmarks
#   scripts/setup.sh build    Debian packages only: enough to build, to run unit tests, and for the demo
source "$(dirname "$0")/project.sh"
case ${1:-all} in all | build) ;; *) die "usage: scripts/setup.sh [build]" ;; esac

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else
    command -v sudo > /dev/null || die "missing packages ($*): run this as root, or install sudo"
    sudo "$@"
  fi
}

# Names of the list that dpkg does not call installed.
missing_packages() {
  local wanted
  wanted=$(grep -v '^#' scripts/debian_packages.txt)
  # shellcheck disable=SC2086  # one word a package
  comm -23 <(sort <<< "$wanted") \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2> /dev/null | sed -n 's/^installed //p' | sort)
}

# Minimal images drop everything under /usr/share/doc when a package is unpacked, the demo's film too.
film=/usr/share/doc/opencv-doc/examples/data/vtest.avi
install_film() {
  local unpacked
  unpacked=$(mktemp -d)
  (cd "$unpacked" && apt-get download -q opencv-doc && dpkg-deb -x opencv-doc_*.deb .)
  as_root install -D -m 644 "$unpacked$film" "$film"
  rm -r "$unpacked"
}

missing=$(missing_packages)
if [ -n "$missing" ]; then
  echo "setup: installing" $missing
  as_root apt-get update -q
  # shellcheck disable=SC2086  # one word a package
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
fi
[ -e "$film" ] || install_film

# Debian's Python refuses packages from PyPI outside an environment of their own.
if [ "${1:-all}" = all ] && ! cmp -s scripts/python_packages.txt .venv/installed.txt; then
  echo "setup: Python packages into .venv"
  rm -rf .venv
  /usr/bin/python3 -m venv .venv
  .venv/bin/python -m pip install -q --disable-pip-version-check -r scripts/python_packages.txt
  cp scripts/python_packages.txt .venv/installed.txt
fi
