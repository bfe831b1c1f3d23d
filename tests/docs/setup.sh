#!/usr/bin/env bash
# The files that the docs speak of, in the current folder. $MINPAIR_SOURCE is the tree.
set -euo pipefail

# Models: the one that ships, tiny ones from the tests, and the reference models where they are.
for name in MODEL DIR; do ln -s "$MINPAIR_SOURCE/models/de-mini" $name; done
mkdir -p path/to
ln -s "$MINPAIR_SOURCE/tests/model/golden/gpt2" path/to/german-gpt2
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
for name in gevalm linzen clams-de million; do minpair generate my.cfg --sample 20 --seed 1 -o $name.jsonl; done
minpair generate de_replication/simple_agrmt.avg --sample 20 --format clams >de_evalset/simple_agrmt.txt

# Text, plain and packed.
for i in $(seq 200); do echo "Der Autor lacht , und die Autoren reden ."; done | tee text.txt >corpus.txt
printf 'Der Autor lacht.\nDie Autoren lachen.\n' >sentences.txt
python3 -c 'import lzma; t = open("text.txt", "rb").read(); [open(n, "wb").write(lzma.compress(t)) for n in ("text.txt.xz", "train.txt.xz")]'

# A treebank of one sentence, many times, and a paradigm.
mkdir UD_German-GSD
for i in $(seq 20); do
  printf '# sent_id = %d\n# text = Der alte Autor lacht.\n' "$i"
  printf '%s\t%s\t%s\t%s\t_\t%s\t%s\t%s\t_\t_\n' \
    1 Der der DET 'Case=Nom|Gender=Masc|Number=Sing' 3 det 2 alte alt ADJ 'Case=Nom|Gender=Masc|Number=Sing' 3 amod \
    3 Autor Autor NOUN 'Case=Nom|Gender=Masc|Number=Sing' 4 nsubj 4 lacht lachen VERB 'Number=Sing|Person=3|VerbForm=Fin' 0 root
  printf '5\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_\n\n'
done >UD_German-GSD/de_gsd-ud-train.conllu
printf 'lachen\tlacht\tV;IND;PRS;3;SG\nlachen\tlachen\tV;IND;PRS;3;PL\nreden\tredet\tV;IND;PRS;3;SG\nreden\treden\tV;IND;PRS;3;PL\n' >deu

printf 'de\t1\nen\t2\nfr\t3\n' >my-numbers.tsv
minpair run -q -s de-agreement -m de-mini --method masked-word-l2r --test simple_sentence -o results.db >/dev/null
