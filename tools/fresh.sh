#!/usr/bin/env bash
# A new user's first hour, in a newly made, bare Debian: clones this tree (what is committed) into it, runs
# `make demo` and `make test`, says what each installed, took and printed, and removes everything. Needs root.
#   tools/fresh.sh RELEASE [COMMAND...]      bookworm or trixie; other commands than "make demo" "make test"
# Packages that a command leaves in build/ are brought out, to build/fresh/RELEASE/. For FRESH_BASE and FRESH_KEEP see bare.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { sed -n '2,5p' "$0" | sed 's/^# \{0,1\}//'; exit 2; }
. tools/bare.sh
release=$1
shift
[ $# -gt 0 ] || set -- "make demo" "make test"
logs=$PWD/build/fresh/$release
mkdir -p "$logs"
rm -f "$logs"/*
failed=0

packages() { inside dpkg-query -W -f '${Package}\n' | sort; }
megabytes() { du -smx "$root" | cut -f1; }

# Runs one of the user's commands; keeps its output, and reports what it changed.
try() {
  local command=$1 name=${1//[ \/]/-} status=0 size began
  local log=$logs/$name.log
  packages >"$logs/before"
  size=$(megabytes)
  began=$SECONDS
  inside sh -c "cd /root/minpair && $command" >"$log" 2>&1 || status=$?
  local took=$((SECONDS - began))
  packages | comm -13 "$logs/before" - >"$logs/$name.packages"
  printf '%s: %s: exit status %d, %d min %d s, %d lines printed, %d packages installed, %d MB more\n' "$release" "$command" \
    "$status" $((took / 60)) $((took % 60)) "$(wc -l <"$log")" "$(wc -l <"$logs/$name.packages")" $(($(megabytes) - size))
  tail -n "$([ "$status" -eq 0 ] && echo 25 || echo 60)" "$log" | sed 's/^/  | /'
  [ "$status" -eq 0 ] || failed=1
}

# What `make demo` promises beyond its exit status.
judge_demo() {
  local lines
  lines=$(wc -l <"$logs/make-demo.log")
  [ "$lines" -lt 120 ] || { echo "$release: the demo printed $lines lines; below 120 was promised"; failed=1; }
  [ -s "$root/root/minpair/build/demo.html" ] || { echo "$release: the demo wrote no page"; failed=1; }
}

bare_system "$release"
echo "$release: Debian $(cat "$root/etc/debian_version") with $(packages | wc -l) packages; commit $(git rev-parse --short HEAD)"
git clone -q --no-hardlinks . "$root/root/minpair"
for command in "$@"; do
  try "$command"
  [ "$command" != "make demo" ] || judge_demo
done
rm -f "$logs/before"
cp "$root"/root/minpair/build/minpair*.{deb,tar.gz} "$logs/" 2>/dev/null || true
[ "$failed" -eq 0 ] && echo "$release: all of it works" || echo "$release: FAILED; the logs are in $logs"
exit "$failed"
