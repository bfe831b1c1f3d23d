#!/bin/sh
# Every write, sync, open, mapping, thread and allocation of a short run fails once, alone and for good: never a crash,
# always a message, and the same command afterwards ends with the same bytes. docs/notes has the figures.
#   tools/faults.sh [BUILD] [--only KIND] [--sites] [--most N] [--jobs N] [--threads N]
set -eu
cd "$(dirname "$0")/.."
build=build/release
case "${1:-}" in '' | --*) ;; *) build=$1 && shift ;; esac
exec python3 -B tests/faults/sweep.py "$build/minpair" "$PWD" "$PWD/$build/tests/libfault_shim.so" "$@"
