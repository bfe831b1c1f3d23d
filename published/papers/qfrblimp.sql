/*
title: QFrBLiMP: Quebec-French pairs, twelve models, twelve people
citation: David Beauchemin et al. (2026): QFrBLiMP: a Quebec-French benchmark of linguistic minimal pairs.
source: github.com/davebulaval/QFrBLiMP
licence: CC-BY-NC-SA-4.0
*/
create virtual table predictions using released('predictions/*_predictions.tsv', id text, sentence_good text,
  sentence_bad text, category text, type text, minimal_pair_comparison real);
create virtual table annotations using released('annotations.tsv', id text, sentence_a text, sentence_b text, category text,
  type text, "annotator_#" real);

/* A vote is 1 against the good sentence. Annotator 15 is left out. */
create view votes as
select id, type, category, sentence_a, sentence_b, over as annotator, "annotator_#" as vote, place
from annotations where over <> '15';

create view pairs as
select id, type, sum(vote) as against, sum(vote) filter (where annotator = '1') as first, mean(1 - vote) as share
from votes group by id, type;

/* table: result_fr.tsv
|                                                                                 | right of 1,761 | per cent |
| almanach/camembert-base = almanach_camembert-base                               |           1005 |    57.07 |
| almanach/camembert-large = almanach_camembert-large                             |            949 |    53.89 |
| dbmdz/bert-base-french-europeana-cased = dbmdz_bert-base-french-europeana-cased |           1084 |    61.56 |
| FacebookAI/xlm-roberta-base = FacebookAI_xlm-roberta-base                       |            897 |    50.94 |
| gpt2                                                                            |           1032 |    58.60 |
| bigscience/bloom-560m = bigscience_bloom-560m                                   |           1506 |    85.52 |
| HuggingFaceTB/SmolLM2-135M = HuggingFaceTB_SmolLM2-135M                         |           1193 |    67.75 |
| google/flan-t5-small = google_flan-t5-small                                     |            909 |    51.62 |
| unsloth/Qwen2.5-0.5B-bnb-4bit = unsloth_Qwen2.5-0.5B-bnb-4bit                   |           1462 |    83.02 |
| unsloth/Llama-3.2-1B-bnb-4bit = unsloth_Llama-3.2-1B-bnb-4bit                   |           1499 |    85.12 |
| OpenLLM-France/Lucie-7B = OpenLLM-France_Lucie-7B                               |           1585 |    90.01 |
| unsloth/gemma-2-2b-bnb-4bit = unsloth_gemma-2-2b-bnb-4bit                       |           1519 |    86.26 |
*/
select star, sum(minimal_pair_comparison) as "right of 1,761", 100 * mean(minimal_pair_comparison) as "per cent"
from predictions group by star;

/* table: camembert-base by phenomenon
|              | right | pairs |
| type 1 = 1   |    58 |    97 |
| type 2 = 2   |    42 |    95 |
| type 3 = 3   |    44 |    97 |
| type 4 = 4   |    65 |    96 |
| type 5 = 5   |    56 |    99 |
| type 6 = 6   |    41 |    97 |
| type 7 = 7   |    93 |   114 |
| type 8 = 8   |    52 |   106 |
| type 9 = 9   |    40 |   113 |
| type 10 = 10 |    47 |    91 |
| type 11 = 11 |    60 |   100 |
| type 12 = 12 |    64 |   100 |
| type 13 = 13 |    42 |    96 |
| type 14 = 14 |    28 |    97 |
| type 15 = 15 |    55 |    60 |
| type 16 = 16 |    60 |    60 |
| type 17 = 17 |    54 |    60 |
| type 18 = 18 |    58 |    60 |
| type 19 = 19 |    45 |    60 |
| type 20 = 20 |     1 |    63 |
*/
select type, sum(minimal_pair_comparison) as right, count(*) as pairs
from predictions where star = 'almanach_camembert-base' group by type;

/* table: Twelve annotators
|                                             |         |
| per cent of votes for the good sentence     | 85.9502 |
| pairs with a majority for the good sentence |    1644 |
| against it                                  |      68 |
| six to six                                  |      49 |
| accuracy of the majority, ties wrong        |   93.36 |
| ties one half                               |   94.75 |
| ties to the first vote                      |   95.46 |
| best annotator (5)                          |   93.02 |
| worst annotator (6)                         |   73.14 |
*/
select 100 * mean(share) as "per cent of votes for the good sentence",
  sum(against < 6) as "pairs with a majority for the good sentence", sum(against > 6) as "against it",
  sum(against = 6) as "six to six", 100 * mean(against < 6) as "accuracy of the majority, ties wrong",
  100 * mean((against < 6) + 0.5 * (against = 6)) as "ties one half",
  100 * mean(against < 6 or (against = 6 and first = 0)) as "ties to the first vote",
  (select 100 * mean(1 - vote) from votes where annotator = '5') as "best annotator (5)",
  (select 100 * mean(1 - vote) from votes where annotator = '6') as "worst annotator (6)"
from pairs;

/* table: Correlation of right or wrong with the share of good votes
|                                          | Pearson |
| Lucie-7B = OpenLLM-France_Lucie-7B       |  0.4278 |
| bloom-560m = bigscience_bloom-560m       |  0.4035 |
| camembert-base = almanach_camembert-base | -0.0025 |
*/
select star, pearson(minimal_pair_comparison, share) as Pearson from predictions join pairs using (id) group by star;

/* table: Annotators, answer by answer
|                         |          |
| per cent, ties wrong    |    93.36 |
| per cent, ties one half |    94.75 |
| mean pairwise agreement | 0.801327 |
| Fleiss' kappa           | 0.177392 |
| best annotator, 5       |    93.02 |
| worst annotator, 6      |    73.14 |
*/
select 100 * mean(share > 0.5) as "per cent, ties wrong",
  100 * mean((share > 0.5) + 0.5 * (share = 0.5)) as "per cent, ties one half",
  mean(agreement) as "mean pairwise agreement",
  (mean(agreement) - by_chance) / (1 - by_chance) as "Fleiss' kappa",
  (select 100 * mean(1 - vote) from votes where annotator = '5') as "best annotator, 5",
  (select 100 * mean(1 - vote) from votes where annotator = '6') as "worst annotator, 6"
from (select share, ((12 - against) * (11 - against) + against * (against - 1)) / 132 as agreement from pairs),
  (select mean(vote) * mean(vote) + mean(1 - vote) * mean(1 - vote) as by_chance from votes);

/* table: Agreement with the majority, mean of 20 types
|                                  | per cent |
| as printed, from rounded numbers |   86.306 |
*/
select 'as printed, from rounded numbers', mean(value) as "per cent" from printed
where title = 'Agreement with the majority by phenomenon (WAWA)';

/* table: Agreement with the majority by phenomenon (WAWA)
|              | per cent |
| type 1 = 1   |    86.51 |
| type 2 = 2   |    90.09 |
| type 3 = 3   |    93.30 |
| type 4 = 4   |    93.32 |
| type 5 = 5   |    95.54 |
| type 6 = 6   |    92.18 |
| type 7 = 7   |    91.30 |
| type 8 = 8   |    86.56 |
| type 9 = 9   |    78.69 |
| type 10 = 10 |    90.66 |
| type 11 = 11 |    88.25 |
| type 12 = 12 |    96.08 |
| type 13 = 13 |    86.20 |
| type 14 = 14 |    95.79 |
| type 15 = 15 |    75.28 |
| type 16 = 16 |    84.44 |
| type 17 = 17 |    83.75 |
| type 18 = 18 |    75.56 |
| type 19 = 19 |    72.78 |
| type 20 = 20 |    69.84 |
*/
select type, 100 * mean(max(share, 1 - share)) as "per cent" from pairs group by type;

/* table: The human run (Annotateurs_predictions.tsv)
|                                                                | right of 1,761 | per cent |
| majority against annotator_14, not against the authors' answer |           1565 |    88.87 |
*/
select 'majority against annotator_14, not against the authors'' answer', sum(minimal_pair_comparison) as "right of 1,761",
  100 * mean(minimal_pair_comparison) as "per cent"
from predictions where star = 'Annotateurs';

/* released:
method: choice
norm: mean
*/
select star as model, 'fr-CA' as language, id, type as test, category as condition, minimal_pair_comparison as choice,
  sentence_good as good, sentence_bad as bad, place
from predictions where star <> 'Annotateurs';

/* released:
method: choice
norm: mean
*/
select 'people' as model, 'fr-CA' as language, id, type as test, category as condition, 1 - vote as choice,
  'annotator_' || annotator as person, sentence_a as good, sentence_b as bad, place
from votes;
