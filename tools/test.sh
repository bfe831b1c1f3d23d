#!/usr/bin/env bash
# Runs every test of a build folder; then says why some were skipped, and ends with ctest's own summary.
#   tools/test.sh BUILD_FOLDER [CTEST OPTION...]
set -uo pipefail
folder=$1
shift
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
ctest --test-dir "$folder" --output-on-failure --output-junit tests.xml "$@" 2>&1 |
  awk -v summary="$summary" '/^[0-9]+% tests passed/ { closing = 1 } closing { print > summary; next } { print; fflush() }'
status=${PIPESTATUS[0]}
"$(dirname "$0")/skipped.py" "$folder/tests.xml"
cat "$summary"
exit "$status"
