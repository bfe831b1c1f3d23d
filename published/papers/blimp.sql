/*
title: BLiMP: four models and the people
citation: Alex Warstadt, Alicia Parrish, Haokun Liu, Anhad Mohananey, Wei Peng, Sheng-Fu Wang and Samuel R. Bowman (2020):
  BLiMP: The Benchmark of Linguistic Minimal Pairs for English. TACL.
source: github.com/alexwarstadt/blimp
licence: CC-BY-4.0
folder: blimp-human
*/
create virtual table summary using released('models_summary.jsonl', object text);
create virtual table people using released('human_validation_summary.csv', Condition text, accepted real, total_mean real);
create virtual table responses using released('human_responses.csv.xz', AssignmentStatus text, anonCode text,
  "Input.item_#_condition" text, "Input.field_#_1" text, "Input.field_#_2" text, "Answer.Choice#" text null);

create view models as
select object ->> '$.UID' as UID, object ->> '$.linguistics_term' as phenomenon, object ->> '$.ngram' as ngram,
  object ->> '$.lstm' as lstm, object ->> '$.txl' as txl, object ->> '$.gpt2' as gpt2
from summary;

/* An item is called PARADIGMans1 or PARADIGMans2: which of its two sentences is the good one. */
create view answers as
select substr(item, 1, length(item) - 4) as paradigm, substr(item, -1) = '1' as first_is_good, one, two, choice,
  coalesce(choice, '') like substr(item, -1) || '.%' as right,
  anonCode, AssignmentStatus = 'Approved' as approved, number, over, place
from (select "Input.item_#_condition" as item, "Input.field_#_1" as one, "Input.field_#_2" as two, "Answer.Choice#" as choice,
        AssignmentStatus, anonCode, number, over, place from responses);

create view valid as select * from answers where paradigm <> 'attnchk' and approved and choice is not null;

create view pairs as
select paradigm, mean(right) as share, count(*) as answers from valid group by paradigm, one, two;

/* table: models_summary.jsonl: means of paradigms by phenomenon
|                           |        ngram |         lstm |          txl |         gpt2 |
| anaphor_agreement         |        0.479 |        0.917 |        0.941 |        0.993 |
| argument_structure        | 0.7188888889 | 0.7316666667 | 0.7215555556 | 0.8177777778 |
| binding                   | 0.6441428571 | 0.7347142857 | 0.7468571429 | 0.8094285714 |
| control_raising           |       0.6848 |         0.67 |       0.7148 |       0.8192 |
| determiner_noun_agreement |       0.7005 |        0.854 |     0.830125 |      0.95825 |
| ellipsis                  |        0.369 |        0.676 |       0.7715 |       0.8935 |
| filler_gap_dependency     |        0.602 | 0.7388571429 |        0.666 | 0.8127142857 |
| irregular_forms           |        0.795 |       0.8905 |       0.7815 |        0.919 |
| island_effects            |     0.572375 |      0.46575 |     0.483375 |      0.72725 |
| npi_licensing             | 0.4552857143 | 0.5165714286 | 0.5522857143 | 0.7682857143 |
| quantifiers               |        0.535 |      0.64475 |        0.693 |      0.79025 |
| subject_verb_agreement    |        0.603 | 0.8006666667 |       0.7595 |       0.8635 |
*/
select phenomenon, mean(ngram) as ngram, mean(lstm) as lstm, mean(txl) as txl, mean(gpt2) as gpt2
from models where UID <> 'overall' group by phenomenon;

/* table: models_summary.jsonl: all 67 paradigms
|         |        ngram |        lstm |          txl |        gpt2 |
| overall | 0.6124029851 | 0.698119403 | 0.6962537313 | 0.830238806 |
*/
select 'overall', mean(ngram) as ngram, mean(lstm) as lstm, mean(txl) as txl, mean(gpt2) as gpt2
from models where UID <> 'overall';

/* table: human_validation_summary.csv
|                                                   |          |
| mean of 69 conditions                             | 0.874142 |
| mean of the 67 released paradigms                 | 0.885546 |
| aggregate agreement of the 67 (the paper: 96.4 %) | 0.964179 |
*/
select mean(total_mean) as "mean of 69 conditions",
  mean(total_mean) filter (where released) as "mean of the 67 released paradigms",
  sum(accepted) filter (where released) / 335 as "aggregate agreement of the 67 (the paper: 96.4 %)"
from (select *, Condition not in ('wh_questions_object_gap_long_distance',
        'coordinate_structure_constraint_subject_extraction') as released from people);

/* table: human_validation_summary.csv from the single answers
|                                                     |            total_mean |  count | accepted |
| adjunct_island                                      |                  0.94 |    100 |        5 |
| anaphor_gender_agreement                            |                  0.96 |    100 |        5 |
| anaphor_number_agreement                            |                  0.99 |    100 |        5 |
| animate_subject_passive                             |                  0.86 |     99 |        4 |
| animate_subject_trans                               |                  0.87 |    100 |        5 |
| causative                                           |                  0.98 |    100 |        5 |
| complex_NP_island                                   |     0.804444444444444 |     98 |        5 |
| coordinate_structure_constraint_complex_left_branch |                   0.9 |    100 |        5 |
| coordinate_structure_constraint_object_extraction   |     0.908947368421053 |     99 |        5 |
| coordinate_structure_constraint_subject_extraction  |     0.514210526315789 |     99 |        1 |
| determiner_noun_agreement_1                         |     0.957836257309941 |     97 |        5 |
| determiner_noun_agreement_2                         |     0.948947368421053 |     99 |        5 |
| determiner_noun_agreement_irregular_1               |                  0.92 |    100 |        5 |
| determiner_noun_agreement_irregular_2               |                  0.85 |    100 |        5 |
| determiner_noun_agreement_with_adj_2                |                  0.96 | 99 [1] |        5 |
| determiner_noun_agreement_with_adj_irregular_1      |     0.937777777777778 |     98 |        5 |
| determiner_noun_agreement_with_adj_irregular_2      |                  0.85 |    100 |        5 |
| determiner_noun_agreement_with_adjective_1          |                  0.95 |    100 |        5 |
| distractor_agreement_relational_noun                |                  0.81 |    100 |        5 |
| distractor_agreement_relative_clause                | 0.856842105263158 [1] | 98 [1] |        5 |
| drop_argument                                       |     0.868947368421053 |     99 |        5 |
| ellipsis_n_bar_1                                    |                  0.92 |    100 |        5 |
| ellipsis_n_bar_2                                    |                  0.78 |    100 |        5 |
| existential_there_object_raising                    |     0.898421052631579 |     99 |        5 |
| existential_there_quantifiers_1                     |                  0.94 |    100 |        5 |
| existential_there_quantifiers_2                     |     0.764210526315789 |     99 |        4 |
| existential_there_subject_raising                   |                  0.88 |    100 |        5 |
| expletive_it_object_raising                         |     0.856842105263158 |     98 |        5 |
| inchoative                                          |                  0.82 |    100 |        4 |
| intransitive                                        |                   0.9 |    100 |        5 |
| irregular_past_participle_adjectives                |                  0.99 |    100 |        5 |
| irregular_past_participle_verbs                     |                  0.95 |    100 |        5 |
| irregular_plural_subject_verb_agreement_1           |                  0.94 |    100 |        5 |
| irregular_plural_subject_verb_agreement_2           |                  0.95 |    100 |        5 |
| left_branch_island_echo_question                    |                  0.91 |    100 |        5 |
| left_branch_island_simple_question                  |                  0.99 |    100 |        5 |
| matrix_question_npi_licensor_present                |                  0.98 |    100 |        5 |
| npi_present_1                                       |                  0.83 |    100 |        5 |
| npi_present_2                                       |                  0.98 | 99 [1] |        5 |
| only_npi_licensor_present                           |                  0.92 |    100 |        5 |
| only_npi_scope                                      |                  0.72 |    100 |        5 |
| passive_1                                           |                  0.95 |    100 |        5 |
| passive_2                                           |                  0.86 |     99 |        4 |
| principle_A_c_command                               |                  0.86 |    100 |        5 |
| principle_A_case_1                                  |                  0.98 |    100 |        5 |
| principle_A_case_2                                  |                  0.96 |    100 |        5 |
| principle_A_domain_1                                |                  0.95 |    100 |        5 |
| principle_A_domain_2                                |                  0.75 |    100 |        4 |
| principle_A_domain_3                                |     0.828947368421053 |     99 |        4 |
| principle_A_reconstruction                          |                  0.78 |    100 |        4 |
| regular_plural_subject_verb_agreement_1             |                  0.95 |    100 |        5 |
| regular_plural_subject_verb_agreement_2             |                  0.95 |    100 |        5 |
| sentential_negation_npi_licensor_present            | 0.927894736842105 [1] | 98 [1] |        5 |
| sentential_negation_npi_scope                       |                  0.81 |    100 |        5 |
| sentential_subject_island                           |     0.606315789473684 |     99 |        4 |
| superlative_quantifiers_1                           |                  0.91 |    100 |        5 |
| superlative_quantifiers_2                           |                  0.85 |    100 |        5 |
| tough_vs_raising_1                                  |                  0.75 |    100 |        4 |
| tough_vs_raising_2                                  |                  0.81 |    100 |        4 |
| transitive                                          |                  0.99 |    100 |        5 |
| wh_island                                           |                  0.73 |    100 |        5 |
| wh_questions_object_gap                             |                  0.85 |    100 |        5 |
| wh_questions_object_gap_long_distance               |                  0.47 |    100 |        2 |
| wh_questions_subject_gap                            |                  0.98 |    100 |        5 |
| wh_questions_subject_gap_long_distance              |     0.848888888888889 |     98 |        5 |
| wh_vs_that_no_gap                                   |                  0.97 |    100 |        5 |
| wh_vs_that_no_gap_long_distance                     |     0.919473684210526 |     99 |        5 |
| wh_vs_that_with_gap                                 |                  0.77 |    100 |        4 |
| wh_vs_that_with_gap_long_distance                   |     0.746842105263158 |     99 |        4 |
[1] one answer more in the raw file
*/
select paradigm, mean(share) as total_mean, sum(answers) as count, sum(share > 0.5) as accepted from pairs group by paradigm;

/* table: Single answers
|                                                   |          |
| mean of the 67 released paradigms                 |   0.8856 |
| aggregate agreement of the 67 (the paper: 96.4 %) | 0.964179 |
*/
select mean(total_mean) as "mean of the 67 released paradigms",
  sum(accepted) / 335 as "aggregate agreement of the 67 (the paper: 96.4 %)"
from (select mean(share) as total_mean, sum(share > 0.5) as accepted from pairs
      where paradigm not in ('wh_questions_object_gap_long_distance', 'coordinate_structure_constraint_subject_extraction',
        'subject_island')
      group by paradigm);

/* table: Attention checks
|                 |    right |
| all assignments | 0.994839 |
*/
select 'all assignments', mean(right) as right from answers where paradigm = 'attnchk';

/* released:
suite: blimp
method: choice
norm: mean
*/
select 'people' as model, 'en' as language, paradigm || '/' || one || '/' || two as id, paradigm as test,
  anonCode as person, iif(first_is_good, one, two) as good, iif(first_is_good, two, one) as bad, right as choice, place
from valid order by number, over;
