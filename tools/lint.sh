#!/usr/bin/env bash
# Formatting of C++ and TypeScript, then lint, on what is ours. Leaves the files as they are.
#   tools/lint.sh [--nodes N]      how far the static analyser goes into each function (default: clang's own limit)
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' 'fuzz/*.cpp' 'bench/*.cpp')
# Not --dry-run: it would change the comments at the ends of inline namespaces.
formatted=$(mktemp)
trap 'rm -f "$formatted"' EXIT
for file in "${files[@]}"; do
  clang-format "$file" >"$formatted"
  cmp -s "$file" "$formatted" || { echo "$file: not as clang-format writes it ('make format')"; badly=1; }
done
[ -z "${badly:-}" ]
tools/web_lint.sh
cmake --preset release -B build/lint -Wno-dev -DMINPAIR_PRECOMPILE=OFF >/dev/null  # clang cannot read headers that GCC precompiled
tools/lint.py build/lint --jobs "$(nproc)" "$@"
