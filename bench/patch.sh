#!/usr/bin/env bash
# What it costs to look inside a model of BERT-base's size: the stream changed at three places in all
# layers, pair by pair of the German suite, as `minpair introspect patch` does it.
#
#   bench/patch.sh BUILD_FOLDER [ITEMS]
#
# The processor's time of one thread, which a busy machine changes little: that of ITEMS pairs without
# that of loading the model and finding counterparts in the suite (a run on one pair), as time for
# 1,000 pairs. The model (random weights, 0.4 GB) is kept in BUILD_FOLDER/peer.
set -euo pipefail
build=$(cd "$1" && pwd) items=${2:-20}
cd "$(dirname "$0")/.."
peer=$build/peer minpair=$build/minpair
[ -f "$peer/bert-base/config.json" ] || python3 bench/make_bert.py models/de-mini "$peer/bert-base"
here=$(mktemp -d); trap 'rm -rf "$here"' EXIT
TIMEFORMAT='%U %S'
processor() {  # pairs: seconds of the processor
  { time "$minpair" introspect patch -s de-agreement -m "$peer/bert-base" --test across_prepositional_phrase \
      --at subject,attractor,locus --sample "$1" --threads 1 -q -o "$here/$1.csv" > /dev/null; } 2>&1 | awk '{ print $1 + $2 }'
}
one=$(processor 1) all=$(processor "$items")
asked=$(python3 -c 'import csv, sys; print(len({r["item"] for r in csv.DictReader(open(sys.argv[1])) if not r["excluded"]}))' "$here/$items.csv")
awk -v one="$one" -v all="$all" -v n="$asked" 'BEGIN {
  each = (all - one) / (n - 1)
  printf "%d pairs, 3 places × 13 layers: %.2f s of the processor a pair; 1,000 pairs %.1f min on one core, %.1f min on two\n", n, each, each * 1000 / 60, each * 1000 / 120
}'
