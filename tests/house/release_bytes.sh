#!/usr/bin/env bash
# A release made twice from one commit has the same bytes: the parts that take seconds.
#   tests/house/release_bytes.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"
git rev-parse HEAD >/dev/null 2>&1 || { echo "skipped: a release needs git's history"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
parts=(source notes)
command -v npm >/dev/null && parts+=(site)
for n in 1 2; do
  status=0
  tools/release.sh --untagged --to "$work/$n" "${parts[@]}" >"$work/$n.log" || status=$?
  [ $status -ne 77 ] || { echo "skipped: npm could not fetch what the site is built with"; exit 77; }
  [ $status -eq 0 ]
  sleep 1  # times of files differ
done
diff "$work/1/SHA256SUMS" "$work/2/SHA256SUMS"
[ "$(wc -l <"$work/1/SHA256SUMS")" -eq ${#parts[@]} ]
tar tzf "$work"/1/*-source.tar.gz | grep -c '/CMakeLists.txt$' >/dev/null
git describe --exact-match --tags HEAD >/dev/null 2>&1 && exit 0
tools/release.sh >"$work/untagged" 2>&1 && { echo "a commit without a tag was released"; exit 1; }
grep -q "has no tag" "$work/untagged"
