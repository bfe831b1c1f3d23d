#!/usr/bin/env bash
# Prefix sharing on German CLAMS with a model in the size of GPT-2 small, and a 2 × 650 LSTM with
# 50,000 words on Gulordava's stimuli. Ratios of things measured in one run, taking turns.
#
#   bench/causal.sh BUILD_FOLDER [ITEMS] [ROUNDS]
#
# Tokens are counted over the whole of CLAMS; time is measured on ITEMS of it (every n-th block of
# neighbours), since sentence after sentence the whole takes an hour. Needs python3-numpy and the
# published data; the models (random weights, 0.6 GB) are kept in BUILD_FOLDER/peer.
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

# Twenty neighbours at a time, from all over the suite.
total=$(wc -l < "$here/clams.jsonl")
awk -v n="$items" -v all="$total" 'int((NR - 1) / 20) % int(all / n) == 0' "$here/clams.jsonl" > "$here/sample.jsonl"

seconds() { sed -n 's/.*model \([0-9.]*\) s.*/\1/p' "$1"; }
score() {  # name, suite, model, options
  rm -f "$here/$1.db"
  "$minpair" run -v -s "$2" -m "$3" --threads "$threads" -o "$here/$1.db" "${@:4}" > /dev/null 2> "$here/$1.log"
  seconds "$here/$1.log"
}
least() { sort -g | head -1; }
tokens() { sed -n 's/.* \([0-9,]*\) tokens, \([0-9,]*\) one by one.*/\1 \2/p' "$1" | tr -d , | tail -1; }

"$minpair" run -v --dry-run -s "$here/clams.jsonl" -m "$peer/gpt2" --method lp -o "$here/x.db" > "$here/plan.log" 2>&1
tokens "$here/plan.log" | awk '{ printf "German CLAMS, %d tokens one by one, %d with shared prefixes: %.1f times fewer\n", $2, $1, $2 / $1 }'
for round in $(seq "$rounds"); do
  score shared "$here/sample.jsonl" "$peer/gpt2" --method lp >> "$here/shared.s"
  score alone "$here/sample.jsonl" "$peer/gpt2" --method lp --no-sharing >> "$here/alone.s"
done
cmp "$here/shared.db" "$here/alone.db" && echo "the results have the same bytes"
read -r evaluated one <<< "$(tokens "$here/shared.log")"
echo "$(least < "$here/shared.s") $(least < "$here/alone.s") $evaluated $one" | awk '{
  printf "a sample of it: %.2f s against %.2f s, %.1f times faster (%.1f times fewer tokens)\n", $1, $2, $2 / $1, $4 / $3 }'

for round in $(seq "$((rounds + 1))"); do
  score lstm "$here/gulordava.jsonl" "$peer/lstm" --method word-lp >> "$here/lstm.s"
done
words=$(texts "$here/gulordava.jsonl" | wc -w)
read -r evaluated one <<< "$(tokens "$here/lstm.log")"
echo "$(least < "$here/lstm.s") $words $evaluated $one" | awk -v threads="$threads" '{
  printf "LSTM 2 x 650, 50,000 words, word-lp on %d threads: %.2f s; a second: %d tokens of the sentences, %d up to the locus, %d evaluated\n", threads, $1, $2 / $1, $4 / $1, $3 / $1 }'
