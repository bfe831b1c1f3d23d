#!/usr/bin/env bash
# Makes both shipped models from the text, with minpair alone.
#   models/train.sh MINPAIR TEXTS OUT [de-mini] [de-lstm]
# TEXTS has literary.txt.xz and train.txt.xz, one German sentence a line; their sources are in the cards.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
minpair=$1 texts=$2 out=$3
shift 3
mkdir -p "$out"
texts=("$texts/literary.txt.xz" "$texts/train.txt.xz")
common=(--unique --wordpiece 12000 --endings de --max-unknown 1 --valid 0.005 --test 0.005)

for model in "${@:-de-mini de-lstm}"; do
  case $model in
    *de-mini*)
      "$minpair" corpus "${texts[@]}" -o "$out/corpus-mini" "${common[@]}" --min-words 3 --max-words 16 \
        --without-period 0.05
      "$minpair" train bert "$out/corpus-mini" -o "$out/de-mini" --layers 3 --hidden 192 --inner 768 --heads 4 \
        --rows 32 --sampled 600 --bf16 off --fp16 --tokens "${TOKENS_MINI:-20e6}" ;;&
    *de-lstm*)
      "$minpair" corpus "${texts[@]}" -o "$out/corpus-lstm" "${common[@]}" --min-words 2 --max-words 20 \
        --truecase --without-period 0.33
      "$minpair" train lstm "$out/corpus-lstm" -o "$out/de-lstm" --pieces --tied --layers 1 --hidden 320 \
        --embedding 320 --adam --rate 0.003 --sampled 400 --batch 64 --bptt 32 --dropout 0 --clip 1 --fp16 \
        --epochs 1 ;;&
  esac
done
