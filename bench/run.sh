#!/usr/bin/env bash
# Runs every benchmark that can run here; each prints ratios of things measured in one run.
#   bench/run.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
echo "machine: $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) cores"
for program in "$build"/bench_*; do
  [ -x "$program" ] || continue
  echo
  echo "== $(basename "$program")"
  "$program" || echo "(could not run: see above)"
done
echo
echo "== encoder.sh"
bench/encoder.sh "$build"
