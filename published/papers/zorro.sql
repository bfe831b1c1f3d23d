/*
title: Zorro: RoBERTa-base on child-directed paradigms
citation: Philip A. Huebner, Elior Sulem, Cynthia Fisher and Dan Roth (2021): BabyBERTa: Learning more grammar with
  small-scale child-directed language. CoNLL.
source: github.com/phueb/Zorro
licence: MIT
*/
create virtual table lines using released('*/probing_*_results_*.txt', format=lines, line text);

/* "the sentence 7.1234", a mean cross-entropy: lower is better. Two lines are a pair, the bad sentence first. */
create view scored as
select star as model, substr(file, 9, instr(file, '_results_') - 9) as paradigm, file, number, trim(text) as text,
  number(substr(line, length(text) + 1)) as score, place
from (select *, star, file, number, place, rtrim(line, replace(line, ' ', '')) as text
      from (select trim(line) as line, star, file, number, place from lines));

create view pairs as
select b.model, b.paradigm, b.file, g.text as good, g.score as good_score, b.text as bad, b.score as bad_score,
  (g.score < b.score) + 0.5 * (g.score = b.score) as worth, b.place
from scored b left join scored g on g.model = b.model and g.file = b.file and g.number = b.number + 1
where b.number % 2 = 1;

/* table: RoBERTa-base, mean cross-entropy of the unmasked sentence (no table was printed with this version of the data)
run: accuracy, ties one half | FacebookAI/roberta-base | sentences | ce
row: test
|                                                    | right | ties | accuracy, ties one half |
| agreement_determiner_noun-between_neighbors        |  1698 |    1 |                 0.84925 |
| agreement_subject_verb-across_prepositional_phrase |  1468 |    0 |                 0.73400 |
| agreement_subject_verb-across_relative_clause      |  1785 |    1 |                 0.89275 |
| agreement_subject_verb-in_simple_question          |  1907 |    2 |                 0.95400 |
| argument_structure-dropped_argument                |  1058 |   11 |                 0.53175 |
| argument_structure-swapped_arguments               |  1262 |    0 |                 0.63100 |
| binding-principle_a                                |  1877 |    0 |                 0.93850 |
| case-subjective_pronoun                            |  1503 |    2 |                 0.75200 |
| ellipsis-n_bar                                     |  1647 |    0 |                 0.82350 |
| filler-gap-wh_question_object                      |  1660 |    0 |                 0.83000 |
| irregular-verb                                     |  1998 |    0 |                 0.99900 |
| island-effects-adjunct_island                      |  1416 |    0 |                 0.70800 |
| local_attractor-in_question_with_aux               |  1788 |    0 |                 0.89400 |
| npi_licensing-only_npi_licensor                    |  1790 |    0 |                 0.89500 |
| quantifiers-existential_there                      |  1665 |    2 |                 0.83300 |
*/
select paradigm, sum(good_score < bad_score) as right, sum(good_score = bad_score) as ties,
  mean(worth) as "accuracy, ties one half"
from pairs where model = 'roberta-base' and file like '%_500000' group by paradigm;

/* table: All 15 paradigms
|              | mean of 15 accuracies |
| RoBERTa-base |              0.817717 |
*/
select 'RoBERTa-base', mean(accuracy) as "mean of 15 accuracies"
from (select mean(worth) as accuracy from pairs where model = 'roberta-base' and file like '%_500000' group by paradigm);

/* table: Sentences that occur again
|                                     | sentences |
| argument_structure-dropped_argument |       133 |
| quantifiers-existential_there       |        28 |
*/
select paradigm, count(*) - count(distinct text) as sentences
from scored where model = 'roberta-base' and file like '%_500000' group by paradigm;

/* released:
method: ce
norm: mean
*/
select model, 'en' as language, paradigm as test, good, -good_score, bad, -bad_score, place from pairs;
