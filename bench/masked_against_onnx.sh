#!/usr/bin/env bash
# `masked` over all gevalm pairs against scoring every pair's context on its own in ONNX Runtime, at
# its best batch size, extrapolated from a sample in the same run.
#
#   bench/masked_against_onnx.sh MINPAIR BERT_DIR PEER_DIR GEVALM_DIR [SAMPLE]
#
# BERT_DIR holds one BERT as a Hugging Face directory and as model.onnx; PEER_DIR has onnxruntime-node
# installed (npm install --ignore-scripts onnxruntime-node); GEVALM_DIR has input/ and output/.
set -euo pipefail
minpair=$1 bert=$2 peer=$3 gevalm=$4 sample=${5:-512}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
"$minpair" convert --quiet "$gevalm/input" "$work/gevalm.jsonl"
cp "$here/masked_onnx.mjs" "$peer/masked_onnx.mjs"
find "$gevalm/output" -name '*.jsonl' | sort > "$work/files"
best=0
for batch in 8 16 32 64; do
  line=$(cd "$peer" && node masked_onnx.mjs "$bert" "$sample" "$batch" 2 < "$work/files")
  echo "ONNX Runtime: $line"
  rate=$(node -p "JSON.parse(process.argv[1]).pairs_per_second" "$line")
  best=$(node -p "Math.max($best, $rate)")
done
start=$(date +%s.%N)
"$minpair" run -q -s "$work/gevalm.jsonl" -m "$bert" --method masked -o "$work/results.db" > /dev/null
seconds=$(node -p "$(date +%s.%N) - $start")
node -p "const pairs = 18230, theirs = pairs / $best, ours = $seconds;
  \`minpair: \${ours.toFixed(1)} s for \${pairs} pairs; ONNX Runtime: \${theirs.toFixed(1)} s; ratio \${(theirs / ours).toFixed(2)}\`"
