/*
title: SyntaxGym: syntactic generalization of 41 models
citation: Jennifer Hu, Jon Gauthier, Peng Qian, Ethan Wilcox and Roger Levy (2020): A Systematic Assessment of Syntactic
  Generalization in Neural Language Models. ACL.
source: github.com/cpllab/syntactic-generalization, github.com/brain-score/language
licence: MIT
note: For n-grams the paper takes a vote of the runs that break ties by chance. The single run has the name of the others, so
  it votes too: 51 votes.
*/
create virtual table results using released('results/*.csv', model text, suite text, item text, correct integer);
create virtual table suite_accuracies using released('suite_accuracies.csv', instance text, architecture text,
  million_words real, suite text, performance real);
create virtual table surprisals using released('distilgpt2_region_surprisals.json', object text);
create virtual table distilgpt2 using released('distilgpt2_suite_accuracies.json', object text);

/* 31 of the 34 suites count. */
create view answers as
select replace(file, 'syntaxgym_results_', '') as file, model, suite, item, correct from results
where suite not in ('fgd-embed3', 'fgd-embed4', 'nn-nv-rpl');

create view by_suite as
select file, suite, sum(correct) as right, mean(correct) as accuracy from answers group by file, suite;

create view accuracies as select *, ln(million_words) as words from suite_accuracies;

/* In regressions the first text is the reference. */
create view single_items as
select iif(model = 'grnn__0', '', model) as model, suite, item, correct, 1 as n from answers
where file in ('gpt-2-xl-pretrained_', 'grnn_', 'rnng_bllip-lg');

/* table: SG score: the mean of 31 suites
|                                             | right of 799 | SG score |
| GPT-2 XL = gpt-2-xl-pretrained_             |          693 | 0.842415 |
| GRNN = grnn_                                |          432 | 0.551400 |
| n-gram, ties wrong = ngram-no-rand_bllip-lg |           95 |   0.1040 |
| n-gram, one draw = ngram-single_bllip-lg    |          359 |   0.3770 |
| n-gram, 50 draws averaged = ngram_bllip-lg  |              |   0.3235 |
*/
select file, sum(right) as "right of 799", mean(accuracy) as "SG score" from by_suite group by file;

/* table: SG score: recurrent neural network grammars
|                                  | right of 799 | SG score |
| RNNG 38435 = rnng_bllip-lg_38435 |          477 | 0.606093 |
| RNNG 62488 = rnng_bllip-lg_62488 |          444 | 0.579591 |
| RNNG 7245 = rnng_bllip-lg_7245   |          441 | 0.563278 |
| mean of the three                |              | 0.582987 |
*/
select model, sum(right) as "right of 799", mean(accuracy) as "SG score"
from (select model, sum(correct) as right, mean(correct) as accuracy from answers
      where file = 'rnng_bllip-lg' group by model, suite)
group by model
union all select 'mean of the three', sum(right) / 3, mean(accuracy) from by_suite where file = 'rnng_bllip-lg';

/* table: SG score: n-grams by vote
|              | right of 799 | SG score |
| the 50 draws |          207 | 0.216885 |
*/
select 'the 50 draws', sum(right) as "right of 799", mean(accuracy) as "SG score"
from (select sum(right) as right, mean(right) as accuracy
      from (select suite, mean(correct) > 0.5 as right from answers where file = 'ngram_bllip-lg' group by suite, item)
      group by suite);

/* table: SG score: n-grams by vote, as in the paper
|          | right of 799 | SG score |
| 51 votes |          271 | 0.281401 |
*/
select '51 votes', sum(right) as "right of 799", mean(accuracy) as "SG score"
from (select sum(right) as right, mean(right) as accuracy
      from (select suite, mean(correct) > 0.5 as right from answers
            where file in ('ngram_bllip-lg', 'ngram-single_bllip-lg') group by suite, item)
      group by suite);

/* table: By circuit: the mean of its suites
|                            | GPT-2 XL |     GRNN |
| Agreement                  | 0.771930 | 0.526316 |
| Center Embedding           | 0.964286 | 0.660714 |
| Garden-Path Effects        | 0.927579 | 0.818452 |
| Gross Syntactic State      | 0.869565 | 0.891304 |
| Licensing                  | 0.786842 | 0.134211 |
| Long-Distance Dependencies | 0.826389 | 0.729167 |
*/
select case when suite like 'number%' then 'Agreement'
            when suite like 'center%' then 'Center Embedding'
            when suite like 'npz%' or suite like 'mvrr%' then 'Garden-Path Effects'
            when suite like 'subordination%' then 'Gross Syntactic State'
            when suite like 'npi%' or suite like 'reflexive%' then 'Licensing'
            when suite like 'fgd%' or suite like 'cleft%' then 'Long-Distance Dependencies' end as circuit,
  mean(accuracy) filter (where file = 'gpt-2-xl-pretrained_') as "GPT-2 XL",
  mean(accuracy) filter (where file = 'grnn_') as GRNN
from by_suite group by circuit;

/* table: Items right by suite
|                       | GPT-2 XL | GRNN |
| center_embed          |       28 |   21 |
| center_embed_mod      |       26 |   16 |
| cleft                 |       40 |   40 |
| cleft_modifier        |       40 |   15 |
| fgd_hierarchy         |       17 |   12 |
| fgd_object            |       23 |   23 |
| fgd_pp                |       20 |   15 |
| fgd_subject           |       11 |   22 |
| mvrr                  |       20 |   17 |
| mvrr_mod              |       25 |   19 |
| npi_orc_any           |       38 |    1 |
| npi_orc_ever          |       38 |    3 |
| npi_src_any           |       37 |    5 |
| npi_src_ever          |       36 |    6 |
| npz_ambig             |       23 |   21 |
| npz_ambig_mod         |       24 |   20 |
| npz_obj               |       24 |   23 |
| npz_obj_mod           |       24 |   23 |
| number_orc            |       14 |    8 |
| number_prep           |       15 |    9 |
| number_src            |       15 |   13 |
| reflexive_orc_fem     |        9 |    0 |
| reflexive_orc_masc    |       15 |    1 |
| reflexive_prep_fem    |       11 |    0 |
| reflexive_prep_masc   |       18 |   12 |
| reflexive_src_fem     |        8 |    0 |
| reflexive_src_masc    |       14 |    5 |
| subordination         |       21 |   20 |
| subordination_orc-orc |       20 |   20 |
| subordination_pp-pp   |       22 |   22 |
| subordination_src-src |       17 |   20 |
*/
select suite, sum(right) filter (where file = 'gpt-2-xl-pretrained_') as "GPT-2 XL",
  sum(right) filter (where file = 'grnn_') as GRNN
from by_suite group by suite;

/* table: distilgpt2: surprisals of regions
|                       | items |
| subordination_src-src |    23 |
| number_prep           |    19 |
| cleft_modifier        |     1 |
| npz_ambig             |     1 |
| number_orc            |     1 |
*/
select suite.key, json_array_length(suite.value) as items from surprisals, json_each(object, '$.suites') as suite;

/* table: distilgpt2: right items, subordination_src-src
|            | right |    share |
| distilgpt2 |    13 | 0.565217 |
*/
select 'distilgpt2', sum(right) as right, mean(right) as share
from (select c ->> '$.sub_no-matrix[4]' > c ->> '$.no-sub_no-matrix[4]'
         and c ->> '$.sub_matrix[4]' < c ->> '$.no-sub_matrix[4]' as right
      from (select item.value -> '$.conditions' as c
            from surprisals, json_each(object, '$.suites.subordination_src-src') as item));

/* table: distilgpt2: right items, number_prep
|            | right |    share |
| distilgpt2 |    11 | 0.578947 |
*/
select 'distilgpt2', sum(right) as right, mean(right) as share
from (select c ->> '$.match_sing[5]' < c ->> '$.mismatch_sing[5]'
         and c ->> '$.match_plural[5]' < c ->> '$.mismatch_plural[5]' as right
      from (select item.value -> '$.conditions' as c
            from surprisals, json_each(object, '$.suites.number_prep') as item));

/* table: distilgpt2: mean of 31 accuracies
|            |     mean |
| distilgpt2 | 0.516676 |
*/
select 'distilgpt2', mean(value) as mean from distilgpt2, json_each(object, '$.accuracy');

/* table: Mixed model of the suites' accuracies
|                                                                           |           |
| AIC                                                                       |   -589.90 |
| log-likelihood = log_likelihood                                           |    323.95 |
| AIC without words                                                         |   -580.71 |
| log-likelihood without words = log_likelihood without words               |    318.35 |
| chi square of words (1) = chi square of words                             |    11.198 |
| p of words                                                                | 0.0008187 |
| AIC without architecture                                                  |   -573.59 |
| log-likelihood without architecture = log_likelihood without architecture |    311.79 |
| chi square of architecture (4) = chi square of architecture               |    24.317 |
| p of architecture                                                         | 6.901e-05 |
| intercept (GPT-2) = estimate.intercept                                    |  0.474348 |
| s.e. = se.intercept                                                       |  0.054815 |
| log of million words = estimate.words                                     |  0.037631 |
| s.e. of it = se.words                                                     |  0.010630 |
| n-gram = estimate.architecture.ngram                                      | -0.316112 |
| s.e. of n-gram = se.architecture.ngram                                    |  0.071483 |
| ordered neurons = estimate.architecture.ordered-neurons                   | -0.051501 |
| s.e. of ordered neurons = se.architecture.ordered-neurons                 |  0.066393 |
| RNNG = estimate.architecture.rnng                                         | -0.001798 |
| s.e. of RNNG = se.architecture.rnng                                       |  0.062546 |
| LSTM = estimate.architecture.vanilla                                      | -0.195286 |
| s.e. of LSTM = se.architecture.vanilla                                    |  0.055317 |
| variance of instances = variance, sd.instance.intercept                   | 0.0065703 |
| residual variance = variance, sd.residual                                 | 0.0244510 |
| variance of suites = variance, sd.suite.intercept                         | 0.0344967 |
*/
with whole as materialized (
  select key, value from json_each(fit(
    'performance ~ words + architecture + (words + architecture | suite) + (1 | instance)', 'accuracies'))),
less(left_out, key, value) as materialized (
  select 'words', key, value from json_each(fit(
    'performance ~ architecture + (words + architecture | suite) + (1 | instance)', 'accuracies'))
  union all select 'architecture', key, value from json_each(fit(
    'performance ~ words + (words + architecture | suite) + (1 | instance)', 'accuracies'))),
compared as (
  select left_out, 2 * (w.value - l.value) as chi_square, wp.value - lp.value as df
  from whole w join less l using (key) join whole wp join less lp using (left_out)
  where w.key = 'log_likelihood' and wp.key = 'parameters' and lp.key = 'parameters')
select key, value from whole
union all select key || ' without ' || left_out, value from less
union all select 'chi square of ' || left_out, chi_square from compared
union all select 'p of ' || left_out, chi_square_p(chi_square, df) from compared
union all select 'variance, ' || key, value * value from whole where key like 'sd.%';

/* table: The same without random slopes
|                                                         |             |
| log-likelihood = log_likelihood                         | 45.99213498 |
| variance of suites = variance, sd.suite.intercept       |    0.062927 |
| variance of instances = variance, sd.instance.intercept |    0.005573 |
| residual variance = variance, sd.residual               |    0.047031 |
| s.e. of words = se.words                                |    0.009504 |
*/
with fitted as materialized (
  select key, value from json_each(fit(
    'performance ~ words + architecture + (1 | suite) + (1 | instance)', 'accuracies')))
select key, value from fitted
union all select 'variance, ' || key, value * value from fitted where key like 'sd.%';

/* table: Logit mixed model of single items: suites
|                                                  |                  |
| answers = rows                                   |             3995 |
| intercept = estimate.intercept                   |     0.286071 [1] |
| GPT-2 XL = estimate.model.gpt-2-xl-pretrained__0 |     2.509019 [1] |
| RNNG 38435 = estimate.model.rnng_bllip-lg_38435  |     0.363264 [1] |
| RNNG 62488 = estimate.model.rnng_bllip-lg_62488  |     0.095913 [1] |
| RNNG 7245 = estimate.model.rnng_bllip-lg_7245    |     0.071879 [1] |
| s.d. of suites = sd.suite.intercept              |     1.749653 [1] |
| log-likelihood = log_likelihood                  | -1818.831833 [1] |
[1] lme4 (bobyqa) stopped a little short of the maximum: its log-likelihood is smaller
*/
select key, value from json_each(fit('correct / n ~ model + (1 | suite)', 'single_items'));

/* table: Logit mixed model of single items: suites and items
|                                                  |                  |
| intercept = estimate.intercept                   |     0.365395 [1] |
| GPT-2 XL = estimate.model.gpt-2-xl-pretrained__0 |     2.973712 [1] |
| RNNG 38435 = estimate.model.rnng_bllip-lg_38435  |     0.437932 [1] |
| RNNG 62488 = estimate.model.rnng_bllip-lg_62488  |     0.116060 [1] |
| RNNG 7245 = estimate.model.rnng_bllip-lg_7245    |         0.087010 |
| s.d. of suites = sd.suite.intercept              |     2.055881 [1] |
| s.d. of items = sd.suite:item.intercept          |     1.093191 [1] |
| log-likelihood = log_likelihood                  | -1760.196219 [1] |
[1] lme4 (bobyqa) stopped a little short of the maximum: its log-likelihood is smaller
*/
select key, value from json_each(fit('correct / n ~ model + (1 | suite) + (1 | suite:item)', 'single_items'));

/* released:
method: choice
norm: mean
*/
select model, 'en' as language, suite || '/' || item as id, suite as test,
  suite || ' item ' || item as cluster, correct as choice,
  suite || ', item ' || item || ': as predicted' as good, suite || ', item ' || item || ': not as predicted' as bad, place
from results;
