#!/usr/bin/env bash
# Installs the Python wheel or the R package (`make wheel` makes both) in a bare Debian and uses it there. Needs root.
#   tools/try_bindings.sh RELEASE FILE      a .whl: nothing but python3-venv is there; a .tar.gz: nothing but r-base-dev
set -euo pipefail
. "$(dirname "$0")/bare.sh"
bare_system_with "$@"
packages() {
  tools/quietly.sh try-bindings "Installing $1 in a bare $release" \
    chroot "$root" sh -c "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $1"
}
case $name in
  *.whl)
    packages python3-venv
    cat >"$root/root/try.py" <<'PYTHON'
import time
start = time.process_time()
import minpair as mp
taken = time.process_time() - start
import ssl, sqlite3  # others' libraries beside ours
m = mp.load("de-mini")
good, bad = m.score(["Der Autor lacht.", "Der Autor lachen."], method="pll-word-l2r")
assert good > bad, (good, bad)
r = mp.run("de-agreement", ["de-lstm"], tests="simple_sentence", out="r.db")
table = r.table("items")
assert len(table) > 0 and "correct" in table.names, table
rows = sqlite3.connect("r.db").execute("SELECT count(*) FROM tidy_items").fetchone()
assert rows == (len(table),), rows
print(r.report())
print(f"imported in {taken:.3f} s of processor time, {len(table)} items")
assert taken < 0.3, taken
PYTHON
    inside python3 -m venv /root/venv
    inside /root/venv/bin/pip install --no-index --quiet "/root/$name"
    inside sh -c "cd /root && venv/bin/python try.py"
    ;;
  *)
    packages r-base-dev
    inside R CMD INSTALL --no-test-load "/root/$name" >"$root/root/install.log" 2>&1 || { tail -5 "$root/root/install.log"; exit 1; }
    inside Rscript -e 'library(minpair); s <- minpair_score(c("Der Autor lacht.", "Der Autor lachen."), "de-mini", method = "pll-word-l2r")' \
      -e 'stopifnot(s[1] > s[2]); out <- minpair_run("de-agreement", "de-lstm", out = "/root/r.db", tests = "simple_sentence")' \
      -e 'd <- minpair_items(out); stopifnot(nrow(d) > 0); print(tapply(d$correct, d$condition, mean))'
    ;;
esac
echo "$name works in a bare $release"
