/*
title: Gulordava et al. 2018: Hebrew
citation: Kristina Gulordava, Piotr Bojanowski, Edouard Grave, Tal Linzen and Marco Baroni (2018): Colorless green recurrent
  networks dream hierarchically. NAACL.
source: github.com/facebookresearch/colorlessgreenRNNs
licence: CC-BY-NC-4.0
folder: gulordava-more
*/
create virtual table forms using released('lstm_best_model.*.tab', pattern text, constr_id text, type text, form text,
  prefix text, n_attr integer, freq real, "hidden#" real);

/* Two lines are a pair: the right form and the wrong one. */
create view pairs as
select r.star as language, r.pattern, r.constr_id, r.type, r.n_attr, r.prefix, r.form as right_form, w.form as wrong_form,
  r."hidden#" as right_score, w."hidden#" as wrong_score, r.freq as right_freq, w.freq as wrong_freq, r.place
from forms r left join forms w on w.file = r.file and w.over = r.over and w.number = r.number + 1
where r.number % 2 = 1;

create view hebrew as
select *, right_score > wrong_score as right, right_freq > wrong_freq as by_frequency from pairs where language = 'he';

/* table: LSTM and frequency baseline (the paper prints averages over models)
|                   | items | LSTM right | LSTM accuracy | ties | frequency right | frequency ties | frequency accuracy | mean of patterns |
| original          |   373 |        355 |      0.951743 |    0 |             253 |              0 |           0.678284 |         0.966440 |
| nonce = generated |  3357 |       2679 |      0.798034 |   11 |            2119 |             16 |           0.631218 |         0.763659 |
*/
select type, sum(items) as items, sum(right) as "LSTM right", sum(right) / sum(items) as "LSTM accuracy", sum(ties) as ties,
  sum(frequency) as "frequency right", sum(frequency_ties) as "frequency ties",
  sum(frequency) / sum(items) as "frequency accuracy", mean(right / items) as "mean of patterns"
from (select type, pattern, count(*) as items, sum(right) as right, sum(right_score = wrong_score) as ties,
        sum(by_frequency) as frequency, sum(right_freq = wrong_freq) as frequency_ties
      from hebrew group by type, pattern)
group by type;

/* table: LSTM by attractors
|   | right | items | accuracy |
| 0 |  2376 |  2710 |   0.8768 |
| 1 |   613 |   950 |   0.6453 |
| 2 |    24 |    40 |          |
| 3 |    21 |    30 |          |
*/
select n_attr, sum(right) as right, count(*) as items, mean(right) as accuracy from hebrew group by n_attr;

/* table: Patterns
|        | patterns |
| Hebrew |       17 |
*/
select 'Hebrew', count(distinct pattern) as patterns from hebrew;

/* released:
method: word-lp
norm: sum
*/
select 'LSTM' as model, language, type as test, n_attr as condition, pattern || '/' || constr_id as cluster,
  prefix as context, right_form as good, right_score, wrong_form as bad, wrong_score, place
from pairs;
