/*
title: Lakretz et al. 2019: number in an LSTM
citation: Yair Lakretz, Germán Kruszewski, Théo Desbordes, Dieuwke Hupkes, Stanislas Dehaene and Marco Baroni (2019): The
  emergence of number and syntax units in LSTM language models. NAACL.
source: github.com/FAIRNS/Number_and_syntax_units_in_LSTM_LMs
licence: none stated
note: The scores are Python pickles and are read as data. The paper prints accuracies of models with single units removed;
  those are not among the files.
*/
create virtual table nounpp using released('nounpp.abl', format=items, id text, condition text, "score.0" real, "score.1" real);
create virtual table tasks using released('NA_tasks/*.txt', format=items, id text);

/* table: The whole LSTM on nounpp (subject, attractor)
|                                        | right | mean difference | pairs |
| singular, singular = singular_singular |   989 |          2.8011 |  1000 |
| singular, plural = singular_plural     |   867 |          1.2932 |  1000 |
| plural, singular = plural_singular     |   930 |          1.5738 |  1000 |
| plural, plural = plural_plural         |   987 |          2.4363 |  1000 |
| all                                    |  3773 |                 |  4000 |
*/
select condition, sum("score.0" > "score.1") as right, mean("score.0" - "score.1") as "mean difference", count(*) as pairs
from nounpp group by condition
union all select 'all', sum("score.0" > "score.1"), mean("score.0" - "score.1"), count(*) from nounpp;

/* table: All conditions
|        | accuracy |
| nounpp |  0.94325 |
*/
select 'nounpp', mean("score.0" > "score.1") as accuracy from nounpp;

/* table: The first item
|        |   right form |   wrong form |
| nounpp | -10.58398628 | -11.72133827 |
*/
select 'nounpp', "score.0" as "right form", "score.1" as "wrong form" from nounpp where id = 'nounpp/1';

/* table: Number-agreement tasks: pairs
|                 | pairs |
| simple          |   600 |
| adv             |  1800 |
| adv_adv         |  1800 |
| adv_conjunction |  1200 |
| namepp          |  1800 |
| nounpp          |  2400 |
| nounpp_adv      |  2400 |
*/
select file, count(*) as pairs from tasks group by file;
