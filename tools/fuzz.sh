#!/usr/bin/env bash
# libFuzzer on every reader, with AddressSanitizer and UndefinedBehaviorSanitizer.
#   tools/fuzz.sh [SECONDS_PER_TARGET = 60] [--jobs N] [--rounds N | --until HH:MM] [TARGET...]
#   tools/fuzz.sh table            what all campaigns together have executed, target by target
#   tools/fuzz.sh record           the same into the tree: fuzz/executed.tsv
#   tools/fuzz.sh lines [TARGET...]   which share of its reader's lines each target reaches, with seeds and corpus
#   tools/fuzz.sh shrink [TARGET...]  few and small inputs that reach what seeds and corpus reach: fuzz/seeds/TARGET/corpus-*
# Findings are in build/fuzz/findings, all of them; the exit status says whether there are any.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
case ${1:-} in
  table | record) ;;
  lines)
    cmake --preset fuzz-lines -Wno-dev >/dev/null
    cmake --build --preset fuzz-lines -j "$jobs" --target fuzz_programs ;;
  *)
    cmake --preset fuzz -Wno-dev >/dev/null
    cmake --build --preset fuzz -j "$jobs" --target fuzz_programs ;;
esac
exec python3 -B tools/fuzz.py "$@"
