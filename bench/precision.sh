#!/usr/bin/env bash
# How far `fast` and `bf16` are from fp32 on the published German sentences: with the BERT-base that
# bench/encoder.sh makes, and with the model that ships.
#
#   bench/precision.sh BUILD_FOLDER [ITEMS] [ITEMS OF THE SHIPPED MODEL]
#
# Without a matrix unit its operations are emulated: the default sample then takes about three
# minutes on one core.
set -euo pipefail
build=$(cd "$1" && pwd) items=${2:-300} more=${3:-2000} threads=${MINPAIR_THREADS:-1}
cd "$(dirname "$0")/.."
data=${MINPAIR_DATA:-../shared/data}/gevalm peer=${MINPAIR_PEER:-$build/peer}/bert
if [ ! -d "$data/output" ]; then
  echo "precision: $data is needed for this comparison"; exit 0
fi
suite=$(mktemp --suffix=.jsonl)
trap 'rm -f "$suite"' EXIT
"$build/minpair" convert --from gevalm "$data/output" "$suite" > /dev/null 2>&1
if [ -f "$peer/model.safetensors" ]; then
  "$build/bench_precision" "$peer" "$suite" "$items" ce "$threads"
else
  echo "precision: no BERT-base in $peer; bench/encoder.sh makes it"
fi
"$build/bench_precision" models/de-mini "$suite" "$more" ce "$threads"
