#!/usr/bin/env bash
# The R package as a source tarball that carries libminpair: build/minpair_VERSION.tar.gz. Installing it needs R and a C compiler.
#   tools/r_package.sh BUNDLE VERSION      BUNDLE: of tools/bundle.sh
set -euo pipefail
cd "$(dirname "$0")/.."
bundle=$(realpath "$1") version=$2 folder=build/r/minpair
rm -rf build/r
mkdir -p "$folder/inst"
cp -r r/. "$folder/"
cp include/minpair.h "$folder/src/"
sed -i "s/^Version: .*/Version: $version/" "$folder/DESCRIPTION"
cp -r "$bundle" "$folder/inst/native"
mkdir "$folder/inst/data-files"
git ls-files -z suites models languages published | xargs -0 cp --parents -t "$folder/inst/data-files"
(cd "$folder" && find inst/native -name '*.so*' | sort >BinaryFiles)
# Without knitr, the vignette is included as text.
if ! Rscript -e 'stopifnot(requireNamespace("knitr"), requireNamespace("rmarkdown"))' >/dev/null 2>&1; then
  echo "the vignette is not knit: knitr or rmarkdown is not there"
  sed -i '/^VignetteBuilder/d' "$folder/DESCRIPTION"
  mv "$folder/vignettes" "$folder/inst/doc"
fi
(cd build/r && R CMD build --no-manual ${R_BUILD_OPTIONS:-} minpair)
mv "build/r/minpair_$version.tar.gz" build/
