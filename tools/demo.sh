#!/usr/bin/env bash
# Evaluates the shipped German suite with the shipped models, prints the paper's table, and writes the page.
#   tools/demo.sh PROGRAM WHERE          leaves WHERE.db and WHERE.html
set -euo pipefail
cd "$(dirname "$0")/.."
minpair=$1 where=$2
rm -f "$where.db" "$where.html"

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
[ -t 1 ] || say() { printf '\n%s\n' "$1"; }
show() {
  printf '$ minpair'
  for word in "$@"; do
    case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '\n'
}
run() { show "$@" && "$minpair" "$@"; }

say "1. A minimal pair, token by token"
run score -m de-mini --method masked-word-l2r "Der Autor lacht." "Der Autor lachen."

say "2. Every test of the German suite, scored with the two shipped models"
for call in "de-mini --method masked-word-l2r" "de-lstm --method lp"; do
  words=(run -s de-agreement -m $call -o "$where.db")
  show "${words[@]}"
  "$minpair" "${words[@]}" >/dev/null # a run ends with its own table; one of both comes next
done
run report "$where.db" --lengths all

say "3. The same as a page, by condition and with every sentence; it needs no network"
show page "$where.db" -o "$where.html"
# Without npm there is no page; the program says so itself.
"$minpair" page "$where.db" -o "$where.html" >/dev/null && echo "$(pwd)/$where.html" || true
