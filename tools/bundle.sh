#!/usr/bin/env bash
# libminpair.so.0 and every library that it needs beyond glibc, in one folder: for the wheel and the R package.
#   tools/bundle.sh LIBRARY FOLDER
# The C++ library lies in cxx/: the system's is used where there is one, since others in the same process may need a newer one.
set -euo pipefail
library=$(realpath "$1") folder=$2
glibc='^(ld-linux.*|lib(c|m|mvec|pthread|dl|rt|resolv|util|anl|nss_.*))\.so'
cxx='^lib(stdc\+\+|gcc_s)\.so'
rm -rf "$folder"
mkdir -p "$folder/cxx" "$folder/licences"

licence() {  # of the Debian package that the library is from
  local file package
  file=$(realpath "$1")
  # dpkg may know it by its place before /lib and /usr/lib became one.
  package=$( (dpkg -S "$file" || dpkg -S "${file#/usr}" || true) 2>/dev/null | head -1 | cut -d: -f1)
  cp "/usr/share/doc/$package/copyright" "$folder/licences/$package" 2>/dev/null || echo "no licence found for $1" >&2
}

install -m 644 "$library" "$folder/libminpair.so.0"
strip --strip-unneeded "$folder/libminpair.so.0"
while read -r found; do
  name=$(basename "$found")
  [[ $name =~ $glibc ]] && continue
  licence "$found"
  if [[ $name =~ $cxx ]]; then
    install -m 644 "$found" "$folder/cxx/$name"
    continue
  fi
  install -m 644 "$found" "$folder/$name"
done < <(ldd "$library" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }')
for file in "$folder"/*.so*; do patchelf --set-rpath '$ORIGIN' "$file"; done
