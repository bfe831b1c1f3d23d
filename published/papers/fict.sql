/*
title: FiCT: filtered corpora, two architectures, five seeds
citation: Abhinav Patil, Jaap Jumelet, Yu Ying Chiu, Andy Lapastora, Peter Shen, Lexie Wang, Clevis Willrich and Shane
  Steinert-Threlkeld (2024): Filtered corpus training (FiCT) shows that language models can generalize from indirect
  evidence. TACL.
source: github.com/CLMBRs/corpus-filtering
licence: GPL-3.0
no items: they have the share of the 1,000 pairs of each paradigm that a model has right, not which pairs these are
*/
create virtual table results using released('tidy_results.csv', corpus text, arch text, seed text, test_ppl real,
  blimp_benchmark text, blimp_acc real, filter_target integer, blimp_delta_all_seed_avg real, corpus_tokens real);

create view by_corpus as
select corpus, arch, mean(test_ppl) as perplexity, mean(blimp_acc) as accuracy,
  mean(blimp_acc) filter (where filter_target) as target_accuracy, mean(blimp_delta_all_seed_avg) as delta,
  mean(blimp_delta_all_seed_avg) filter (where filter_target) as target_delta
from results group by corpus, arch;

create view seeds as
select seed, arch, mean(blimp_acc) as accuracy from results where corpus = 'full' group by seed, arch;

/* table: analysis.ipynb: means over corpora
|                          |      lstm | transformer |
| test perplexity          | 53.557030 |   47.132456 |
| accuracy, all paradigms  |  0.704122 |    0.718575 |
| accuracy, filter targets |  0.667328 |    0.688174 |
| delta, filter targets    | -0.054183 |   -0.046202 |
| delta, all paradigms     | -0.003925 |    0.000313 |
*/
select 'test perplexity' as row, arch as "column", mean(perplexity) as value from by_corpus group by arch
union all select 'accuracy, all paradigms', arch, mean(accuracy) from by_corpus group by arch
union all select 'accuracy, filter targets', arch, mean(target_accuracy) from by_corpus where corpus <> 'full' group by arch
union all select 'delta, filter targets', arch, mean(target_delta) from by_corpus where corpus <> 'full' group by arch
union all select 'delta, all paradigms', arch, mean(delta) from by_corpus group by arch;

/* table: analysis.ipynb: corpus size and perplexity
|         |      lstm | transformer |
| Pearson | -0.969435 |   -0.975597 |
*/
select 'Pearson' as row, arch as "column", pearson(corpus_tokens, test_ppl) as value from results group by arch;

/* table: The unfiltered corpus, by seed
|            |     lstm | transformer |
| seed 0 = 0 | 0.705701 |    0.720194 |
| seed 1 = 1 | 0.706597 |    0.710000 |
| seed 2 = 2 | 0.702060 |    0.723731 |
| seed 3 = 3 | 0.709761 |    0.720015 |
| seed 4 = 4 | 0.716119 |    0.717373 |
*/
select seed as row, arch as "column", mean(blimp_acc) as value from results where corpus = 'full' group by seed, arch;

/* table: The unfiltered corpus, over seeds
|           |     lstm | transformer |
| mean      | 0.708048 |    0.718263 |
| deviation | 0.005281 |    0.005142 |
*/
select 'mean' as row, arch as "column", mean(accuracy) as value from seeds group by arch
union all select 'deviation', arch, sd(accuracy) from seeds group by arch;

/* table: Delta of the filter targets by corpus
|                              |    lstm | transformer |
| agr-pp-mod                   | -0.2322 |     -0.0792 |
| agr-rel-cl                   | -0.0832 |     -0.0872 |
| agr-re-irr-sv                | -0.0378 |    -0.06375 |
| npi-only                     | -0.0426 |     -0.1354 |
| quantifier-existential-there | -0.1642 |     -0.1212 |
| passive                      | -0.0908 |     -0.0979 |
| binding-reconstruction       |  0.0508 |      0.0244 |
*/
select corpus as row, arch as "column", target_delta as value from by_corpus where corpus <> 'full';

/* table: analysis.ipynb: LSTM and transformer, paired over corpora
|                                     |            |
| test perplexity, t                  | 270.844137 |
| test perplexity, p                  | 4.3244e-29 |
| test perplexity, Cohen's d          |   9.145908 |
| accuracy, all paradigms, t          | -17.379132 |
| accuracy, all paradigms, p          | 2.3895e-11 |
| accuracy, all paradigms, Cohen's d  |  -3.243117 |
| accuracy, filter targets, t         |  -1.179180 |
| accuracy, filter targets, p         |   0.257978 |
| accuracy, filter targets, Cohen's d |  -0.117366 |
*/
with pairs(measure, lstm, transformer) as (
  select 'test perplexity', l.perplexity, t.perplexity from lstm l join transformer t using (corpus)
  union all select 'accuracy, all paradigms', l.accuracy, t.accuracy from lstm l join transformer t using (corpus)
  union all select 'accuracy, filter targets', l.target_accuracy, t.target_accuracy
    from lstm l join transformer t using (corpus) where corpus <> 'full'),
lstm as materialized (select * from by_corpus where arch = 'lstm'),
transformer as materialized (select * from by_corpus where arch = 'transformer'),
tests as (
  select measure, mean(lstm - transformer) / (sd(lstm - transformer) / sqrt(count(*))) as t, count(*) - 1 as df,
    (mean(lstm) - mean(transformer)) / sqrt((sd(lstm) * sd(lstm) + sd(transformer) * sd(transformer)) / 2) as d
  from pairs group by measure)
select measure || ', t', t from tests
union all select measure || ', p', student_p(t, df) from tests
union all select measure || ', Cohen''s d', d from tests;

/* table: Mean delta to the unfiltered corpus
|                           |      lstm | transformer |
| all paradigms, 16 corpora | -0.003925 |    0.000313 |
*/
select 'all paradigms, 16 corpora' as row, arch as "column", mean(blimp_delta_all_seed_avg) as value from results group by arch;

/* table: Mean delta of the filter targets, 15 corpora
|                |      lstm | transformer |
| filter targets | -0.054183 |   -0.046202 |
*/
select 'filter targets' as row, arch as "column", mean(target_delta) as value from by_corpus where corpus <> 'full' group by arch;

/* table: analysis.ipynb: linear mixed model of the deltas (REML)
|                                                                     |         estimate |
| log-likelihood = log_likelihood                                     |       20456.8300 |
| intercept = estimate.intercept                                      |     0.478595 [1] |
| filter_target = estimate.filter_target                              |     2.483291 [1] |
| transformer = estimate.arch.transformer                             |         0.063848 |
| filter_target:transformer = estimate.filter_target:arch.transformer |    -1.931607 [1] |
| corpus_tokens = estimate.corpus_tokens                              | -3.61899e-09 [1] |
| test_ppl = estimate.test_ppl                                        |        -0.004528 |
| test_ppl:filter_target = estimate.test_ppl:filter_target            |        -0.047140 |
| test_ppl:transformer = estimate.test_ppl:arch.transformer           |        -0.001879 |
| three-way = estimate.test_ppl:filter_target:arch.transformer        |         0.034473 |
| scale                                                               |           0.0011 |
[1] statsmodels stopped a little short of the maximum; lme4 gives what stands here
*/
with fitted as materialized (
  select key, value from json_each(fit(
    'blimp_delta_all_seed_avg ~ corpus_tokens + test_ppl * filter_target * arch + (1 | corpus:blimp_benchmark)',
    'results', 'reml')))
select key, value as estimate from fitted
union all select 'scale', value * value from fitted where key = 'sd.residual';
