#!/bin/sh
# `minpair serve` for so many minutes under mixed load and garbage: every answer right, memory flat. At most RATE requests
# a second, on this machine's own address; ends by itself. docs/notes has the figures.
#   tools/endure.sh [MINUTES = 60] [RATE = 5] [BUILD = build/release]
set -eu
cd "$(dirname "$0")/.."
exec python3 -B tests/serve/endure.py "${3:-build/release}/minpair" "${1:-60}" "${2:-5}"
