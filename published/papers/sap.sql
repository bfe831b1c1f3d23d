/*
title: SAP benchmark: surprisal at critical words
citation: Kuan-Jung Huang, Suhas Arehalli, Mari Kugemoto, Christian Muxica, Grusha Prasad, Brian Dillon and Tal Linzen
  (2024): Large-scale benchmark yields no evidence that language model surprisal explains syntactic disambiguation
  difficulty. JML.
source: github.com/caplabnyu/sapbenchmark
licence: MIT
*/
create virtual table words using released('*/items_*.*.csv', word_pos integer, token text);
create virtual table agreement using released('*/items_Agreement.*.csv', item text, condition text, disambPosition integer,
  Sentence text, word_pos integer, sum_surprisal real, sum_surprisal_base2 real);
create virtual table garden_paths using released('*/items_ClassicGP.*.csv', item text, condition text,
  disambPosition_0idx integer, Sentence text, word_pos integer, sum_surprisal real);
create virtual table relative_clauses using released('*/items_RelativeClause.*.csv', item text, condition text,
  targetPosition integer, Sentence text, word_pos integer, sum_surprisal real);
create virtual table attachment using released('*/items_AttachmentAmbiguity.*.csv', item text, condition text,
  disambPosition integer, Sentence text, word_pos integer, sum_surprisal real);

/* The critical word of each sentence, and the one after it. Models are called as in items_AttachmentAmbiguity.MODEL.csv. */
create view critical as
select 'Agreement' as test, star as folder, file, item, condition, Sentence, word_pos - disambPosition + 1 as later,
  sum_surprisal as surprisal, sum_surprisal_base2 as bits, place
from agreement
union all select substr(condition, 1, instr(condition, '_') - 1), star, file, item,
  substr(condition, instr(condition, '_') + 1), Sentence, word_pos - disambPosition_0idx, sum_surprisal, null, place
from garden_paths where file not like '%.post'
union all select 'RelativeClause', star, file, item, condition, Sentence, word_pos - targetPosition + 1, sum_surprisal,
  null, place
from relative_clauses
union all select 'Attachment', star, file, item, condition, Sentence, word_pos - disambPosition + 1, sum_surprisal, null, place
from attachment;

create view tested as
select *, substr(file, instr(file, '.') + 1) as model from critical where later in (0, 1);

/* The harder sentence of an item minus the easier one. */
create view differences as
select hard.test, hard.folder, hard.item, hard.later, hard.surprisal - easy.surprisal as difference, hard.bits - easy.bits as bits
from tested hard join tested easy using (test, folder, item, later)
where (hard.condition, easy.condition) in
  (values ('UNAGREE', 'AGREE'), ('AMB', 'UAMB'), ('RC_Obj', 'RC_Subj'));

/* table: Words
|                                                             | rows |
| Agreement, GPT-2 = items_Agreement.gpt2                     |  492 |
| AttachmentAmbiguity, GPT-2 = items_AttachmentAmbiguity.gpt2 | 1317 |
| ClassicGP, GPT-2 = items_ClassicGP.gpt2                     | 1923 |
| RelativeClause, GPT-2 = items_RelativeClause.gpt2           |  570 |
| filler, GPT-2 = items_filler.gpt2                           |  681 |
| plaus, GPT-2 = items_plaus.gpt2                             |  617 |
| Agreement, LSTM = items_Agreement.lstm                      |  492 |
| AttachmentAmbiguity, LSTM = items_AttachmentAmbiguity.lstm  | 1317 |
| ClassicGP, LSTM = items_ClassicGP.lstm                      | 1923 |
| RelativeClause, LSTM = items_RelativeClause.lstm            |  570 |
| filler, LSTM = items_filler.lstm                            |  681 |
| plaus, LSTM = items_plaus.lstm                              |  617 |
*/
select file, count(*) as rows from words group by file;

/* table: Agreement, surprisal of the verb
|              |    AGREE |   UNAGREE | difference | difference, bits | difference one word later |
| GPT-2 = gpt2 | 7.594449 | 12.600900 |   5.006450 |         7.222781 |                 -0.151751 |
| LSTM = lstm  | 8.188672 | 11.858212 |   3.669539 |         5.294026 |                 -0.046403 |
*/
select folder, mean(surprisal) filter (where condition = 'AGREE' and later = 0) as AGREE,
  mean(surprisal) filter (where condition = 'UNAGREE' and later = 0) as UNAGREE, d.*
from tested join (
  select folder, mean(difference) filter (where later = 0) as difference,
    mean(bits) filter (where later = 0) as "difference, bits",
    mean(difference) filter (where later = 1) as "difference one word later"
  from differences where test = 'Agreement' group by folder) as d using (folder)
where test = 'Agreement' group by folder;

/* table: Garden paths, critical word, ambiguous minus unambiguous
|              |     MVRR |      NPS |      NPZ | MVRR, next word | NPS, next word | NPZ, next word |
| GPT-2 = gpt2 | 1.960382 | 1.630127 | 4.789415 |        1.027332 |       0.797451 |       1.013754 |
| LSTM = lstm  | 2.592998 | 2.006964 | 3.796198 |        0.574055 |       1.314844 |       1.025706 |
*/
select folder as row, test || iif(later, ', next word', '') as "column", mean(difference) as value
from differences group by folder, test, later;

/* table: Relative clauses, surprisal of the verb, object minus subject
|              | difference |
| GPT-2 = gpt2 |  -0.480968 |
| LSTM = lstm  |   0.127286 |
*/
select folder, mean(difference) as difference from differences where test = 'RelativeClause' and later = 0 group by folder;

/* table: Attachment, critical word
|              |     High |      Low |    Multi |
| GPT-2 = gpt2 | 8.592437 | 6.967481 | 6.705193 |
| LSTM = lstm  | 6.100546 | 5.551740 | 4.779097 |
*/
select folder as row, substr(condition, 7) as "column", mean(surprisal) as value
from tested where test = 'Attachment' and later = 0 group by folder, condition;

/* table: Agreement: items where the wrong verb is more surprising, of 18
|              | verb | one word later |
| GPT-2 = gpt2 |   18 |              5 |
| LSTM = lstm  |   18 |              8 |
*/
select folder, sum(difference > 0) filter (where later = 0) as verb,
  sum(difference > 0) filter (where later = 1) as "one word later"
from differences where test = 'Agreement' group by folder;

/* table: Garden paths: items where the ambiguous sentence is more surprising, of 24
|              | MVRR | NPS | NPZ | MVRR, next word | NPS, next word | NPZ, next word |
| GPT-2 = gpt2 |   20 |  23 |  24 |              15 |             16 |             13 |
| LSTM = lstm  |   22 |  23 |  23 |              17 |             22 |             22 |
*/
select folder as row, test || iif(later, ', next word', '') as "column", sum(difference > 0) as value
from differences group by folder, test, later;

/* table: Relative clauses: items where the object relative is more surprising, of 24
|              | verb |
| GPT-2 = gpt2 |   11 |
| LSTM = lstm  |   14 |
*/
select folder, sum(difference > 0) as verb from differences where test = 'RelativeClause' and later = 0 group by folder;

/* table: Words that the LSTM does not know
|                                                      | words |
| Agreement = items_Agreement.lstm                     |     0 |
| AttachmentAmbiguity = items_AttachmentAmbiguity.lstm |    70 |
| ClassicGP = items_ClassicGP.lstm                     |     0 |
| RelativeClause = items_RelativeClause.lstm           |     8 |
| filler = items_filler.lstm                           |    15 |
| plaus = items_plaus.lstm                             |     1 |
*/
select file, sum(token like '%<UNK>%') as words from words group by file;

/* released:
method: word-lp
norm: sum
*/
select model, 'en' as language, test || '/' || item as id, test, test || '/' || item as cluster,
  iif(condition in ('AGREE', 'UAMB', 'RC_Subj'), Sentence, null) as good, -surprisal,
  iif(condition in ('UNAGREE', 'AMB', 'RC_Obj'), Sentence, null) as bad, -surprisal, place
from tested where test <> 'Attachment' and later = 0
union all
select model, 'en', condition_tested || '/' || item, condition_tested, 'Attach/' || item,
  iif(condition = 'AttachMulti', Sentence, null), -surprisal, iif(condition = condition_tested, Sentence, null), -surprisal, place
from (select 'AttachHigh' as condition_tested union all select 'AttachLow') cross join tested
where test = 'Attachment' and later = 0 and condition in ('AttachMulti', condition_tested);
