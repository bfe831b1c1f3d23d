#!/usr/bin/env bash
# The manual as a static site, at build/docs/index.html. Without npm that is skipped (77).
#   tools/docs.sh [--test] [--notebooks]      checks the site; runs the notebooks, so that their outputs are shown
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
rm -rf $made/notebooks
mkdir $made/notebooks
run_notebooks() {
  local python
  [ -e build/release/libminpair.so.0 ] || { echo "Without build/release/libminpair.so the notebooks have no outputs"; return; }
  for python in python3 /usr/bin/python3; do
    $python -c 'import pandas, numpy, jinja2' 2>/dev/null && break
    python=
  done
  [ -n "$python" ] || { echo "Without pandas the notebooks have no outputs (tools/bootstrap.sh python)"; return; }
  local tree=$PWD work
  work=$(mktemp -d)
  for notebook in docs/notebooks/*.ipynb; do
    (cd "$work" && PYTHONPATH=$tree/python "$python" "$tree/tools/run_notebook.py" "$tree/$notebook" \
      "$tree/$made/notebooks/${notebook##*/}" 2>errors) || {
      echo "Without its outputs, since it failed ('make build' first?): $notebook: $(tail -n 1 "$work/errors")"; }
  done
  rm -rf "$work"
}
case " $* " in *" --notebooks "*) run_notebooks ;; esac
node $made/build.mjs "$PWD" "$PWD/build/docs" "$PWD/$made/notebooks"
[[ " $* " != *" --test "* ]] || node $made/test.mjs build/docs "$(command -v chromium || true)"
