#!/usr/bin/env bash
# The files that the docs speak of, in the current folder. $MINPAIR_SOURCE is the tree.
set -euo pipefail

# Models: the one that ships, tiny ones from the tests, and the reference models where they are.
for name in MODEL DIR; do ln -s "$MINPAIR_SOURCE/models/de-mini" $name; done
mkdir -p path/to
ln -s "$MINPAIR_SOURCE/models/de-lstm" path/to/german-gpt2
ln -s "$MINPAIR_SOURCE/tests/golden/recurrent/lstm0.pt" lstm.pt
ln -s "$MINPAIR_SOURCE/tests/golden/recurrent/vocab.txt" vocab.txt
ln -s "$MODELS/stories260K/stories260K.gguf" model.gguf
ln -s "$MODELS/stories15M" stories15M

# Suites and grammars.
ln -s "$MINPAIR_SOURCE/suites" suites
mkdir de_replication de_evalset
cp suites/clams/de/common.avg de_replication/
cp suites/clams/de/simple_agreement.avg de_replication/simple_agrmt.avg
cp suites/de-agreement/simple_sentence.cfg my.cfg
cp suites/de-agreement/{common.cfg,lexicon.tsv} .
for name in gevalm clams-de million; do minpair generate my.cfg --sample 20 --seed 1 -o $name.jsonl; done
for i in $(seq 20); do
  printf '{"id":"%d","test":"agreement","sentences":[{"text":"w%d w11 w8","grammatical":true},{"text":"w%d w12 w8","grammatical":false}]}\n' "$i" $((i + 6)) $((i + 6))
done >linzen.jsonl
minpair generate de_replication/simple_agrmt.avg --sample 20 --format clams >de_evalset/simple_agrmt.txt

# Text, plain and packed.
for i in $(seq 200); do echo "Der Autor lacht , und die Autoren reden ."; done | tee text.txt >corpus.txt
printf 'Der Autor lacht.\nDie Autoren lachen.\n' >sentences.txt
python3 -c 'import lzma; t = open("text.txt", "rb").read(); [open(n, "wb").write(lzma.compress(t)) for n in ("text.txt.xz", "train.txt.xz")]'

# A treebank of two sentences with many nouns, and a paradigm.
mkdir UD_German-GSD
row() { printf '%s\t%s\t%s\t%s\t_\t%s\t%s\t%s\t_\t_\n' "$@"; }
sentence() {  # number, determiner, adjective, noun, its lemma, verb
  local nominal="Case=Nom|Gender=Masc|Number=$1"
  printf '# sent_id = %s\n# text = %s %s %s %s.\n' "$4" "$2" "$3" "$4" "$6"
  row 1 "$2" der DET "$nominal" 3 det 2 "$3" alt ADJ "$nominal" 3 amod 3 "$4" "$5" NOUN "$nominal" 4 nsubj
  row 4 "$6" lachen VERB "Number=$1|Person=3|VerbForm=Fin" 0 root
  printf '5\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_\n\n'
}
for noun in Mann/Männer Hund/Hunde Freund/Freunde Sohn/Söhne Bruder/Brüder Vater/Väter König/Könige Herr/Herren \
  Mensch/Menschen Tag/Tage Weg/Wege Berg/Berge Baum/Bäume Fuß/Füße Kopf/Köpfe Brief/Briefe Gast/Gäste; do
  sentence Sing Der alte "${noun%/*}" "${noun%/*}" lacht
  sentence Plur Die alten "${noun#*/}" "${noun%/*}" lachen
done >UD_German-GSD/de_gsd-ud-train.conllu
printf 'lachen\tlacht\tV;IND;PRS;3;SG\nlachen\tlachen\tV;IND;PRS;3;PL\nreden\tredet\tV;IND;PRS;3;SG\nreden\treden\tV;IND;PRS;3;PL\n' >deu

printf 'de\t1\nen\t2\nfr\t3\n' >my-numbers.tsv
minpair run -q -s de-agreement -m de-mini --method masked-word-l2r --test simple_sentence -o results.db >/dev/null
