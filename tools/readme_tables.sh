#!/usr/bin/env bash
# Puts today's table of the shipped models into README.md, between its two markers.
#   tools/readme_tables.sh PROGRAM
set -euo pipefail
cd "$(dirname "$0")/.."
db=$(mktemp -d)/readme.db
trap 'rm -rf "$(dirname "$db")"' EXIT
"$1" run -q -s de-agreement -m de-mini --method masked-word-l2r -o "$db" >/dev/null
"$1" run -q -s de-agreement -m de-lstm --method lp -o "$db" >/dev/null
# Without the last lines, which account for items and commands: README.md has the commands above.
table=$(COLUMNS=125 "$1" report "$db" --lengths all | sed '/^a tie counts/,$d; s/^/    /; s/ *$//')
awk -v table="$table" '
  /<!-- table of the shipped models -->/ { print; print ""; print table; print ""; skipping = 1; next }
  /<!-- end of the table -->/ { skipping = 0 }
  !skipping' README.md > README.md.tmp
mv README.md.tmp README.md
