#!/usr/bin/env bash
# Evaluates the shipped German suite with the shipped models, and prints the paper's table.
#   tools/demo.sh PROGRAM
set -euo pipefail
cd "$(dirname "$0")/.."
minpair=$1
results=$(mktemp -d)/demo.db
trap 'rm -rf "$(dirname "$results")"' EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
[ -t 1 ] || say() { printf '\n%s\n' "$1"; }

say "1. A minimal pair, token by token"
echo '$ minpair score -m de-mini --method masked-word-l2r "Der Autor lacht." "Der Autor lachen."'
"$minpair" score -m de-mini --method masked-word-l2r "Der Autor lacht." "Der Autor lachen."

say "2. Every test of the German suite, scored with the shipped model"
echo '$ minpair run -s de-agreement -m de-mini --method masked-word-l2r -o demo.db'
"$minpair" run -s de-agreement -m de-mini --method masked-word-l2r -o "$results"

say "3. The same with the shipped LSTM, into the same results: side by side"
echo '$ minpair run -s de-agreement -m de-lstm --method lp -o demo.db'
"$minpair" run -q -s de-agreement -m de-lstm --method lp -o "$results" > "$results.out"
echo '$ minpair report demo.db --lengths all'
"$minpair" report "$results" --lengths all

say "4. By condition: number of the subject, number of the distractor"
echo '$ minpair report demo.db --by condition --lengths all'
"$minpair" report "$results" --by condition --lengths all
