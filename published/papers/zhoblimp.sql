/*
title: ZhoBLiMP: what people chose
citation: Yikang Liu et al. (2024): ZhoBLiMP: a systematic assessment of language models with linguistic minimal pairs in
  Chinese.
source: github.com/sjtu-compling/ZhoBLiMP
licence: none stated
folder: zhoblimp-human
*/
create virtual table validation using released('human_validation_result.csv', UID text, correct integer, total integer,
  phenomenon text null);

create view paradigms as select *, 1.0 * correct / total as accuracy from validation;

/* table: Human validation
|                                    |          |
| paradigms                          |      129 |
| paradigms with 28 answers          |       65 |
| paradigms with 22 answers          |       64 |
| names of phenomena                 |       13 |
| paradigms without one              |       13 |
| right answers                      |     2942 |
| answers                            |     3228 |
| pooled accuracy                    | 0.911400 |
| mean of paradigms                  | 0.908739 |
| paradigms below 0.70               |       11 |
| lowest                             | 0.357143 |
| pooled, the 118 that were released | 0.939016 |
| mean of the 118                    | 0.937459 |
*/
select count(*) as paradigms, sum(total = 28) as "paradigms with 28 answers", sum(total = 22) as "paradigms with 22 answers",
  count(distinct phenomenon) as "names of phenomena", sum(phenomenon is null) as "paradigms without one",
  sum(correct) as "right answers", sum(total) as answers, sum(correct) / sum(total) as "pooled accuracy",
  mean(accuracy) as "mean of paradigms", sum(accuracy < 0.7) as "paradigms below 0.70", min(accuracy) as lowest,
  sum(correct) filter (where accuracy >= 0.7) / sum(total) filter (where accuracy >= 0.7)
    as "pooled, the 118 that were released",
  mean(accuracy) filter (where accuracy >= 0.7) as "mean of the 118"
from paradigms;

/* released:
method: choice
norm: mean
*/
with recursive answers(n) as (select 1 union all select n + 1 from answers where n < (select max(total) from validation))
select 'people' as model, 'zh' as language, UID || '/' || n as id, UID as test, UID as cluster, n <= correct as choice,
  '' as person, UID || ', answer ' || n || ': the good sentence' as good, UID || ', answer ' || n || ': the bad sentence' as bad,
  place
from validation join answers on n <= total order by validation.number, n;
