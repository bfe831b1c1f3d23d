#!/usr/bin/env bash
# Everything that must hold before a release, each part to its end: warnings as errors, every test in release and
# under AddressSanitizer with UndefinedBehaviorSanitizer; the unit tests without optimisation; those that can start
# threads under ThreadSanitizer; one link that sees every type; lint; the fuzz targets for a while; a sample of mutants.
# Long: hours on two cores, most of it compiling. A cache of the compiler (ccache) keeps what did not change.
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
# Where nothing starts a thread nothing can race, and what people type is tried with the sanitizers that find more.
without_threads='^(suites?|stimuli|tokenizer|judge|method|store|query|tidy|corpus|reading|docs|fuzz|house)\.'
beside_units='^(cli|docs|suites|fuzz|house)\.'

tested() {  # a preset, built whole and tested, and for ctest; sanitizers need a larger stack for grammars of great depth
  tools/quietly.sh "configure-$1" "Configuring $1" cmake --preset "$1" -Wno-dev -DMINPAIR_TESTS=ON -DMINPAIR_WERROR=ON &&
    tools/quietly.sh "build-$1" "Building $1" cmake --build --preset "$1" -j "$jobs" &&
    (ulimit -s 65536 && tools/test.sh "build/$1" -j "$jobs" "${@:2}")
}
linked() {  # the program, with types compared between all its files
  tools/quietly.sh configure-odr "Configuring odr" cmake --preset odr -Wno-dev &&
    tools/quietly.sh build-odr "Linking with every type in sight" cmake --build --preset odr -j "$jobs" --target minpair
}

tools/bootstrap.sh build test web browser train mpi lint fuzz || exit 1
for part in "${@:-release debug asan tsan odr lint fuzz mutants}"; do
  for name in $part; do
    case $name in
      release | asan) step "$name" tested "$name" ;;
      debug) step debug tested debug -E "$beside_units" ;;
      tsan) step tsan tested tsan -E "$without_threads" ;;
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
