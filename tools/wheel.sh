#!/usr/bin/env bash
# The Python wheel and the R package of this tree: build/minpair-*.whl, build/minpair_*.tar.gz (where R is).
#   tools/wheel.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
tools/quietly.sh configure "Configuring" cmake --preset package -Wno-dev -DMINPAIR_MPI=AUTO -DMINPAIR_PAGE=AUTO
tools/quietly.sh build "Building libminpair" cmake --build --preset package -j "${1:-$(nproc)}" --target libminpair
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' build/package/CMakeCache.txt)
tools/quietly.sh bundle "Collecting libraries" tools/bundle.sh build/package/libminpair.so.0 build/bundle
rm -f build/minpair-*.whl
tools/quietly.sh wheel "Making the wheel" tools/wheel.py build/bundle "$version" build
if command -v R >/dev/null; then
  tools/quietly.sh r-package "Making the R package" tools/r_package.sh build/bundle "$version"
fi
ls -sh1 build/minpair-*.whl $(compgen -G 'build/minpair_*.tar.gz')
