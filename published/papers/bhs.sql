/*
title: Basque, Hindi, Swahili: 18 models and people
citation: Daria Kryvosheieva and Roger Levy (2025): Controlled evaluation of syntactic knowledge in multilingual language
  models.
source: github.com/dariakryvosheieva/syntactic_generalization_multilingual
licence: none stated
no items: they have accuracies of whole suites
*/
create virtual table results using released('results.csv', model text, "#" real);

/* table: Means over suites
|            |      all |   Basque |    Hindi |  Swahili |
| human      | 0.827000 | 0.882500 | 0.836667 | 0.743333 |
| mGPT-1.3B  | 0.809350 | 0.926000 | 0.929000 | 0.534167 |
| bloom-560m | 0.589900 | 0.492500 | 0.851333 | 0.458333 |
| xglm-564M  | 0.708050 | 0.796500 | 0.844333 | 0.453833 |
| mbert      | 0.558700 | 0.555375 | 0.606167 | 0.515667 |
| xlmr-base  | 0.642050 | 0.591250 | 0.837167 | 0.514667 |
*/
select model, mean("#") as "all", mean("#") filter (where over like 'basque-%') as Basque,
  mean("#") filter (where over like 'hindi-%') as Hindi, mean("#") filter (where over like 'swahili-%') as Swahili
from results group by model;

/* table: Clopper and Pearson's intervals for n = 1000
|     |     from |       to |
| 408 | 0.377349 | 0.439195 |
| 850 | 0.826342 | 0.871575 |
| 996 | 0.989790 | 0.998909 |
*/
select column1, exact_low(column1, 1000) as "from", exact_high(column1, 1000) as "to" from (values (408), (850), (996));
