/*
title: Gulordava et al. 2018, Russian
citation: Kristina Gulordava, Piotr Bojanowski, Edouard Grave, Tal Linzen and Marco Baroni (2018): Colorless Green Recurrent
  Networks Dream Hierarchically. NAACL.
source: github.com/facebookresearch/colorlessgreenRNNs
licence: CC-BY-NC-4.0
folder: gulordava-more
*/
create virtual table items using released('generated.ru.gold', format=tsv-plain, header=none, pattern text, constr_id text,
  sent_id integer, target text, pos text, features text null, "right" text, wrong text, lemma text, cue text, cue_pos text,
  prefix text null);

/* table: The items (scores were not released)
|                        |      |
| original sentences     |  442 |
| nonce sentences        | 3978 |
| right form is singular | 2430 |
| two equal forms        |   19 |
| patterns               |   20 |
*/
select count(*) filter (where sent_id = 0) as "original sentences", count(*) filter (where sent_id > 0) as "nonce sentences",
  count(*) filter (where features like '%Number=Sing%') as "right form is singular",
  count(*) filter (where "right" = wrong) as "two equal forms", count(distinct pattern) as patterns
from items;
