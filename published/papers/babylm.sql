/*
title: BabyLM 2024: the leaderboard's sample predictions
citation: Michael Y. Hu et al. (2024): Findings of the Second BabyLM Challenge. CoNLL.
source: github.com/babylm/evaluation-pipeline-2024; BLiMP: github.com/alexwarstadt/blimp
licence: MIT; CC-BY-4.0
folder:
note: A prediction is right where it is the good sentence of a pair of BLiMP. Which model made the sample is not said.
*/
create virtual table predictions using released('babylm/*.json', object text);
create virtual table blimp using released('blimp/*.jsonl', object text);

create view said as
select star as model, task.key as task, test.key as UID, one.key + 1 as n, one.value ->> '$.id' as id,
  one.value ->> '$.pred' as sentence, predictions.place
from predictions, json_each(object) as task, json_each(task.value) as test, json_each(test.value, '$.predictions') as one;

create view gold as
select object ->> '$.UID' as UID, number, object ->> '$.sentence_good' as good, object ->> '$.sentence_bad' as bad from blimp;

/* Predictions follow the order of BLiMP's files, where some pairs are left out. A sentence that occurs more than once is the
   next one after that of the prediction before. Capitals and spaces at the ends do not count. */
create view matched as
with recursive
pairs as materialized (select UID, number, lower(trim(good)) as good, lower(trim(bad)) as bad from gold),
sentences as materialized (select UID, number, good as sentence from pairs union all select UID, number, bad from pairs),
choices as materialized (select model, UID, n, id, lower(trim(sentence)) as sentence, place from said where task = 'blimp'),
walk(model, UID, n, reached, number) as (
  select distinct model, UID, 0, 0, 0 from choices
  union all
  select c.model, c.UID, c.n, max(w.reached, coalesce(w.number, 0)),
    (select coalesce(min(s.number) filter (where s.number > max(w.reached, coalesce(w.number, 0))), min(s.number))
     from sentences s where s.UID = c.UID and s.sentence = c.sentence)
  from walk w join choices c on c.model = w.model and c.UID = w.UID and c.n = w.n + 1)
select c.model, c.UID, c.n, c.id, g.good, g.bad, c.place, c.sentence = p.good as is_good, c.sentence = p.bad as is_bad
from choices c cross join walk w using (model, UID, n)
left join pairs p on p.UID = c.UID and p.number = w.number
left join (select * from gold) g on g.UID = c.UID and g.number = w.number;

/* table: BLiMP, right
|                                      | right |
| adjunct_island                       |   570 |
| determiner_noun_agreement_1          |   872 |
| irregular_past_participle_verbs      |   709 |
| matrix_question_npi_licensor_present |   115 |
| passive_1                            |   648 |
| principle_A_case_1                   |   912 |
| principle_A_case_2                   |   637 |
| wh_vs_that_with_gap_long_distance    |   157 |
*/
select UID, count(*) as right
from said cross join (select distinct UID, good as sentence from gold) as g using (UID)
where task = 'blimp' and model = 'sample_textonly_predictions' and trim(said.sentence) = g.sentence group by UID;

/* table: BLiMP, predictions
|                                      | pairs |
| adjunct_island                       |   928 |
| determiner_noun_agreement_1          |   929 |
| irregular_past_participle_verbs      |   942 |
| matrix_question_npi_licensor_present |   929 |
| passive_1                            |   840 |
| principle_A_case_1                   |   912 |
| principle_A_case_2                   |   915 |
| wh_vs_that_with_gap_long_distance    |   910 |
*/
select UID, count(*) as pairs from said where task = 'blimp' and model = 'sample_textonly_predictions' group by UID;

/* table: Predictions by task
|                  | predictions |
| glue             |       38183 |
| blimp            |       59875 |
| blimp_supplement |        5218 |
| ewok             |        7618 |
*/
select task, count(*) as predictions from said where model = 'sample_textonly_predictions' group by task;

/* table: BLiMP, mean of 67 accuracies
needs: all 67 files of BLiMP
files: 67 blimp/*.jsonl
|                               |   right |     mean |
| as the official scorer counts |   39037 | 0.653471 |
| equal sentences wrong         |   39030 | 0.653354 |
| equal sentences one half      | 39033.5 | 0.653412 |
*/
with counted as (
  select 'as the official scorer counts' as row, UID, is_good as worth from found
  union all select 'equal sentences wrong', UID, is_good and not is_bad from found
  union all select 'equal sentences one half', UID, 0.5 * is_good + 0.5 * (is_good and not is_bad) from found),
found as materialized (select * from matched where model = 'sample_textonly_predictions' and good is not null)
select row, sum(right) as right, mean(accuracy) as mean
from (select row, UID, sum(worth) as right, mean(worth) as accuracy from counted group by row, UID) group by row;

/* table: BLiMP, pairs of two equal sentences
|                    | pairs |
| passive_1          |     2 |
| principle_A_case_2 |     5 |
*/
select UID, count(*) as pairs from gold where good = bad group by UID;

/* released:
suite: blimp
method: choice
norm: mean
*/
select replace(replace(model, '_textonly', ''), '_predictions', '') as model, 'en' as language, id, UID as test, good, bad,
  is_good - 0.5 * (is_good and is_bad) as choice, place
from matched;
