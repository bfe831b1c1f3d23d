#!/usr/bin/env bash
# libFuzzer on every reader, with AddressSanitizer and UndefinedBehaviorSanitizer.
#   tools/fuzz.sh [SECONDS_PER_TARGET = 60] [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
cmake --preset fuzz -Wno-dev >/dev/null
cmake --build --preset fuzz
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for f in fuzz/*_fuzz.cpp; do t=$(basename "$f" _fuzz.cpp); targets+=("$t"); done
fi
mkdir -p build/fuzz/corpus build/fuzz/findings
for t in "${targets[@]}"; do
  echo "== $t, $seconds s"
  mkdir -p "build/fuzz/corpus/$t"
  build/fuzz/fuzz_"$t" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=0 \
    -artifact_prefix="build/fuzz/findings/$t-" "build/fuzz/corpus/$t" "fuzz/seeds/$t" 2>&1 | tail -n 2 || true  # all findings are reported at the end, not the first
done
if compgen -G 'build/fuzz/findings/*' >/dev/null; then
  echo "findings:"; ls build/fuzz/findings; exit 1
fi
echo "no findings"
