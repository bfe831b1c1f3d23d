#!/usr/bin/env bash
# Runs a command in a Debian unstable in a folder of its own, which has what judges minpair: Hugging Face's transformers, PyTorch,
# llama.cpp and its converter. Where the folder is not there, it is made: some five minutes, some gigabytes. Needs root. A system
# that lacks some of the packages gets them.
#   tools/golden/oracle.sh FOLDER COMMAND...
# This tree, /tmp and GOLDEN_MADE are there too, under the names that they have here; all mounts are the command's own, and go with it.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,6p' "$0" | sed 's/^# \{0,1\}//'; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "$0: debootstrap and chroot need root" >&2; exit 1; }
[ -n "${ORACLE_INSIDE:-}" ] || ORACLE_INSIDE=1 exec unshare --mount --propagation private "$0" "$@"
tree=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
root=$(cd "$1" && pwd)
shift
packages="python3-transformers python3-torch python3-safetensors python3-tokenizers python3-gguf libopenblas0-pthread libllama0
          llama.cpp-tools llama.cpp-tools-extra"

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 HF_HUB_OFFLINE=1 \
    TRANSFORMERS_OFFLINE=1 ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
}
make_system() {
  { command -v debootstrap >/dev/null || apt-get install -y debootstrap; } &&
    debootstrap --variant=minbase --include=ca-certificates unstable "$root" &&
    cp /etc/resolv.conf /etc/hosts "$root/etc/" &&
    { grep -l '^Acquire' /etc/apt/apt.conf.d/* 2>/dev/null | xargs -r cp -t "$root/etc/apt/apt.conf.d/" || true; }
}
install_packages() {
  # shellcheck disable=SC2086
  inside apt-get update &&
    inside env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages
}
logged() {
  mkdir -p "$tree/build/log"
  "$@" >>"$tree/build/log/oracle" 2>&1 || { tail -20 "$tree/build/log/oracle" >&2; exit 1; }
}

[ -e "$root/usr/bin/dpkg" ] || logged make_system
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
# shellcheck disable=SC2086
inside dpkg -s $packages >/dev/null 2>&1 || logged install_packages
for shared in "$tree" /tmp ${GOLDEN_MADE:+"$(realpath -m "$GOLDEN_MADE")"}; do
  mkdir -p "$shared" "$root$shared"
  mount --bind "$shared" "$root$shared"
done
inside "$@"
