#!/bin/sh
# hardened.sh PROGRAM: a release is built as a distribution builds: an error that gets past everything else finds no
# address it knows, no table it can overwrite, no stack it can run.
set -eu
program=$1
failed=0
needs() { # what, the command that shows it, the pattern
  eval "$2" | grep -Eq -- "$3" || { echo "$program: $1"; failed=1; }
}
lacks() {
  ! eval "$2" | grep -Eq -- "$3" || { echo "$program: $1"; failed=1; }
}
needs 'is not position-independent' 'readelf -hW "$program"' 'Type: +DYN'
needs 'has no read-only relocations' 'readelf -lW "$program"' 'GNU_RELRO'
needs 'binds lazily' 'readelf -dW "$program"' 'BIND_NOW|FLAGS_1.*NOW'
lacks 'has a stack that can be run' 'readelf -lW "$program"' 'GNU_STACK.*RWE'
lacks 'has relocations in its text' 'readelf -dW "$program"' 'TEXTREL'
needs 'has no stack protector' 'readelf --dyn-syms -W "$program"' '__stack_chk_fail'
needs 'is not fortified' 'readelf --dyn-syms -W "$program"' '__[a-z]+_chk(@|$)'
exit $failed
