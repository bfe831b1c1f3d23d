#!/usr/bin/env bash
# `make test` on a terminal: one line of progress, what failed, why tests were skipped, and ctest's closing lines last.
# Without a terminal: everything that ctest prints.
#   tests/house/test_output.sh SOURCE_FOLDER
set -euo pipefail
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tools" "$work/bin" "$work/folder"
cp "$source"/tools/{test.sh,progress.awk,skipped.py} "$work/tools"

cat >"$work/bin/ctest" <<'END'
#!/usr/bin/env bash
cat >"$2/tests.xml" <<'XML'
<testsuite><testcase name="c"><skipped/><system-out>skipped: no published data</system-out></testcase></testsuite>
XML
cat <<'TEXT'
Test project /somewhere
      Start 1: a.passes
1/3 Test #1: a.passes .........   Passed    0.01 sec
      Start 2: b.fails
2/3 Test #2: b.fails ..........***Failed    0.02 sec
expected 1, got 2
      Start 3: c
3/3 Test #3: c ................***Skipped   0.00 sec

66% tests passed, 1 tests failed out of 3

Total Test time (real) =   0.03 sec

The following tests did not run:
	  3 - c (Skipped)
TEXT
exit 8
END
chmod +x "$work/bin/ctest"
export PATH="$work/bin:$PATH" TERM=xterm

fail() { printf '%s\n' "$1"; exit 1; }

status=0
script -qefc "$work/tools/test.sh $work/folder" "$work/terminal" >/dev/null || status=$?
[ $status -eq 8 ] || fail "exit status $status instead of ctest's"
# What is left on the screen: of every line, what was written after the last return to its beginning.
sed '1d;$d' "$work/terminal" | tr -d '\033' | sed 's/\r$//; s/.*\r//; s/\[K//g' | grep -v '^$' >"$work/screen"
cat >"$work/expected" <<'END'
2/3 Test #2: b.fails ..........***Failed    0.02 sec
expected 1, got 2
skipped 1: no published data (c)
66% tests passed, 1 tests failed out of 3
Total Test time (real) =   0.03 sec
END
diff "$work/expected" "$work/screen" || fail "this is what a terminal shows"
grep -q '\[1/3\] 0 failed, 0 skipped: a.passes' "$work/terminal" || fail "no line of progress"
grep -q 'Start 1: a.passes' "$work/build/log/test.log" || fail "the log lacks ctest's output"

"$work/tools/test.sh" "$work/folder" >"$work/plain" || true
grep -q 'Start 1: a.passes' "$work/plain" || fail "without a terminal, ctest's own lines are missing"
[ "$(tail -n 1 "$work/plain")" = "$(printf '\t  3 - c (Skipped)')" ] || fail "ctest's closing lines are not the last"
