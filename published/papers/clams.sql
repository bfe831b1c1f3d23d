/*
title: CLAMS: subject-verb agreement in five languages
citation: Aaron Mueller, Garrett Nicolai, Panayiota Petrou-Zeniou, Natalia Talmina and Tal Linzen (2020): Cross-Linguistic
  Syntactic Evaluation of Word Prediction Models. ACL.
source: github.com/aaronmueller/clams
licence: Apache-2.0
note: Averages are compared with the mean of the printed numbers above them.
*/
create virtual table evalset using released('*_evalset/*.txt', format=tsv, header=none, grammatical text, sentence text);

/* table: Table 1: LSTMs, perplexity and accuracy
needs: the five LSTMs of each language; neither they nor their scores were released
|                             | English, mono | English, multi | French, mono | French, multi | German, mono | German, multi | Hebrew, mono | Hebrew, multi | Russian, mono | Russian, multi |
| Test Perplexity             |         57.90 |          66.13 |        35.48 |         57.40 |        46.31 |         61.06 |        48.78 |         61.85 |         35.09 |          54.61 |
| Simple agreement            |          1.00 |           1.00 |         1.00 |          1.00 |         1.00 |          0.96 |         0.95 |          0.96 |          0.91 |           0.75 |
| VP coordination (short)     |          0.94 |           0.96 |         0.97 |          0.85 |         0.99 |          1.00 |         1.00 |          0.95 |          0.98 |           0.92 |
| VP coordination (long)      |          0.76 |           0.69 |         0.85 |          0.72 |         0.96 |          0.73 |         0.84 |          0.70 |          0.86 |           0.72 |
| Across subject rel. clause  |          0.60 |           0.63 |         0.71 |          0.70 |         0.94 |          0.74 |         0.91 |          0.84 |          0.88 |           0.86 |
| Within object rel. clause   |          0.89 |           0.79 |         0.99 |          0.99 |         0.74 |          0.69 |         1.00 |          0.88 |          0.95 |           0.88 |
| Across object rel. clause   |          0.55 |           0.52 |         0.52 |          0.52 |         0.81 |          0.74 |         0.56 |          0.54 |          0.60 |           0.57 |
| Across prepositional phrase |          0.63 |           0.61 |         0.74 |          0.63 |         0.89 |          0.82 |         0.88 |          0.82 |          0.76 |           0.61 |
*/

/* table: Table 1: average accuracy
|                  | English, mono | English, multi | French, mono | French, multi | German, mono | German, multi | Hebrew, mono | Hebrew, multi | Russian, mono | Russian, multi |
| Average accuracy |          0.77 |           0.74 |         0.83 |      0.78 [1] |         0.90 |          0.81 |         0.88 |          0.81 |          0.85 |           0.76 |
[1] the seven printed numbers are themselves rounded
*/
select 'Average accuracy' as row, "column", mean(value) as value from printed
where title = 'Table 1: LSTMs, perplexity and accuracy' and row <> 'Test Perplexity' group by "column";

/* table: Table 2: multilingual BERT
needs: bert-base-multilingual-cased: its scores were not released
run: English | google-bert/bert-base-multilingual-cased | en_evalset | masked
run: French | google-bert/bert-base-multilingual-cased | fr_evalset | masked
run: German | google-bert/bert-base-multilingual-cased | de_evalset | masked
run: Hebrew | google-bert/bert-base-multilingual-cased | he_evalset | masked
run: Russian | google-bert/bert-base-multilingual-cased | ru_evalset | masked
ties: wrong
row: test
|                                                     | English | French | German | Hebrew | Russian |
| Simple agreement = simple_agrmt                     |    1.00 |   1.00 |   0.95 |   0.70 |    0.65 |
| VP coordination (short) = vp_coord                  |    1.00 |   1.00 |   0.97 |   0.91 |    0.80 |
| VP coordination (long) = long_vp_coord              |    0.92 |   0.98 |   1.00 |   0.73 |         |
| Across subject relative clause = subj_rel           |    0.88 |   0.57 |   0.73 |   0.61 |    0.70 |
| Within object relative clause = obj_rel_within_anim |    0.83 |        |        |        |         |
| Across object relative clause = obj_rel_across_anim |    0.87 |   0.86 |   0.93 |   0.55 |    0.67 |
| Across prepositional phrase = prep_anim             |    0.92 |   0.57 |   0.95 |   0.62 |    0.56 |
*/

/* table: Table 3: English BERT and multilingual BERT, agreement
needs: bert-base-uncased and bert-base-multilingual-cased: their scores were not released
|                                     | mono | multi |
| Simple                              | 1.00 |  1.00 |
| In a sentential complement          | 0.83 |  1.00 |
| VP coordination (short)             | 0.89 |  1.00 |
| VP coordination (long)              | 0.98 |  0.92 |
| Across subject rel. clause          | 0.84 |  0.88 |
| Within object rel. clause           | 0.95 |  0.83 |
| Within object rel. clause (no that) | 0.79 |  0.61 |
| Across object rel. clause           | 0.89 |  0.87 |
| Across object rel. clause (no that) | 0.86 |  0.64 |
| Across prepositional phrase         | 0.85 |  0.92 |
*/

/* table: Table 3: average of agreement
|                  | mono | multi |
| Average accuracy | 0.89 |  0.87 |
*/
select 'Average accuracy' as row, "column", mean(value) as value from printed
where title = 'Table 3: English BERT and multilingual BERT, agreement' group by "column";

/* table: Table 3: English BERT and multilingual BERT, reflexives
needs: bert-base-uncased and bert-base-multilingual-cased: their scores were not released
|                                       | mono | multi |
| Reflexive, simple                     | 0.94 |  0.87 |
| Reflexive, in a sentential complement | 0.89 |  0.89 |
| Reflexive, across a relative clause   | 0.80 |  0.74 |
*/

/* table: Table 3: average of reflexives
|                  | mono | multi |
| Average accuracy | 0.88 |  0.83 |
*/
select 'Average accuracy' as row, "column", mean(value) as value from printed
where title = 'Table 3: English BERT and multilingual BERT, reflexives' group by "column";

/* table: Table 4: gains by a capital at the beginning, LSTMs
needs: the five LSTMs of each language; neither they nor their scores were released
|                             | English, mono | English, multi | French, mono | French, multi | German, mono | German, multi | Russian, mono | Russian, multi |
| Simple agreement            |               |          -0.02 |              |         -0.01 |              |          0.02 |          0.02 |                |
| VP coordination (short)     |         -0.01 |                |         0.01 |          0.14 |        -0.02 |         -0.01 |         -0.03 |          -0.01 |
| VP coordination (long)      |         -0.03 |           0.01 |         0.04 |         -0.02 |        -0.06 |          0.07 |          0.04 |           0.02 |
| Across subject rel. clause  |          0.24 |           0.07 |         0.23 |          0.15 |        -0.03 |          0.13 |          0.02 |           0.01 |
| Within object rel. clause   |               |          -0.04 |              |         -0.07 |              |         -0.02 |               |          -0.03 |
| Across object rel. clause   |          0.09 |           0.02 |         0.05 |          0.03 |         0.01 |          0.09 |          0.01 |                |
| Across prepositional phrase |          0.18 |           0.11 |         0.20 |          0.20 |         0.03 |          0.03 |          0.03 |           0.02 |
*/

/* table: Table 4: average gain
needs: the five LSTMs of each language; neither they nor their scores were released
|                  | English, mono | English, multi | French, mono | French, multi | German, mono | German, multi | Russian, mono | Russian, multi |
| Average accuracy |          0.06 |           0.03 |         0.07 |          0.05 |        -0.01 |          0.05 |          0.01 |           0.03 |
*/

/* table: Table 5: standard deviation over five LSTMs
needs: the five LSTMs of each language; neither they nor their scores were released
|                             | English, mono | English, multi | French, mono | French, multi | German, mono | German, multi | Hebrew, mono | Hebrew, multi | Russian, mono | Russian, multi |
| Simple agreement            |          0.00 |           0.00 |         0.00 |          0.00 |         0.00 |          0.02 |         0.01 |          0.01 |          0.01 |           0.07 |
| VP coordination (short)     |          0.01 |           0.00 |         0.01 |          0.05 |         0.02 |          0.00 |         0.01 |          0.01 |          0.02 |           0.02 |
| VP coordination (long)      |          0.06 |           0.08 |         0.05 |          0.09 |         0.04 |          0.07 |         0.06 |          0.06 |          0.04 |           0.06 |
| Across subject rel. clause  |          0.06 |           0.02 |         0.05 |          0.05 |         0.04 |          0.07 |         0.03 |          0.03 |          0.03 |           0.04 |
| Within object rel. clause   |          0.01 |           0.02 |         0.01 |          0.01 |         0.03 |          0.04 |         0.01 |          0.03 |          0.04 |           0.02 |
| Across object rel. clause   |          0.05 |           0.02 |         0.01 |          0.01 |         0.09 |          0.06 |         0.01 |          0.01 |          0.03 |           0.02 |
| Across prepositional phrase |          0.02 |           0.02 |         0.02 |          0.02 |         0.06 |          0.03 |         0.03 |          0.04 |          0.02 |           0.01 |
*/

/* table: Table 6, English: minimal sets
|                                        | minimal sets |
| Simple agreement = simple_agrmt        |          140 |
| VP coordination (short) = vp_coord     |          840 |
| VP coordination (long) = long_vp_coord |          400 |
*/
select file, count(*) as "minimal sets" from evalset where star = 'en_evalset' and grammatical = 'True' group by file;

/* table: Table 6, French: minimal sets
|                                                 | minimal sets |
| Simple agreement = simple_agrmt                 |          280 |
| VP coordination (short) = vp_coord              |          980 |
| VP coordination (long) = long_vp_coord          |          500 |
| Across subject rel. clause = subj_rel           |        11200 |
| Within object rel. clause = obj_rel_within_anim |        11200 |
| Across object rel. clause = obj_rel_across_anim |        11200 |
| Across prepositional phrase = prep_anim         |        14000 |
*/
select file, count(*) as "minimal sets" from evalset where star = 'fr_evalset' and grammatical = 'True' group by file;

/* table: Table 6, German: minimal sets
|                                                 | minimal sets |
| Simple agreement = simple_agrmt                 |          140 |
| VP coordination (short) = vp_coord              |          980 |
| VP coordination (long) = long_vp_coord          |          500 |
| Across subject rel. clause = subj_rel           |        11200 |
| Within object rel. clause = obj_rel_within_anim |        11200 |
| Across object rel. clause = obj_rel_across_anim |        11200 |
| Across prepositional phrase = prep_anim         |        12600 |
*/
select file, count(*) as "minimal sets" from evalset where star = 'de_evalset' and grammatical = 'True' group by file;

/* table: Table 6: what was not at hand here
needs: the evaluation sets of Hebrew, Russian and the other English ones: in the repository, not among these files
|                             | English | Hebrew | Russian |
| Simple agreement            |         |    140 |     280 |
| VP coordination (short)     |         |    980 |     980 |
| VP coordination (long)      |         |    500 |     500 |
| Across subject rel. clause  |   11200 |  11200 |   10080 |
| Within object rel. clause   |   11200 |  11200 |   11200 |
| Across object rel. clause   |   11200 |  11200 |   11200 |
| Across prepositional phrase |   16800 |   5600 |    5880 |
*/

/* table: Table 7: minimal sets with verbs that BERT knows
needs: the vocabularies of bert-base-uncased and bert-base-multilingual-cased
|                                       | English, mono | English, multi | French | German | Hebrew | Russian |
| Simple agreement                      |           120 |             80 |     40 |    100 |     20 |      80 |
| In a sentential complement            |          1440 |            960 |        |        |        |         |
| VP coordination (short)               |           720 |            480 |    140 |    700 |    140 |     280 |
| VP coordination (long)                |           400 |            240 |    100 |    300 |    100 |       0 |
| Across subject rel. clause            |          9600 |           6400 |   1600 |   5406 |   1600 |    2880 |
| Within object rel. clause             |         15960 |           5320 |      0 |      0 |      0 |       0 |
| Within object rel. clause (no that)   |         15960 |           5320 |        |        |        |         |
| Across object rel. clause             |         19680 |          16480 |   1600 |   5620 |   1600 |    3200 |
| Across object rel. clause (no that)   |         19680 |          16480 |        |        |        |         |
| Across prepositional phrase           |         19440 |          14640 |   2000 |   9000 |    800 |    1680 |
| Reflexive, simple                     |           280 |            280 |        |        |        |         |
| Reflexive, in a sentential complement |          3360 |           3360 |        |        |        |         |
| Reflexive, across a relative clause   |         22400 |          22400 |        |        |        |         |
*/

/* table: Section 6.3: morphological complexity and accuracy
needs: the complexities behind Figure 3, which are not printed (`minpair correlate` computes such a correlation)
|                      | Spearman |
| LSTMs                |      0.4 |
| LSTMs without German |      1.0 |
| multilingual BERT    |     -0.9 |
| LSTMs, capitals      |      0.2 |
*/
