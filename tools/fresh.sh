#!/usr/bin/env bash
# A new user's first hour, in a bare Debian that did not exist before: clones this tree (what is committed) into it, runs
# `make demo` and `make test`, says what each installed, took and printed, and removes everything. Needs root and debootstrap.
#   tools/fresh.sh RELEASE [COMMAND...]      bookworm or trixie; commands other than "make demo" "make test"
#
#   FRESH_BASE=FILE.tar    a Debian that debootstrap made before, to save its minutes
#   FRESH_KEEP=1           leave the system where it is
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { sed -n '2,8p' "$0" | sed 's/^# \{0,1\}//'; exit 2; }
release=$1
shift
[ $# -gt 0 ] || set -- "make demo" "make test"
[ "$(id -u)" -eq 0 ] || { echo "fresh: debootstrap and chroot need root" >&2; exit 1; }

# All mounts are this script's own, and go when it ends.
[ -n "${FRESH_INSIDE:-}" ] || FRESH_INSIDE=1 exec unshare --mount --propagation private "$0" "$release" "$@"

logs=$PWD/build/fresh/$release
rm -rf "$logs"
mkdir -p "$logs"
root=$(mktemp -d "${TMPDIR:-/var/tmp}/minpair-$release.XXXXXX")
chmod 755 "$root"
leave() {
  if [ -n "${FRESH_KEEP:-}" ]; then echo "kept: $root"; return; fi
  umount "$root/proc" "$root/dev/shm" "$root/dev/pts" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap leave EXIT

make_system() {
  if [ -n "${FRESH_BASE:-}" ]; then
    tar -C "$root" -xf "$FRESH_BASE"
  else
    command -v debootstrap >/dev/null || tools/quietly.sh packages "Installing debootstrap" apt-get install -y debootstrap
    debootstrap --variant=minbase --include=ca-certificates,make,git "$release" "$root" >"$logs/debootstrap.log" 2>&1 ||
      { tail -5 "$logs/debootstrap.log" >&2; exit 1; }
  fi
  # How this machine reaches the network: names and, where there is one, apt's proxy.
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  grep -l '^Acquire' /etc/apt/apt.conf.d/* 2>/dev/null | xargs -r cp -t "$root/etc/apt/apt.conf.d/"
  mkdir -p "$root/dev/shm" "$root/dev/pts"
  mount -t proc proc "$root/proc"
  mount -t tmpfs tmpfs "$root/dev/shm"
  mount -t devpts devpts "$root/dev/pts"
}

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
}

packages() { inside dpkg-query -W -f '${Package}\n' | sort; }
megabytes() { du -smx "$1" | cut -f1; }

# One of the user's commands: its output is kept, and what it changed is said.
try() {
  local command=$1 name=${1// /-} status=0 before after began=$SECONDS
  local log=$logs/$name.log
  packages >"$logs/before"
  before=$(megabytes "$root")
  inside sh -c "cd /root/minpair && $command" >"$log" 2>&1 || status=$?
  after=$(megabytes "$root")
  packages | comm -13 "$logs/before" - >"$logs/$name.packages"
  printf '%s: %s: exit status %d, %d s, %d lines printed, %d packages installed, %d MB more\n' "$release" "$command" \
    "$status" $((SECONDS - began)) "$(wc -l <"$log")" "$(wc -l <"$logs/$name.packages")" $((after - before))
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

failed=0
began=$SECONDS
make_system
echo "$release: Debian $(cat "$root/etc/debian_version") with $(packages | wc -l) packages, $((SECONDS - began)) s; commit $(git rev-parse --short HEAD)"
git clone -q --no-hardlinks . "$root/root/minpair"
for command in "$@"; do
  try "$command"
  [ "$command" != "make demo" ] || judge_demo
done
rm -f "$logs/before"
[ "$failed" -eq 0 ] && echo "$release: all of it works" || echo "$release: FAILED; the logs are in $logs"
exit "$failed"
