#!/usr/bin/env bash
# Everything that must hold before a release, each part to its end: warnings as errors, every test in release and debug,
# under AddressSanitizer with UndefinedBehaviorSanitizer, and under ThreadSanitizer; one link that sees every type; lint;
# the fuzz targets for a while; a sample of mutants. Long: about two hours on two cores.
#   tools/check.sh [release] [debug] [asan] [tsan] [odr] [lint] [fuzz] [mutants]      (default: all of them)
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
failed=()
export LSAN_OPTIONS="suppressions=$PWD/tests/leaks.txt:print_suppressions=0"

step() {  # name, command...
  local name=$1 began=$SECONDS
  shift
  if "$@"; then echo "check: $name holds ($(((SECONDS - began) / 60)) min)"; else
    echo "check: $name FAILED ($(((SECONDS - began) / 60)) min)"; failed+=("$name"); fi
}
# ThreadSanitizer of GCC 12 does not start where addresses are more random than it knows.
in_place() { if setarch -R true 2> /dev/null; then setarch -R "$@"; else "$@"; fi; }
tested() {  # a preset, built whole and tested; sanitizers need a larger stack for grammars of great depth
  tools/quietly.sh "configure-$1" "Configuring $1" cmake --preset "$1" -Wno-dev -DMINPAIR_TESTS=ON -DMINPAIR_WERROR=ON &&
    in_place tools/quietly.sh "build-$1" "Building $1" cmake --build --preset "$1" -j "$jobs" &&
    (ulimit -s 65536 && in_place tools/test.sh "build/$1" -j "$jobs")
}
linked() {  # the program, with types compared between all its files
  tools/quietly.sh configure-odr "Configuring odr" cmake --preset odr -Wno-dev &&
    tools/quietly.sh build-odr "Linking with every type in sight" cmake --build --preset odr -j "$jobs" --target minpair
}

tools/bootstrap.sh build test web browser train mpi lint fuzz || exit 1
for part in "${@:-release debug asan tsan odr lint fuzz mutants}"; do
  for name in $part; do
    case $name in
      release | debug | asan | tsan) step "$name" tested "$name" ;;
      odr) step odr linked ;;
      lint) step lint tools/lint.sh ;;
      fuzz) step fuzz tools/fuzz.sh "${SECONDS_EACH:-20}" --jobs "$jobs" ;;
      # Of judge and method none survives; of stats about one in six of a new sample, most of them limits and tolerances.
      mutants) step mutants tools/mutate.sh --count "${MUTANTS:-100}" --allow "${SURVIVORS:-10}" ;;
      *) echo "check: no part '$name'" >&2; exit 2 ;;
    esac
  done
done
[ ${#failed[@]} -eq 0 ] && echo "check: all parts hold" || { echo "check: failed: ${failed[*]}"; exit 1; }
