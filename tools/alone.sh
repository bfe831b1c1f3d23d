#!/usr/bin/env bash
# Builds the program in a tree that cannot see what only tests, benches, training and MPI need, as on a user's machine.
# A dependency that only tests need could otherwise become one of the program, and nobody here would notice.
set -euo pipefail
cd "$(dirname "$0")/.."
tree=build/alone
mkdir -p $tree/pkgconfig
rm -f $tree/pkgconfig/*
# pkg-config sees the modules of the packages in bootstrap's group "build", and what those depend on.
closure=$(apt-cache depends --recurse --important --installed $(tools/bootstrap.sh --list build) | grep '^[a-z]' | sort -u)
{ dpkg -L $closure 2>/dev/null || true; } | grep '/pkgconfig/.*\.pc$' | xargs ln -sft $tree/pkgconfig
export PKG_CONFIG_LIBDIR=$PWD/$tree/pkgconfig
tools/quietly.sh configure-alone "Configuring the program alone" cmake --preset release -B $tree -Wno-dev \
  -DMINPAIR_TESTS=OFF -DMINPAIR_BENCH=OFF -DMINPAIR_WERROR=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_{GTest,benchmark,Torch,MPI}=ON
tools/quietly.sh build-alone "Building the program alone" cmake --build $tree -j "$(nproc)" --target product
$tree/minpair score -m de-mini --method masked-word-l2r "Der Autor lacht." "Der Autor lachen." | tail -1 | grep -q '^prefers "Der Autor lacht."'
