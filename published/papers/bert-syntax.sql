/*
title: bert-syntax: BERT on three sets of English agreement
citation: Yoav Goldberg (2019): Assessing BERT's Syntactic Abilities. arXiv:1901.05287.
source: github.com/yoavg/bert-syntax
licence: Apache-2.0
folder:
note: The paper says that stimuli outside the vocabulary are left out. For the Marvin and Linzen stimuli its program counts
  them as wrong instead. `minpair report --oov excluded|wrong` shows either.
note: `minpair convert gulordava_results_base.txt goldberg.db` makes a results file of what the released program printed;
  `minpair report goldberg.db --by condition` gives Table 2, base column. The lines with *is* and *are* (14) and with forms
  outside the vocabulary (13) are counted when reading.
*/
create virtual table gulordava using released('gulordava/gulordava_results_base.txt', format=items,
  attractors integer, "score.0" real, "score.1" real);
create virtual table syneval using released('syneval/simple_agrmt.pickle', 'syneval/vp_coord.pickle', format=items,
  "locus.0" text, "locus.1" text);
create virtual table evalset using released('clams/en_evalset/*.txt', format=tsv, header=none, grammatical text, sentence text);

/* table: Table 1: Linzen et al.'s sentences
needs: bert-base-uncased and bert-large-uncased; the repository has the sentences (lgd_dataset.tsv), the results were not
  released
|              | BERT base | BERT large | sentences |
| 1 attractor  |      0.97 |       0.97 |     24031 |
| 2 attractors |      0.97 |       0.97 |      4414 |
| 3 attractors |      0.96 |       0.96 |       946 |
| 4 attractors |      0.97 |       0.96 |       254 |
*/

/* table: Table 2: Gulordava et al.'s nonce sentences, BERT base
run: BERT base | google-bert/bert-base-uncased | gulordava/gulordava_results_base.txt | masked
ties: wrong
row: 'All'
row: attractors
|                  | BERT base | pairs |
| All              |      0.83 |   383 |
| 0 attractors = 0 |      0.84 |   311 |
| 1 attractor = 1  |      0.81 |    63 |
| 2 attractors = 2 |      0.89 |     9 |
*/
select 'All', mean("score.0" > "score.1") as "BERT base", count(*) as pairs from gulordava
union all select attractors, mean("score.0" > "score.1"), count(*) from gulordava group by attractors;

/* table: Table 2: BERT large
needs: bert-large-uncased: its scores were not released
run: BERT large | google-bert/bert-large-uncased | gulordava/gulordava_results_base.txt | masked
ties: wrong
row: 'All'
row: attractors
|                  | BERT large |
| All              |       0.80 |
| 0 attractors = 0 |       0.80 |
| 1 attractor = 1  |       0.75 |
| 2 attractors = 2 |       0.89 |
*/

/* table: Table 2: Gulordava et al.'s LSTM, as cited
needs: the five LSTMs of Gulordava et al., of which one is released; on all nonce sentences
|     | per cent | deviation |
| All |     74.1 |       1.6 |
*/

/* table: Table 3: Marvin and Linzen's pairs
needs: bert-base-uncased and bert-large-uncased; LSTM and human numbers are cited from Marvin and Linzen 2018
run: BERT base | google-bert/bert-base-uncased | syneval | masked
run: BERT large | google-bert/bert-large-uncased | syneval | masked
ties: wrong
row: replace(replace(test, '_inanim', ''), '_anim', '')
|                                                              | BERT base | BERT large | LSTM | humans | pairs |
| Simple = simple_agrmt                                        |      1.00 |       1.00 | 0.94 |   0.96 |   120 |
| In a sentential complement = sent_comp                       |      0.83 |       0.86 | 0.99 |   0.93 |  1440 |
| Short VP coordination = vp_coord                             |      0.89 |       0.86 | 0.90 |   0.82 |   720 |
| Long VP coordination = long_vp_coord                         |      0.98 |       0.97 | 0.61 |   0.82 |   400 |
| Across a prepositional phrase = prep                         |      0.85 |       0.85 | 0.57 |   0.85 | 19440 |
| Across a subject relative clause = subj_rel                  |      0.84 |       0.85 | 0.56 |   0.88 |  9600 |
| Across an object relative clause = obj_rel_across            |      0.89 |       0.85 | 0.50 |   0.85 | 19680 |
| Across an object relative (no that) = obj_rel_no_comp_across |      0.86 |       0.81 | 0.52 |   0.82 | 19680 |
| In an object relative clause = obj_rel_within                |      0.95 |       0.99 | 0.84 |   0.78 | 15960 |
| In an object relative (no that) = obj_rel_no_comp_within     |      0.79 |       0.82 | 0.71 |   0.79 | 15960 |
| Reflexives, simple = simple_reflexives                       |      0.94 |       0.92 | 0.83 |   0.96 |   280 |
| Reflexives, in a sentential complement = reflexive_sent_comp |      0.89 |       0.86 | 0.86 |   0.91 |  3360 |
| Reflexives, across a relative clause = reflexives_across     |      0.80 |       0.76 | 0.55 |   0.87 | 22400 |
*/

/* table: Table 3: pairs without swims and admires
|                                  | pairs | all |
| Simple = simple_agrmt            |   120 | 140 |
| Short VP coordination = vp_coord |   720 | 840 |
*/
select file, count(*) filter (where "locus.0" not in ('swims', 'admires') and "locus.1" not in ('swims', 'admires')) as pairs,
  count(*) as "all"
from syneval group by file;

/* table: Table 3: Marvin and Linzen's own number of pairs
|                                        |  all |
| In a sentential complement = sent_comp | 1680 |
| Long VP coordination = long_vp_coord   |  400 |
| Reflexives, simple = simple_reflexives |  280 |
*/
select file, count(*) as "all" from evalset where grammatical = 'True' group by file;

/* table: Table 3: Marvin and Linzen's own number of pairs, the other sets
needs: the other sets of Marvin and Linzen: in their repository, not among these files
|                                        |   all |
| Across a prepositional phrase          | 22400 |
| Across a subject relative clause       | 11200 |
| Across an object relative clause       | 22400 |
| Across an object relative (no that)    | 22400 |
| In an object relative clause           | 22400 |
| In an object relative (no that)        | 22400 |
| Reflexives, in a sentential complement |  3360 |
| Reflexives, across a relative clause   | 22400 |
*/

/* table: Section 2.2: discarded
needs: the other sets and BERT's vocabulary
|                                     | stimuli |
| Marvin and Linzen's pairs discarded |   23368 |
| of                                  |  152300 |
| Linzen et al.'s sentences           |     680 |
| Gulordava et al.'s sentences        |      28 |
*/
