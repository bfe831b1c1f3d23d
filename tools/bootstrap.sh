#!/usr/bin/env bash
# Installs the Debian packages that minpair needs and this machine lacks. Nothing when all are there.
#   tools/bootstrap.sh --list GROUP...   only says which
#   tools/bootstrap.sh [build] [web] [test] [browser] [train] [mpi] [bench] [fuzz] [lint] [package] [python] [r] [golden]
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A packages=(
  [build]="g++ cmake ninja-build pkg-config libicu-dev libsimdjson-dev nlohmann-json3-dev libsqlite3-dev libcli11-dev
           libfmt-dev libcurl4-openssl-dev libssl-dev libxxhash-dev liblzma-dev zlib1g-dev libeigen3-dev libboost-dev"
  [web]="nodejs npm"
  [test]="ccache libcpp-httplib-dev libgtest-dev libgmock-dev libsentencepiece-dev sqlite3 python3 zsh fish hunspell hunspell-de-de
          hunspell-en-us hunspell-fr hunspell-he hunspell-nl hunspell-ru"
  [browser]="chromium fonts-dejavu-core"
  [train]="libtorch-dev libopenblas0-pthread"
  [mpi]="libopenmpi-dev openmpi-bin"
  [bench]="libdnnl-dev libbenchmark-dev libopenblas0-pthread python3 python3-nltk python3-torch python3-onnx nodejs npm openmpi-bin
           libopenmpi-dev"
  [fuzz]="clang libclang-rt-dev lld"
  [lint]="clang-format clang-tidy"
  [package]="dpkg-dev file lintian patchelf xz-utils"
  [python]="python3-pytest python3-numpy python3-pandas python3-jinja2 mypy"
  [r]="r-base-dev r-cran-testthat r-cran-lme4"
  [golden]="python3-torch python3-numpy"
)

only_list=
if [ "${1:-}" = --list ]; then
  only_list=1
  shift
fi
wanted=()
for group in "${@:-build}"; do
  [ -n "${packages[$group]:-}" ] || { echo "bootstrap: no group '$group' (${!packages[*]})" >&2; exit 2; }
  wanted+=(${packages[$group]})
done

if [ -n "$only_list" ]; then
  echo "${wanted[*]}"
  exit
fi

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
  sudo -v  # asks for the password now: later nobody would see the question
  sudo=(sudo)
fi
tools/quietly.sh packages-lists "Reading the lists of Debian packages" "${sudo[@]}" apt-get update
tools/quietly.sh packages "Installing ${missing[*]}" \
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
