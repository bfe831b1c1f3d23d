#!/usr/bin/env bash
# Installs the Debian packages that minpair needs and this machine lacks. Nothing when all are there.
#   tools/bootstrap.sh [build] [test] [train] [mpi] [bench] [web] [browser]
set -euo pipefail

declare -A packages=(
  [build]="g++ cmake ninja-build pkg-config libdnnl-dev libicu-dev libsimdjson-dev
           nlohmann-json3-dev libsqlite3-dev libcli11-dev libfmt-dev libspdlog-dev libcpp-httplib-dev
           libcurl4-openssl-dev libssl-dev liblzma-dev zlib1g-dev libgtest-dev libgmock-dev"
  [test]="libsentencepiece-dev sqlite3 python3 hunspell hunspell-de-de hunspell-en-us hunspell-fr
          hunspell-he hunspell-nl hunspell-ru"
  [train]="libtorch-dev"
  [mpi]="libopenmpi-dev openmpi-bin"
  [bench]="libbenchmark-dev python3 python3-nltk python3-torch python3-onnx nodejs npm openmpi-bin libopenmpi-dev"
  [fuzz]="clang libclang-rt-14-dev"
  [golden]="python3-torch python3-numpy"
  [lint]="clang-format clang-tidy"
  [web]="nodejs npm"
  [browser]="chromium fonts-dejavu-core"
)

wanted=()
for group in "${@:-build}"; do
  [ -n "${packages[$group]:-}" ] || { echo "bootstrap: no group '$group' (${!packages[*]})" >&2; exit 2; }
  wanted+=(${packages[$group]})
done

missing=()
for p in "${wanted[@]}"; do
  # Node from elsewhere brings its own npm, and Debian's would conflict with it.
  case $p in nodejs) command -v node >/dev/null && continue ;; npm) command -v npm >/dev/null && continue ;; esac
  dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
done
[ ${#missing[@]} -gt 0 ] || exit 0

command -v apt-get >/dev/null || {
  echo "bootstrap: this is not a Debian machine; install the counterparts of: ${missing[*]}" >&2; exit 1; }
sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "bootstrap: run as root: apt-get install ${missing[*]}" >&2; exit 1; }
  sudo=(sudo)
fi
echo "Installing: ${missing[*]}"
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
