#!/usr/bin/env bash
# The tests of the R package over a library that was built here; exits with 77 and says why where R or testthat is missing.
#   tools/test_r.sh LIBRARY SOURCE PROGRAM
set -euo pipefail
library=$(realpath "$1") source=$(realpath "$2")
Rscript -e 'library(testthat)' >/dev/null 2>&1 || { echo "skipped: R or testthat is not there (tools/bootstrap.sh r)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/lib"
cp -r "$source/r" "$folder/minpair"
cp "$source/include/minpair.h" "$folder/minpair/src/"
export MINPAIR_LIBRARY=$library R_LIBS_USER=$folder/lib MINPAIR_HOME=$source MINPAIR_PROGRAM=$(realpath "$3")
R CMD INSTALL --no-docs --library="$folder/lib" "$folder/minpair" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
cd "$folder/minpair/tests"
Rscript testthat.R
