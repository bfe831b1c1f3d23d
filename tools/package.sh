#!/usr/bin/env bash
# Debian packages for this release, and a tarball that brings every library but glibc: build/minpair_*.deb, build/minpair-*.tar.gz.
# The trainer is in neither: it would bring libtorch, some hundred times the rest. 'make test' or 'make install' build it.
#   tools/package.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
rm -f build/minpair*.deb build/minpair-*.tar.gz
tools/quietly.sh configure "Configuring" cmake --preset package -Wno-dev
tools/quietly.sh build "Building minpair" cmake --build --preset package -j "${1:-$(nproc)}" --target product
tools/quietly.sh deb "Packing for Debian" sh -c 'cd build/package && cpack'
tools/quietly.sh lintian "Checking with lintian" lintian --fail-on error --tag-display-limit 0 build/minpair*.deb

glibc='^(ld-linux.*|lib(c|m|mvec|pthread|dl|rt|resolv|util|anl|nss_.*))\.so'
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' build/package/CMakeCache.txt)
name=minpair-$version-linux-$(uname -m)
root=build/$name

# The library, and the licence of the Debian package that it is from.
bring() {
  cp -L "$1" "$root/lib/minpair/"
  local package file
  file=$(realpath "$1")
  # dpkg may know it by its place before /lib and /usr/lib became one.
  package=$( (dpkg -S "$file" || dpkg -S "${file#/usr}" || true) 2>/dev/null | head -1 | cut -d: -f1)
  cp "/usr/share/doc/$package/copyright" "$root/share/doc/minpair/libraries/$package" 2>/dev/null ||
    echo "no licence found for $1" >&2
}

make_tarball() {
  rm -rf "$root"
  cmake --install build/package --prefix "$root" --component minpair --strip
  mkdir -p "$root/lib/minpair" "$root/share/doc/minpair/libraries"
  cp LICENSE "$root/"
  ldd "$root/bin/minpair" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | while read -r library; do
    [[ $(basename "$library") =~ $glibc ]] || bring "$library"
  done
  patchelf --set-rpath '$ORIGIN/../lib/minpair' "$root/bin/minpair"
  patchelf --set-rpath '$ORIGIN/../minpair' "$root"/lib/*/libminpair.so.*.*
  chmod u+w "$root"/lib/minpair/*
  for library in "$root"/lib/minpair/*; do patchelf --set-rpath '$ORIGIN' "$library"; done
  # gzip, which every Debian has; a bare one has no xz.
  tar -C build --owner=0 --group=0 --sort=name ${SOURCE_DATE_EPOCH:+--mtime=@$SOURCE_DATE_EPOCH} -I "gzip -9n" -cf "build/$name.tar.gz" "$name"
  rm -rf "$root"
}
export -f make_tarball bring
export root name glibc
tools/quietly.sh tarball "Packing the tarball" bash -euo pipefail -c make_tarball
ls -sh1 build/minpair*.deb build/minpair-*.tar.gz
