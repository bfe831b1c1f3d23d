/*
title: TurBLiMP: ratings of 30 speakers
citation: Ezgi Başar, Francesca Padovani, Jaap Jumelet and Arianna Bisazza (2025): TurBLiMP: a Turkish benchmark of
  linguistic minimal pairs.
source: github.com/ezgibasar/TurBLiMP
licence: CC-BY-4.0
folder: turblimp-human
*/
create virtual table judgments using released('base_judgments.csv', 'experimental_judgments.csv', participant text,
  phenomenon text, type text, sentence text, rating real);
create virtual table survey using released('survey_v*.csv', position text, sentence text);

create view pairs as
select position, mean(rating) filter (where type = 'good') as good, mean(rating) filter (where type = 'bad') as bad
from judgments join survey using (sentence) group by position;

/* table: Mean ratings by phenomenon (shown as figures in the paper)
|                                 |   good |    bad |
| Anaphor_Agreement               | 6.2778 | 2.2333 |
| Argument_Structure_Ditransitive | 6.7889 | 2.0333 |
| Argument_Structure_Transitive   | 6.7889 | 2.1000 |
| Binding                         | 6.7333 | 1.9556 |
| Determiners                     | 6.5000 | 3.4111 |
| Ellipsis                        | 5.6778 | 2.3000 |
| Irregular_Forms                 | 6.7556 | 2.0000 |
| Island_Effects                  | 5.4111 | 2.9444 |
| NPI_Licensing                   | 6.6444 | 1.9111 |
| Nominalization                  | 6.6222 | 3.7222 |
| Passives                        | 5.9111 | 3.2778 |
| Quantifiers                     | 6.6111 | 2.1333 |
| Relative_Clauses                | 6.3444 | 2.2778 |
| Scrambling                      | 6.6667 | 2.8333 |
| Subject_Agreement               | 6.5000 | 2.0000 |
| Suspended_Affixation            | 6.6778 | 1.3333 |
*/
select phenomenon, mean(rating) filter (where type = 'good') as good, mean(rating) filter (where type = 'bad') as bad
from judgments where file = 'base_judgments' group by phenomenon;

/* table: All
|                                          |     good |      bad |
| 16 phenomena = base                      | 6.431944 | 2.404167 |
| 20 experimental paradigms = experimental | 5.706111 | 1.931111 |
*/
select replace(file, '_judgments', ''), mean(rating) filter (where type = 'good') as good,
  mean(rating) filter (where type = 'bad') as bad
from judgments group by file;

/* table: By pair
|                 |          |
| pairs           |      216 |
| good above bad  |      216 |
| mean difference | 3.887346 |
*/
select count(*) as pairs, sum(good > bad) as "good above bad", mean(good - bad) as "mean difference" from pairs;

/* table: Experimental paradigms
|                |   good |
| Transitive_ken | 4.0444 |
| Transitive_SOV | 6.6667 |
| Transitive_SVO | 6.6222 |
| Transitive_VOS | 6.2667 |
| Transitive_OSV | 6.2444 |
| Transitive_VSO | 6.2333 |
| Transitive_OVS | 6.1556 |
*/
select phenomenon, mean(rating) as good from judgments
where file = 'experimental_judgments' and type = 'good' group by phenomenon;

/* released:
method: rating
norm: mean
*/
select 'people' as model, 'tr' as language, s.position as id, phenomenon as test, participant as person,
  iif(type = 'good' and s.position is not null, sentence, null) as good, rating,
  iif(type = 'bad' and s.position is not null, sentence, null) as bad, rating, j.place
from judgments j left join survey s using (sentence);
