/*
title: AANN: a beautiful five days
citation: Kanishka Misra and Kyle Mahowald (2024): Language models learn rare phenomena from less rare phenomena: the case of
  the missing AANNs. EMNLP.
source: github.com/kanishkamisra/aannalysis
licence: MIT
*/
create virtual table aann using released('aann/*.csv', idx text, construction_score real, order_swap_score real,
  no_article_score real, no_modifier_score real, no_numeral_score real);
create virtual table naan using released('naan/*.csv', idx text, construction_score real, order_swap_score real,
  no_article_score real, no_modifier_score real, no_numeral_score real);
create virtual table anan using released('anan/*.csv', idx text, construction_score real, order_swap_score real,
  no_article_score real, no_modifier_score real, no_numeral_score real);
create virtual table fourgrams using released('fourgrams-babylm.csv', idx text, construction_score real,
  order_swap_score real, no_article_score real, no_modifier_score real, no_numeral_score real);
create virtual table unigrams using released('unigrams-babylm.csv', idx text, construction_score real,
  order_swap_score real, no_article_score real, no_modifier_score real, no_numeral_score real);
create virtual table unseen using released('items/mahowald-aanns-unseen_good.csv', idx text, sentence text);
create virtual table items using released('items/aann.csv', idx text, sentence text, prefix text, construction text,
  order_swap text, no_article text, no_modifier text, no_numeral text);
create virtual table ratings using released('mturk_ratings_20231004.csv', sentence text, answer real, WorkerId text);

create view scores as
select 'AANN' as experiment, star as model, * from aann
union all select 'NAAN', star, * from naan
union all select 'ANAN', star, * from anan
union all select 'BPE 4-grams', file, * from fourgrams
union all select 'BPE 4-grams, ln', file, idx, ln(10) * construction_score, ln(10) * order_swap_score,
  ln(10) * no_article_score, ln(10) * no_modifier_score, ln(10) * no_numeral_score from fourgrams;

/* A construction is right where it is better than each of its four counterparts. SLOR is its score minus the unigrams'.
   "cross join" keeps the order of the tables: from scores to what belongs to them. */
create view slor as
select s.experiment, s.model, s.idx, s.construction_score as raw, s.construction_score - u.construction_score as slor,
  s.order_swap_score - u.order_swap_score as order_swap, s.no_article_score - u.no_article_score as no_article,
  s.no_modifier_score - u.no_modifier_score as no_modifier, s.no_numeral_score - u.no_numeral_score as no_numeral,
  s.order_swap_score as raw_order_swap, s.no_article_score as raw_no_article, s.no_modifier_score as raw_no_modifier,
  s.no_numeral_score as raw_no_numeral
from scores s cross join unigrams u using (idx);

create view compared as
select *, raw > max(raw_order_swap, raw_no_article, raw_no_modifier, raw_no_numeral) as raw_right,
  slor > max(order_swap, no_article, no_modifier, no_numeral) as slor_right
from slor;

create view rated as
select c.*, r.answer from compared c cross join unseen using (idx) cross join ratings r using (sentence);

/* table: AANN, the items rated above 7
|                                                     |    raw | raw, right |   SLOR | SLOR, right | mean SLOR of the construction |
| seed 42 = smolm-autoreg-bpe-babylm-1e-3             | 0.6492 |       1316 | 0.7420 |        1504 |                       2.37186 |
| seed 1024 = smolm-autoreg-bpe-babylm-seed_1024-1e-3 | 0.6172 |       1251 | 0.6734 |        1365 |                       2.11095 |
| seed 211 = smolm-autoreg-bpe-babylm-seed_211-1e-3   | 0.6103 |       1237 | 0.6931 |        1405 |                       1.98603 |
| gpt2-xl                                             | 0.7879 |       1597 | 0.8984 |             |                               |
| 4gram                                               | 0.1041 |        211 |        |             |                               |
*/
select model, mean(raw_right) as raw, sum(raw_right) as "raw, right", mean(slor_right) as SLOR,
  sum(slor_right) as "SLOR, right", mean(slor) as "mean SLOR of the construction"
from rated where experiment = 'AANN' and answer > 7 group by model;

/* table: AANN, all 12,960 items
|                                                     |    raw | raw, right |   SLOR | SLOR, right |
| seed 42 = smolm-autoreg-bpe-babylm-1e-3             | 0.5592 |            | 0.5887 |        7630 |
| seed 1024 = smolm-autoreg-bpe-babylm-seed_1024-1e-3 | 0.5520 |            | 0.5728 |        7423 |
| seed 211 = smolm-autoreg-bpe-babylm-seed_211-1e-3   | 0.5245 |            | 0.5439 |        7049 |
| gpt2-xl                                             | 0.6576 |       8522 |        |             |
| 4gram                                               | 0.0819 |       1062 |        |             |
*/
select model, mean(raw_right) as raw, sum(raw_right) as "raw, right", mean(slor_right) as SLOR,
  sum(slor_right) as "SLOR, right"
from compared where experiment = 'AANN' group by model;

/* table: AANN, single comparisons, raw
|                                         | order_swap | no_article | no_modifier | no_numeral |
| seed 42 = smolm-autoreg-bpe-babylm-1e-3 |     0.9482 |     0.9975 |      0.7716 |     0.8624 |
| gpt2-xl                                 |     0.9640 |        1.0 |      0.8357 |     0.9324 |
| 4gram                                   |     0.9245 |     0.9975 |      0.1228 |     0.6256 |
*/
select model, mean(raw > raw_order_swap) as order_swap, mean(raw > raw_no_article) as no_article,
  mean(raw > raw_no_modifier) as no_modifier, mean(raw > raw_no_numeral) as no_numeral
from rated where experiment = 'AANN' and answer > 7 group by model;

/* table: AANN, single comparisons, SLOR
|                                         | order_swap | no_article | no_modifier | no_numeral |
| seed 42 = smolm-autoreg-bpe-babylm-1e-3 |     0.9551 |     0.9359 |      0.9423 |     0.8421 |
*/
select model, mean(slor > order_swap) as order_swap, mean(slor > no_article) as no_article,
  mean(slor > no_modifier) as no_modifier, mean(slor > no_numeral) as no_numeral
from rated where experiment = 'AANN' and answer > 7 group by model;

/* table: Score of the construction and rating
|                                         | Spearman, raw | Spearman, SLOR | Pearson, raw | Pearson, SLOR |
| seed 42 = smolm-autoreg-bpe-babylm-1e-3 |        0.1983 |         0.2076 |       0.1785 |        0.1964 |
| gpt2-xl                                 |        0.2559 |                |       0.2240 |               |
*/
select model, spearman(raw, answer) as "Spearman, raw", spearman(slor, answer) as "Spearman, SLOR",
  pearson(raw, answer) as "Pearson, raw", pearson(slor, answer) as "Pearson, SLOR"
from rated where experiment = 'AANN' group by model;

/* table: NAAN, an invented construction, the same items
|                                                     |    raw |   SLOR |
| seed 42 = smolm-autoreg-bpe-babylm-1e-3             | 0.0104 | 0.0020 |
| seed 1024 = smolm-autoreg-bpe-babylm-seed_1024-1e-3 | 0.0084 | 0.0010 |
| seed 211 = smolm-autoreg-bpe-babylm-seed_211-1e-3   | 0.0178 | 0.0025 |
| gpt2-xl                                             | 0.0010 |        |
| 4gram                                               | 0.0143 |        |
*/
select model, mean(raw_right) as raw, mean(slor_right) as SLOR
from rated where experiment = 'NAAN' and answer > 7 group by model;

/* table: ANAN, an invented construction, the same items
|                                                     |    raw |   SLOR |
| seed 42 = smolm-autoreg-bpe-babylm-1e-3             | 0.0138 | 0.0044 |
| seed 1024 = smolm-autoreg-bpe-babylm-seed_1024-1e-3 | 0.0104 | 0.0039 |
| seed 211 = smolm-autoreg-bpe-babylm-seed_211-1e-3   | 0.0039 | 0.0030 |
| gpt2-xl                                             | 0.0074 |        |
| 4gram                                               | 0.0005 |        |
*/
select model, mean(raw_right) as raw, mean(slor_right) as SLOR
from rated where experiment = 'ANAN' and answer > 7 group by model;

/* table: BPE 4-grams, the items rated above 7
|                  |    raw | raw, right | SLOR as in the authors' script (log10 and ln) | SLOR, both in ln | SLOR, both in ln, right |
| fourgrams-babylm | 0.0577 |        117 |                                        0.0000 |           0.0079 |                      16 |
*/
select model, mean(raw_right) filter (where experiment = 'BPE 4-grams') as raw,
  sum(raw_right) filter (where experiment = 'BPE 4-grams') as "raw, right",
  mean(slor_right) filter (where experiment = 'BPE 4-grams') as "SLOR as in the authors' script (log10 and ln)",
  mean(slor_right) filter (where experiment = 'BPE 4-grams, ln') as "SLOR, both in ln",
  sum(slor_right) filter (where experiment = 'BPE 4-grams, ln') as "SLOR, both in ln, right"
from rated where experiment like 'BPE 4-grams%' and answer > 7 group by model;

/* table: SLOR, the mean of three seeds
|        | accuracy |
| BabyLM |   0.7028 |
*/
select 'BabyLM', mean(accuracy) as accuracy from (
  select mean(slor_right) as accuracy from rated
  where experiment = 'AANN' and model like 'smolm-autoreg-bpe-babylm%' and answer > 7 group by model);

/* table: Ratings
|         |      |
| ratings | 3600 |
| above 7 | 2029 |
*/
select count(*) as ratings, sum(answer > 7) as "above 7" from ratings;

/* table: Rated sentences
|               | sentences |
| rated         |      3600 |
| rated above 7 |      2029 |
*/
select 'rated', count(distinct sentence) as sentences from ratings
union all select 'rated above 7', count(distinct sentence) from ratings where answer > 7;

/* table: Rated items whose construction does not occur in the corpus
|               | items |
| rated         |  3597 |
| rated above 7 |  2027 |
*/
select 'rated', count(*) as items from unseen join ratings using (sentence)
union all select 'rated above 7', count(*) from unseen join ratings using (sentence) where answer > 7;

/* released:
method: lp
norm: mean
*/
select s.star as model, 'en' as language, s.idx as id, 'aann' as test, i.prefix as context,
  i.construction as good, s.construction_score, i.order_swap as bad, s.order_swap_score,
  i.no_article as bad, s.no_article_score, i.no_modifier as bad, s.no_modifier_score,
  i.no_numeral as bad, s.no_numeral_score, s.place
from aann s left join items i using (idx);

/* released:
method: rating
norm: mean
*/
select 'people' as model, 'en' as language, 'aann' as test, i.prefix as context, r.WorkerId as person,
  iif(u.idx is null, null, i.construction) as good, r.answer, r.place
from ratings r left join unseen u using (sentence) left join items i using (sentence);
