#!/usr/bin/env bash
# Trains the shipped models from the text, with minpair alone, not looking at any suite, on one core with AVX512-BF16:
# de-mini takes two hours and a half, de-lstm one and a half. "seeds" are the five small LSTMs of docs/training.md, which do not ship.
#   models/train.sh MINPAIR TEXTS OUT [de-mini] [de-lstm] [seeds]
# TEXTS has literary.txt.xz and train.txt.xz, one German sentence a line; their sources are in the cards.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
minpair=$1 texts=$2 out=$3
shift 3
[ $# -gt 0 ] || set -- de-mini de-lstm
mkdir -p "$out"
texts=("$texts/literary.txt.xz" "$texts/train.txt.xz")
text=(--unique --endings de --max-unknown 1 --valid 0.005 --test 0.005 --max-words 24)
bert=(--layers 4 --hidden 256 --inner 1024 --heads 4 --rows 96 --sampled 1500 --mask 0.2 --fp16)
lstm=(--pieces --tied --layers 1 --adam --batch 64 --bptt 40 --dropout 0 --clip 1 --bf16 auto --fp16)

for model in "$@"; do
  case $model in
    de-mini)
      "$minpair" corpus "${texts[@]}" -o "$out/corpus-mini" "${text[@]}" --wordpiece 12000 --min-words 3 --without-period 0.1
      # The text once with random weights, then once more from there in another order, at a lower rate.
      "$minpair" train bert "$out/corpus-mini" -o "$out/de-mini-once" "${bert[@]}" --tokens 28e6
      "$minpair" train bert "$out/corpus-mini" -o "$out/de-mini" "${bert[@]}" --from "$out/de-mini-once" --seed 2 \
        --muon-rate 0.014 --adam-rate 0.001 --decay-from 0.1 --tokens 29e6 ;;
    de-lstm)
      "$minpair" corpus "${texts[@]}" -o "$out/corpus-lstm" "${text[@]}" --wordpiece 12000 --min-words 2 \
        --truecase --without-period 0.33
      "$minpair" train lstm "$out/corpus-lstm" -o "$out/de-lstm" "${lstm[@]}" --hidden 512 --embedding 512 --rate 0.0025 \
        --sampled 400 --tokens 40e6 ;;
    seeds)
      "$minpair" corpus "${texts[@]/%/=0.25}" -o "$out/corpus-seeds" "${text[@]}" --wordpiece 6000 --min-words 2 \
        --truecase --without-period 0.33
      "$minpair" train lstm "$out/corpus-seeds" -o "$out/seeds" "${lstm[@]}" --hidden 192 --embedding 192 --rate 0.004 \
        --sampled 300 --tokens 3.5e6 --seeds 5 ;;
    *) echo "train.sh: no model '$model' (de-mini, de-lstm, seeds)" >&2; exit 2 ;;
  esac
done
