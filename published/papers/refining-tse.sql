/*
title: Newman et al. 2021: all lemmas at the verb's place
citation: Benjamin Newman, Kai-Siang Ang, Julia Gong and John Hewitt (2021): Refining Targeted Syntactic Evaluation of
  Language Models. NAACL.
source: github.com/bnewm0609/refining-tse
licence: MIT
note: The released verb list has `_` in every row of `idx`, by which the released program stores lemmas: run as it stands it
  would keep one lemma. The printed numbers need each row as its own lemma, and a longer list than the released one.
no items: they have sentences and the printed table
*/
create virtual table labels using released('ML/*_all.jsonl', object text);
create virtual table items using released('ML/*_all.jsonl', format=items, "left.0" text null, "right.0" text null);

/* table: Main table
needs: the four models, and the longer list of verbs
|                                  | BERT cased, MW | BERT cased, EW | BERT cased, TSE | BERT uncased, MW | BERT uncased, EW | BERT uncased, TSE | GPT-2 XL, MW | GPT-2 XL, EW | GPT-2 XL, TSE | RoBERTa, MW | RoBERTa, EW | RoBERTa, TSE |
| Simple                           |           0.99 |           0.94 |            1.00 |             0.98 |             0.90 |              1.00 |         0.90 |         0.86 |          1.00 |        0.98 |        0.93 |         1.00 |
| In a sentential complement       |           0.92 |           0.67 |            0.89 |             0.92 |             0.60 |              0.86 |         0.96 |         0.65 |          0.89 |        0.92 |        0.67 |         0.88 |
| VP coordination                  |           0.91 |           0.89 |            0.90 |             0.93 |             0.90 |              0.90 |         0.89 |         0.87 |          0.97 |        0.93 |        0.90 |         0.93 |
| Across prepositional phrase      |           0.91 |           0.83 |            0.93 |             0.83 |             0.75 |              0.85 |         0.84 |         0.76 |          0.96 |        0.87 |        0.83 |         0.89 |
| Across subject relative clause   |           0.87 |           0.84 |            0.84 |             0.88 |             0.84 |              0.85 |         0.82 |         0.77 |          0.97 |        0.76 |        0.72 |         0.80 |
| Across object relative clause    |           0.91 |           0.88 |            0.91 |             0.86 |             0.80 |              0.85 |         0.95 |         0.89 |          0.99 |        0.88 |        0.85 |         0.91 |
| Across object relative (no that) |           0.92 |           0.88 |            0.90 |             0.79 |             0.72 |              0.81 |         0.95 |         0.89 |          0.99 |        0.86 |        0.82 |         0.89 |
| In object relative clause        |           0.93 |           0.95 |            0.97 |             0.95 |             0.97 |              0.99 |         0.91 |         0.88 |          0.98 |        0.89 |        0.91 |         0.97 |
| In object relative (no that)     |           0.90 |           0.91 |            0.92 |             0.81 |             0.82 |              0.82 |         0.91 |         0.88 |          0.97 |        0.82 |        0.83 |         0.90 |
| BLiMP                            |           0.81 |           0.73 |            0.90 |             0.78 |             0.69 |              0.85 |         0.82 |         0.75 |          0.91 |        0.70 |        0.66 |         0.78 |
*/

/* table: The released pairs
|                               | pairs | right verb is singular |
| simple_agrmt                  |   140 |                     70 |
| sent_comp                     |  1680 |                    840 |
| vp_coord                      |   840 |                    420 |
| prep_inanim                   |  5040 |                   2520 |
| subj_rel                      | 11200 |                   5600 |
| obj_rel_across_inanim         | 10080 |                   5040 |
| obj_rel_no_comp_across_inanim | 10080 |                   5040 |
| obj_rel_within_inanim         | 10080 |                   5040 |
| obj_rel_no_comp_within_inanim | 10080 |                   5040 |
*/
select star, count(*) filter (where object ->> '$.label' < 0) as pairs,
  count(*) filter (where object ->> '$.label' = -1) as "right verb is singular"
from labels group by star;

/* table: Contexts of the verb, left and right
|                               | contexts |
| simple_agrmt                  |      100 |
| sent_comp                     |     1200 |
| vp_coord                      |      620 |
| prep_inanim                   |     5040 |
| subj_rel                      |     8000 |
| obj_rel_across_inanim         |    10080 |
| obj_rel_no_comp_across_inanim |    10080 |
| obj_rel_within_inanim         |     2520 |
| obj_rel_no_comp_within_inanim |     2520 |
*/
select star, count(distinct coalesce("left.0", '') || '_' || coalesce("right.0", '')) as contexts from items group by star;
