#!/usr/bin/env bash
# Trains the shipped models from the text, with minpair alone, not looking at any suite. The masked model that ships was made
# so (an hour and a quarter on one core with AVX512-BF16); the LSTM that ships is older than this script: its card says how it was made.
#   models/train.sh MINPAIR TEXTS OUT [de-mini] [de-lstm]
# TEXTS has literary.txt.xz and train.txt.xz, one German sentence a line; their sources are in the cards.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
minpair=$1 texts=$2 out=$3
shift 3
[ $# -gt 0 ] || set -- de-mini de-lstm
mkdir -p "$out"
texts=("$texts/literary.txt.xz" "$texts/train.txt.xz")
pieces=(--unique --wordpiece 12000 --endings de --max-unknown 1 --valid 0.005 --test 0.005)

for model in "$@"; do
  case $model in
    de-mini)
      "$minpair" corpus "${texts[@]}" -o "$out/corpus-mini" "${pieces[@]}" --min-words 3 --max-words 24 \
        --without-period 0.1
      "$minpair" train bert "$out/corpus-mini" -o "$out/de-mini" --layers 4 --hidden 256 --inner 1024 --heads 4 \
        --rows 96 --sampled 1500 --mask 0.2 --tokens 28e6 --fp16 ;;
    de-lstm)
      "$minpair" corpus "${texts[@]}" -o "$out/corpus-lstm" "${pieces[@]}" --min-words 2 --max-words 20 \
        --truecase --without-period 0.33
      "$minpair" train lstm "$out/corpus-lstm" -o "$out/de-lstm" --pieces --tied --layers 1 --hidden 320 \
        --embedding 320 --adam --rate 0.003 --sampled 400 --batch 64 --bptt 32 --dropout 0 --clip 1 --epochs 2 \
        --fp16 ;;
    *) echo "train.sh: no model '$model' (de-mini, de-lstm)" >&2; exit 2 ;;
  esac
done
