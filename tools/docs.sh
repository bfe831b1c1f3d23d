#!/usr/bin/env bash
# The manual as a static site, at build/docs/index.html. `--test` checks it as well; without npm that is skipped (77).
#   tools/docs.sh [--test]
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v npm >/dev/null; then
  echo "skipped: the site of the docs needs npm (tools/bootstrap.sh web)"
  exit 77
fi
made=build/docs-site
if [ ! -e $made/done ] || [ web/docs/package-lock.json -nt $made/done ]; then
  mkdir -p $made
  cp web/docs/package.json web/docs/package-lock.json web/docs/.npmrc $made
  (cd $made && npm ci --ignore-scripts --no-progress --fetch-retries=1 >npm.log 2>&1) || {
    echo "skipped: npm could not fetch what the site is built with ($made/npm.log)"; exit 77; }
  touch $made/done
fi
cp web/docs/*.mjs web/docs/site.* $made
node $made/build.mjs "$PWD" "$PWD/build/docs"
[ "${1:-}" != --test ] || node $made/test.mjs build/docs "$(command -v chromium || true)"
