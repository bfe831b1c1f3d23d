#!/usr/bin/env bash
# Prefix sharing on German CLAMS with a model in the size of GPT-2 small, and a 2 × 650 LSTM with
# 50,000 words on Gulordava's stimuli. Ratios of things measured in one run, taking turns.
#
#   bench/causal.sh BUILD_FOLDER [ITEMS] [ROUNDS]
#
# Tokens are counted over the whole of CLAMS. Time is measured on ITEMS from its middle, since
# sentence after sentence the whole takes an hour: the processor's time of a run without that of
# the same run on one item, which is loading. Needs python3-numpy and the published data; the models
# (random weights, 0.6 GB) are kept in BUILD_FOLDER/peer.
set -euo pipefail
build=$(cd "$1" && pwd) items=${2:-400} rounds=${3:-2} threads=${MINPAIR_THREADS:-2}
cd "$(dirname "$0")/.."
data=${MINPAIR_DATA:-../shared/data} peer=$build/peer minpair=$build/minpair
if [ ! -d "$data/clams" ]; then echo "causal: $data/clams is needed for this comparison"; exit 0; fi
mkdir -p "$peer"
here=$(mktemp -d); trap 'rm -rf "$here"' EXIT
"$minpair" convert --quiet "$data/clams/de_evalset" "$here/clams.jsonl"
"$minpair" convert --quiet "$data/gulordava/generated.en.tab" "$here/gulordava.jsonl"
texts() { grep -o '"text": *"[^"]*"' "$1" | sed 's/^"text": *"//; s/"$//'; }
[ -f "$peer/gpt2/model.safetensors" ] || texts "$here/clams.jsonl" | /usr/bin/python3 bench/make_causal.py gpt2 "$peer/gpt2"
[ -f "$peer/lstm/model.safetensors" ] || texts "$here/gulordava.jsonl" | /usr/bin/python3 bench/make_causal.py lstm "$peer/lstm"

middle=$(($(wc -l < "$here/clams.jsonl") / 2))
tail -n "+$middle" "$here/clams.jsonl" | awk -v n="$items" 'NR <= n' > "$here/sample.jsonl"
head -1 "$here/sample.jsonl" > "$here/one.jsonl"
head -1 "$here/gulordava.jsonl" > "$here/first.jsonl"

processor() {  # name, suite, model, options: seconds of the processor
  rm -f "$here/$1.db"
  TIMEFORMAT='%U %S'
  { time "$minpair" run -v -s "$2" -m "$3" --threads "$threads" -o "$here/$1.db" "${@:4}" \
    > /dev/null 2> "$here/$1.log"; } 2>&1 | awk '{ print $1 + $2 }'
}
work() {  # as processor(), without loading
  echo "$(processor one "$here/$1.jsonl" "${@:4}") $(processor "$2" "$3" "${@:4}")" | awk '{ print $2 - $1 }'
}
least() { sort -g | head -1; }
tokens() { sed -n 's/.* \([0-9,]*\) tokens, \([0-9,]*\) one by one.*/\1 \2/p' "$1" | tr -d , | tail -1; }

"$minpair" run -v --dry-run -s "$here/clams.jsonl" -m "$peer/gpt2" --method lp -o "$here/x.db" > "$here/plan.log" 2>&1
tokens "$here/plan.log" | awk '{ printf "German CLAMS, %d tokens one by one, %d with shared prefixes: %.1f times fewer\n", $2, $1, $2 / $1 }'
for round in $(seq "$rounds"); do
  work one shared "$here/sample.jsonl" "$peer/gpt2" --method lp >> "$here/shared.s"
  work one alone "$here/sample.jsonl" "$peer/gpt2" --method lp --no-sharing >> "$here/alone.s"
done
cmp "$here/shared.db" "$here/alone.db" && echo "the results have the same bytes"
read -r evaluated one <<< "$(tokens "$here/shared.log")"
echo "$(least < "$here/shared.s") $(least < "$here/alone.s") $evaluated $one" | awk '{
  printf "a sample of it: %.1f s against %.1f s, %.1f times faster (%.1f times fewer tokens)\n", $1, $2, $2 / $1, $4 / $3 }'

for round in $(seq "$rounds"); do
  work first lstm "$here/gulordava.jsonl" "$peer/lstm" --method word-lp >> "$here/lstm.s"
done
words=$(texts "$here/gulordava.jsonl" | wc -w)
read -r evaluated one <<< "$(tokens "$here/lstm.log")"
echo "$(least < "$here/lstm.s") $words $evaluated $one" | awk '{
  printf "LSTM 2 x 650, 50,000 words, word-lp: %.1f s of one core; a second: %d tokens of the sentences, %d up to the locus, %d evaluated\n", $1, $2 / $1, $4 / $1, $3 / $1 }'
