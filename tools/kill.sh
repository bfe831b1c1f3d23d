#!/bin/bash
# Runs are killed with SIGKILL at random moments, as often as was asked, then left to end: their files must be those of
# an undisturbed run, byte for byte, with nothing beside them. docs/notes has the figures.
#   tools/kill.sh N [SCENARIO...]      scenarios: one methods models shards merge generate table words pull train mpi
set -u
cd "$(dirname "$0")/.."
source=$PWD
program=${MINPAIR:-$source/build/release/minpair}
kills=${1:?how many kills?} && shift
scenarios=("$@")
[ ${#scenarios[@]} -gt 0 ] || scenarios=(one methods models shards merge generate table words pull)
if [ $# = 0 ] && [ -x "$(dirname "$program")/minpair-train" ]; then scenarios+=(train); fi
if [ $# = 0 ] && command -v mpirun > /dev/null && [ -e "$(dirname "$program")/minpair-mpi.so" ]; then scenarios+=(mpi); fi
export MINPAIR_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
hub=
trap 'rm -rf "$work"; [ -z "$hub" ] || kill "$hub"' EXIT

model() { echo "$source/tests/model/golden/$1"; }
for i in $(seq 400); do
  printf '{"id":"%d","test":"t%d","sentences":[{"text":"wort%d wort%d wort12","grammatical":true},{"text":"wort%d wort%d wort13","grammatical":false}]}\n' \
    "$i" $((i % 5)) $((7 + i % 60)) $((10 + i / 7 % 60)) $((7 + i % 60)) $((10 + i / 7 % 60))
done > "$work/suite.jsonl"
run() { "$program" run -q -s "$work/suite.jsonl" "$@" > /dev/null; }

# What is done in a folder of its own; its results are in out.*
one() { run -m "$(model bert)" --method pll -o out.db; }
methods() { run -m "$(model bert)" --method ce,masked,pll -o out.db; }
models() { run -m "$(model bert)" -m "$(model gpt2)" -o out.db; }
shards() {
  for i in 1 2 3; do run -m "$(model bert)" --method ce,pll --shard $i/3 -o part$i.db || return; done
  "$program" merge -q part?.db -o out.db && rm part?.db
}
merge() { "$program" merge -q "$work"/merge.?.db -o out.db; }
generate() { "$program" generate de-agreement -o out.jsonl 2> /dev/null && rm out.manifest.json; }
table() { "$program" export "$work/scored.db" --what tokens -o out.csv; }
words() { "$program" surprisal -q -m "$(model gpt2)" "$work/text.txt" -o out.csv; }
pull() {  # the weights, and what else lies in the cache
  HF_HOME=$PWD/cache HF_ENDPOINT=http://127.0.0.1:$(cat "$work/port") "$program" pull org/name > /dev/null 2>&1 &&
    cp -L cache/hub/models--org--name/snapshots/*/model.safetensors out.safetensors &&
    (cd cache && find . ! -type d | sort) > out.files && rm -r cache
}
train() {  # what is compared is the model; the curve tells when it was looked at
  "$program" train lstm "$work/corpus" -o model -q --layers 1 --hidden 16 --embedding 16 --tied --batch 4 --bptt 8 \
    --epochs 6 --adam --rate 0.01 --clip 1 > /dev/null && mv model/model.safetensors out.safetensors && rm -r model
}
mpi() { mpirun --oversubscribe -n 2 "$program" run -q -s "$work/suite.jsonl" -m "$(model bert)" --method pll -o out.db > /dev/null 2>&1; }
run -m "$(model bert)" --method pll -o "$work/scored.db"
for i in $(seq 2000); do echo "wort$((7 + i % 60)) wort$((9 + i / 3 % 60)) wort$((8 + i / 11 % 60))"; done > "$work/text.txt"
case " ${scenarios[*]} " in *" train "*)
  "$program" corpus "$work/text.txt" -o "$work/corpus" -q --vocab-size 100 > /dev/null || exit 2 ;;
esac
case " ${scenarios[*]} " in *" pull "*)
  python3 -B "$source/tests/hub/hub.py" "$work/port" & hub=$!
  while [ ! -s "$work/port" ]; do sleep 0.1; done ;;
esac
for i in 1 2 3; do run -m "$(model bert)" --method ce --shard $i/3 -o "$work/merge.$i.db"; done

declare -A seconds
for s in "${scenarios[@]}"; do
  mkdir -p "$work/$s.whole" && cd "$work/$s.whole" || exit 2
  begin=$(date +%s%N)
  $s || { echo "$s does not work at all"; exit 2; }
  seconds[$s]=$((($(date +%s%N) - begin) / 1000))
done

# All of one group: the shell that runs the scenario and what it started.
kill_after() {
  local s=$1 wait=$2
  setsid bash -c "$(declare -f run model "$s"); source=$source program=$program work=$work; $s" 2> /dev/null &
  local group=$!
  sleep "$(printf '%d.%06d' $((wait / 1000000)) $((wait % 1000000)))"
  if kill -KILL -- -"$group" 2> /dev/null; then killed=$((killed + 1)); fi
  wait "$group" 2> /dev/null
}

killed=0 trials=0 failures=0
declare -A of
while [ "$killed" -lt "$kills" ]; do
  s=${scenarios[$((trials % ${#scenarios[@]}))]}
  trials=$((trials + 1)) of[$s]=$((${of[$s]:-0} + 1))
  here=$work/trial.$trials
  mkdir "$here" && cd "$here" || exit 2
  for _ in $(seq $((1 + RANDOM % 3))); do kill_after "$s" $((RANDOM * 33 % 1000000 * (${seconds[$s]} / 1000 + 1) / 1000)); done
  $s 2> error || { echo "$s, trial $trials: it does not go on: $(head -1 error)"; failures=$((failures + 1)); }
  rm -f error
  for file in "$work/$s.whole"/*; do
    cmp -s "$file" "$here/$(basename "$file")" || { echo "$s, trial $trials: $(basename "$file") differs"; failures=$((failures + 1)); }
  done
  if [ "$(ls "$here")" = "$(ls "$work/$s.whole")" ]; then rm -rf "$here"; else
    echo "$s, trial $trials: left $(ls "$here" | tr '\n' ' ')"; failures=$((failures + 1)); fi
done
for s in "${scenarios[@]}"; do echo "$s: ${of[$s]:-0} trials"; done
echo "$killed kills in $trials trials, $failures failures"
[ "$failures" = 0 ]
