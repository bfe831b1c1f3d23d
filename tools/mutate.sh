#!/usr/bin/env bash
# Tries mutants of the rooms that decide scores; see tools/mutate.py for what it does.
#   tools/mutate.sh [--count 300] [--rooms judge,engine,method,stats] [--seed 1]
set -euo pipefail
cd "$(dirname "$0")/.."
tools/quietly.sh configure "Configuring" cmake --preset release -Wno-dev -DMINPAIR_TESTS=ON
exec tools/mutate.py build/release --jobs "$(nproc)" "$@"
