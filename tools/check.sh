#!/usr/bin/env bash
# Everything that must hold before a release and that `make test` does not show, each part to its end, in under two hours on
# two cores from a clean clone:
#   debug     without optimisation, warnings as errors; every test of the rooms; the benchmarks compile
#   asan      AddressSanitizer with UndefinedBehaviorSanitizer: every test, the command line and the fuzz targets' seeds with it; the docs'
#             commands run whole suites and are a part of their own
#   tsan      ThreadSanitizer: the rooms that start threads, and the command line
#   odr       one link that sees every type
#   lint      clang-format and clang-tidy
#   mutants   a sample of mutants
# Asked for by name: release (the same as `make test`), docs (the docs' commands under asan, perhaps an hour), fuzz (the libFuzzer targets,
# SECONDS_EACH of them).
#   tools/check.sh [PART...]      (default: the six above)
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
failed=()
export LSAN_OPTIONS="suppressions=$PWD/tests/leaks.txt:print_suppressions=0"
threaded=(base engine hub introspect model nn report serve store)  # and the C interface, whose tests are a program in C

processor() { awk '{ for (i = 14; i <= 17; ++i) sum += $i } END { print int(sum / 6000) }' /proc/$$/stat; }  # minutes, with all children
step() {  # name, command...
  local name=$1 began=$SECONDS used holds
  used=$(processor)
  shift
  if "$@"; then holds=holds; else holds=FAILED failed+=("$name"); fi
  echo "check: $name $holds ($(((SECONDS - began) / 60)) min, $(($(processor) - used)) min of processor time)"
}
# ThreadSanitizer of GCC 12 does not start where addresses are more random than it knows.
in_place() { if setarch -R true 2> /dev/null; then setarch -R "$@"; else "$@"; fi; }
built() {  # a preset, and what of it; nothing: all
  local preset=$1
  shift
  # Where a test fails the line is enough; all that a debugger might ask for would take a fifth of the compiler's time.
  tools/quietly.sh "configure-$preset" "Configuring $preset" cmake --preset "$preset" -Wno-dev -DMINPAIR_TESTS=ON -DMINPAIR_WERROR=ON \
    -DCMAKE_CXX_FLAGS_DEBUG=-g1 -DMINPAIR_BENCH="$([ "$preset" = debug ] && echo ON || echo OFF)" &&
    in_place tools/quietly.sh "build-$preset" "Building $preset" cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}
# Sanitizers need a larger stack for grammars of great depth.
tested() { (ulimit -s 65536 && in_place tools/test.sh "build/$1" -j "$jobs" "${@:2}"); }
# Each test program as one process: `make test` has a process for each test, which costs more than most tests do.
programs() {  # a preset, and of which rooms; nothing: all
  local preset=$1
  shift
  (
    mkdir -p build/log && cd "build/$preset" && ulimit -s 65536 || exit 1
    [ $# -gt 0 ] && names=("${@/#/test_}") || names=(test_*)
    for name in "${names[@]}"; do
      [[ -x $name && $name != *.* && $name != test_c_interface ]] && echo "$name"
    done | in_place xargs -P "$jobs" -I{} bash -c '
      log=../log/'"$preset"'-{}.log
      if timeout 1800 ./{} --gtest_brief=1 >"$log" 2>&1; then echo "  {}: $(tail -1 "$log")"; exit 0; fi
      echo "  {}: FAILED, all of it in build/log/'"$preset"'-{}.log"
      tail -40 "$log"
      exit 1'
  )
}
rooms_of() { (cd "build/$1" && for name in test_*; do [[ -x $name && $name != *.* ]] && echo "${name#test_}"; done | paste -sd '|'); }
linked() {  # the program, with types compared between all its files
  tools/quietly.sh configure-odr "Configuring odr" cmake --preset odr -Wno-dev &&
    tools/quietly.sh build-odr "Linking with every type in sight" cmake --build --preset odr -j "$jobs" --target minpair
}
release() { built release && tested release; }
debug() { built debug && programs debug; }
asan() { built asan && programs asan && tested asan -E "^($(rooms_of asan)|docs)\\."; }
tsan() { built tsan minpair cli_runner test_c_interface "${threaded[@]/#/test_}" && programs tsan "${threaded[@]}" &&
  tested tsan -R '^(api|cli)\.'; }
docs() { built asan && tested asan -R '^docs\.'; }
fuzz() { tools/fuzz.sh "${SECONDS_EACH:-20}" --jobs "$jobs"; }
# Of judge and method none survives; of stats about one in six of a new sample, most of them limits and tolerances.
mutants() { tools/mutate.sh --count "${MUTANTS:-100}" --allow "${SURVIVORS:-10}"; }

tools/bootstrap.sh build test web browser train mpi bench lint fuzz || exit 1
[ $# -gt 0 ] || set -- debug asan tsan odr lint mutants
for part in $*; do
  case $part in
    release | debug | asan | docs | tsan | fuzz | mutants) step "$part" "$part" ;;
    odr) step odr linked ;;
    lint) step lint tools/lint.sh ;;
    *) echo "check: no part '$part'" >&2; exit 2 ;;
  esac
done
[ ${#failed[@]} -eq 0 ] && echo "check: all parts hold" || { echo "check: failed: ${failed[*]}"; exit 1; }
