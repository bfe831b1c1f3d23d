#!/usr/bin/env bash
# What the build refuses: another room's private header, and a room that looks up. Two rooms of their own play it.
#   tests/house/doors.sh SOURCE_FOLDER
set -uo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/tests/house/fixture/." "$work"
failures=0

configure() { cmake -S "$work" -B "$work/build" -G Ninja -DRULES="$source/cmake/rooms.cmake" "$@" >"$work/log" 2>&1; }
expect() {  # what, wanted status (0 or 1), text that must be in the log
  local status=$4
  [ "$status" -ne 0 ] && status=1
  if [ "$status" -ne "$2" ] || ! grep -qzE "$3" "$work/log"; then
    echo "FAILED: $1 (status $4)"; cat "$work/log"; failures=$((failures + 1))
  else
    echo "ok: $1"
  fi
}

configure; expect "two rooms, one above the other, configure" 0 "Generating done" $?
cmake --build "$work/build" >"$work/log" 2>&1; expect "and build" 0 "libminpair_attic" $?

configure -DCELLAR_USES=attic
expect "a lower room that uses a higher one does not configure" 1 "cellar uses attic" $?
configure -DCELLAR_USES=garden
expect "nor does one that uses an unknown one" 1 "cellar uses garden" $?
configure -DCELLAR_USES=

cp "$work/src/attic/attic.cpp" "$work/attic.cpp"
sed -i '1i #include "cellar/private.h"' "$work/src/attic/attic.cpp"
cmake --build "$work/build" >"$work/log" 2>&1
expect "a private header of another room cannot be compiled" 1 "cellar/private.h: No such file" $?
configure; expect "and the build names who includes it" 1 "attic.cpp.*private to.*cellar" $?

cp "$work/attic.cpp" "$work/src/attic/attic.cpp"
sed -i '1i #include "attic/attic.h"' "$work/src/cellar/cellar.cpp"
configure; expect "a door of a higher room is refused by name" 1 "cellar.cpp.*attic/attic.h" $?
exit $((failures > 0))
