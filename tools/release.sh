#!/usr/bin/env bash
# What a release consists of, in build/release-VERSION: source, Debian packages and tarball, wheel and R package, the manual as a
# site, notes, and checksums. From a tag vVERSION on the current commit; --untagged tries it without.
#   tools/release.sh [--untagged] [--to FOLDER] [source] [packages] [wheels] [site] [notes]      all parts unless some are named
# Times in archives are the commit's, so that the same commit gives the same bytes (tested for source, site and notes).
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(minpair VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
out=$PWD/build/release-$version untagged=
while [[ ${1:-} == --* ]]; do
  case $1 in
    --untagged) untagged=1; shift ;;
    --to) out=$(realpath -m "$2"); shift 2 ;;
    *) echo "release: no option '$1'" >&2; exit 2 ;;
  esac
done
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(source packages wheels site notes)
if [ -z "$untagged" ]; then
  [ "$(git describe --exact-match --tags HEAD 2>/dev/null)" = "v$version" ] || {
    echo "release: the current commit has no tag v$version; 'git tag v$version', or --untagged to try" >&2; exit 1; }
  [ -z "$(git status --porcelain)" ] || { echo "release: there are uncommitted changes" >&2; exit 1; }
fi
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
rm -rf "$out"
mkdir -p "$out"

for part in "${parts[@]}"; do
  case $part in
    source)
      git archive --format=tar --prefix="minpair-$version/" HEAD | gzip -9n >"$out/minpair-$version-source.tar.gz" ;;
    packages)
      tools/package.sh
      cp build/minpair*.deb build/minpair-*-linux-*.tar.gz "$out" ;;
    wheels)
      tools/wheel.sh
      cp build/minpair-*.whl "$out"
      if [ -e "build/minpair_$version.tar.gz" ]; then cp "build/minpair_$version.tar.gz" "$out"; fi ;;
    site)
      tools/docs.sh
      tar -C build --transform "s,^docs,minpair-$version-docs," --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
        --numeric-owner --mode=a+rX,u+w,go-w -cf - docs | gzip -9n >"$out/minpair-$version-docs.tar.gz" ;;
    notes)
      awk -v version="$version" '/^## / { on = $2 == version } on' CHANGELOG.md >"$out/NOTES.md"
      [ -s "$out/NOTES.md" ] || { echo "release: CHANGELOG.md has no section '## $version'" >&2; exit 1; } ;;
    *) echo "release: no part '$part'" >&2; exit 2 ;;
  esac
done
(cd "$out" && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum >SHA256SUMS && cat SHA256SUMS)
