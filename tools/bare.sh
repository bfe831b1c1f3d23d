# Sourced: a bare Debian that did not exist before, in a folder of its own, gone when the script ends. Needs root.
#   bare_system RELEASE      sets $root; bookworm or trixie
#   inside COMMAND...        runs there
# FRESH_BASE=FOLDER has RELEASE.tar, a Debian that debootstrap made before, to save its minutes. FRESH_KEEP=1 leaves the system.
# FRESH_CACHE=FOLDER is the new system's compiler cache, for a Debian with the compiler that filled it, and in its language, which
# a cache tells apart: "make test" as the first command finds it.
[ "$(id -u)" -eq 0 ] || { echo "$0: debootstrap and chroot need root" >&2; exit 1; }
# All mounts are this script's own, and go when it ends.
[ -n "${FRESH_INSIDE:-}" ] || FRESH_INSIDE=1 exec unshare --mount --propagation private "$(dirname "${BASH_SOURCE[0]}")/${0##*/}" "$@"

leave() {
  if [ -n "${FRESH_KEEP:-}" ]; then echo "kept: $root"; return; fi
  umount "$root/proc" "$root/dev/shm" "$root/dev/pts" 2>/dev/null || true
  [ -z "${FRESH_CACHE:-}" ] || umount "$root/root/.cache/ccache" || return  # rather than to empty the cache
  rm -rf --one-file-system "$root"
}

bare_system() {
  root=$(mktemp -d "${TMPDIR:-/var/tmp}/minpair-$1.XXXXXX")
  trap leave EXIT
  chmod 755 "$root"
  if [ -n "${FRESH_BASE:-}" ]; then
    tar -C "$root" -xf "$FRESH_BASE/$1.tar"
  else
    command -v debootstrap >/dev/null || tools/quietly.sh packages "Installing debootstrap" apt-get install -y debootstrap
    tools/quietly.sh "debootstrap-$1" "Making a bare Debian, $1" \
      debootstrap --variant=minbase --include=ca-certificates,make,git "$1" "$root"
  fi
  # How this machine reaches the network: names and, where there are such, apt's proxy and certificates of its own.
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  grep -l '^Acquire' /etc/apt/apt.conf.d/* 2>/dev/null | xargs -r cp -t "$root/etc/apt/apt.conf.d/"
  if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
    cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
    chroot "$root" update-ca-certificates >/dev/null 2>&1
    own_certificates=NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
  fi
  mkdir -p "$root/dev/shm" "$root/dev/pts"
  mount -t proc proc "$root/proc"
  mount -t tmpfs tmpfs "$root/dev/shm"
  mount -t devpts devpts "$root/dev/pts"
  if [ -n "${FRESH_CACHE:-}" ]; then
    mkdir -p "$root/root/.cache/ccache"
    mount --bind "$FRESH_CACHE" "$root/root/.cache/ccache"
  fi
}

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin ${own_certificates:-} \
    ${FRESH_CACHE:+LANG="${LANG:-}"} ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
}

# For a script that tries one file: RELEASE FILE. Sets $release and $name, the file's in /root of the new system, and goes to the tree.
bare_system_with() {
  [ $# -eq 2 ] || { sed -n '2,3p' "$0" | sed 's/^# \{0,1\}//'; exit 2; }
  local file
  file=$(realpath "$2")
  release=$1 name=$(basename "$file")
  cd "$(dirname "$0")/.."
  bare_system "$release"
  cp "$file" "$root/root/"
}
