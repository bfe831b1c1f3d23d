#!/usr/bin/env bash
# Scoring by cross-entropy with one BERT-base, in minpair and in ONNX Runtime, and the share of
# oneDNN's matrix-product rate that minpair reaches; all in one run, taking turns, the best of each.
#
#   bench/encoder.sh BUILD_FOLDER [SENTENCES] [ROUNDS]
#
# Needs python3-torch, python3-onnx and npm; the model (1 GB) and ONNX Runtime are kept in
# $MINPAIR_PEER (default: BUILD_FOLDER/peer). Looks for the scripts and the published sentences in
# ../shared.
set -euo pipefail
build=$(cd "$1" && pwd) sentences=${2:-384} rounds=${3:-3} threads=${MINPAIR_THREADS:-2}
cd "$(dirname "$0")/.."
scripts=../shared/peer data=${MINPAIR_DATA:-../shared/data}/gevalm
if [ ! -f $scripts/make_bert.py ] || [ ! -d "$data/output" ]; then
  echo "encoder: $scripts and $data are needed for this comparison"; exit 0
fi
peer=${MINPAIR_PEER:-$build/peer}
mkdir -p "$peer"
[ -f "$peer/bert/model.onnx" ] || /usr/bin/python3 $scripts/make_bert.py "$peer/bert" --gevalm "$data"
[ -d "$peer/node_modules/onnxruntime-node" ] ||
  (cd "$peer" && npm install --silent --ignore-scripts onnxruntime-node >/dev/null)
cp -f $scripts/ort_score.mjs "$peer/ort_score.mjs"

# Lines from all published files, so that every length is there.
find "$data/output" -name '*.jsonl' | sort | xargs cat | awk -v n="$sentences" 'NR % 47 == 1 && ++k <= n' > "$peer/sample.jsonl"
echo "$peer/sample.jsonl" > "$peer/files"

onnx() { (cd "$peer" && node ort_score.mjs bert "$sentences" "$1" "$threads" < files); }
field() { node -p "JSON.parse(process.argv[1]).$2" "$1"; }

best=0 best_batch=0
for batch in 8 16 32 64; do
  rate=$(field "$(onnx $batch | tail -1)" tokens_per_model_second)
  echo "ONNX Runtime, batches of $batch: $rate tokens a second"
  if [ "$rate" -gt "$best" ]; then best=$rate best_batch=$batch; fi
done
ours=0 share=0
for round in $(seq "$rounds"); do
  mine=$("$build/bench_encoder" "$peer/bert" "$sentences" "$threads" 2 < "$peer/files")
  theirs=$(onnx "$best_batch")
  rate=$(field "$(tail -1 <<< "$theirs")" tokens_per_model_second)
  [ "$rate" -le "$best" ] || best=$rate
  line=$(tail -1 <<< "$mine")
  rate=$(field "$line" tokens_per_second)
  [ "$rate" -le "$ours" ] || ours=$rate
  share=$(node -p "Math.max($share, $(field "$line" share_of_onednn))")
  echo "minpair: $line"
done
node -e '
  const [ours, best, batch, share, memory, model, a, b] = process.argv.slice(1);
  const losses = text => text.split("\n").filter(l => /^\d/.test(l)).map(parseFloat);
  const apart = Math.max(...losses(a).map((x, i) => Math.abs(x - losses(b)[i])));
  console.log(`tokens a second: minpair ${ours}, ONNX Runtime ${best} (batches of ${batch}); ratio ${(ours / best).toFixed(2)} (bar: 1.2)`);
  console.log(`share of the oneDNN fp32 matrix-product rate: ${(100 * share).toFixed(0)} % (bar: 75 %)`);
  console.log(`scores apart: ${apart.toExponential(1)} (bar: 1e-4)`);
  console.log(`peak memory: ${memory} MB for a model of ${model} MB (bar: 300 MB more)`);
' "$ours" "$best" "$best_batch" "$share" "$(field "$line" peak_memory_mb)" \
  "$(($(stat -c %s "$peer/bert/model.safetensors") / 1048576))" "$mine" "$theirs"
