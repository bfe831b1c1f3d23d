#!/usr/bin/env bash
# Runs every test of a build folder; then says why some were skipped, and ends with ctest's own summary.
# A terminal shows one line of progress and what failed; the whole output is in build/log/test.log.
#   tools/test.sh BUILD_FOLDER [CTEST OPTION...]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
log=$here/../build/log/test.log
mkdir -p "${log%/*}"
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT

ctest --test-dir "$folder" --output-on-failure --output-junit tests.xml "$@" 2>&1 | tee "$log" |
  awk -v summary="$summary" '/^[0-9]+% tests passed/ { closing = 1 } closing { print > summary; next } { print; fflush() }' |
  if [ -t 1 ]; then awk -v width="$(tput cols 2>/dev/null || echo 80)" -f "$here/progress.awk"; else cat; fi
status=${PIPESTATUS[0]}
"$here/skipped.py" "$folder/tests.xml"
# On a terminal the reasons are enough; elsewhere the names of the tests that did not run follow, as ctest prints them.
if [ -t 1 ]; then sed '/^The following tests did not run:/,$d' "$summary"; else cat "$summary"; fi
exit "$status"
