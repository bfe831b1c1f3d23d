#!/usr/bin/env bash
# Formatting and lint of the page's sources, with the tool that web/lint/package-lock.json pins.
#   tools/web_lint.sh            says what is wrong
#   tools/web_lint.sh --write    formats
set -euo pipefail
cd "$(dirname "$0")/.."
installed=build/web-lint
if [ ! -e $installed/done ] || [ web/lint/package-lock.json -nt $installed/done ]; then
  mkdir -p $installed
  cp web/lint/package.json web/lint/package-lock.json web/lint/.npmrc $installed
  # Not "npm ci": the lock names the tool for the systems that minpair runs on, and no others.
  (cd $installed && npm install --no-save --ignore-scripts --no-progress >/dev/null)
  touch $installed/done
fi
biome=$PWD/$installed/node_modules/.bin/biome
cd web
if [ "${1:-}" = --write ]; then "$biome" format --write .; else "$biome" ci --error-on-warnings .; fi
