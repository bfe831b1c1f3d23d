/*
title: Natural Stories: GPT-3's surprisal and reading times
citation: Richard Futrell, Edward Gibson, Harry J. Tily, Idan Blank, Anastasia Vishnevetsky, Steven T. Piantadosi and Evelina
  Fedorenko (2021): The Natural Stories corpus: a reading-time corpus of English texts containing rare syntactic
  constructions. Language Resources and Evaluation.
source: github.com/languageMIT/naturalstories
licence: CC-BY-NC-SA-4.0
note: The release of May 2025, in which reading times were moved by one word. Surprisals are sums over GPT-3's pieces; the
  first word of each story has none. Regressions are over means of each word.
no items: they have words of running text; minpair reading-times is for these
*/
create virtual table pieces using released('all_stories_gpt3.csv', token text null, logprob real null, story integer);
create virtual table times using released('processed_wordinfo.tsv', format=tsv-plain, zone integer, item integer,
  nItem real, meanItemRT real);
create virtual table frequencies using released('freqs/freqs-1.tsv', format=tsv-plain, header=none, code text, n text,
  token text null, count real, total text null);

/* Pieces of the tokenizer become words: one begins where a piece begins with white space. Its surprisal is the sum of its
   pieces'; the first piece of a story has none. */
create view words as
select story + 1 as item, row_number() over (partition by story order by word) as zone,
  iif(count(logprob) = count(*), -sum(logprob) filter (where logprob is not null), null) as surprisal, count(*) as pieces,
  length(group_concat(trim(token, ' ' || char(10)), '')) as size
from (select *, count(*) filter (where token like ' %' or last like '% ' or last like '%' || char(10))
        over (partition by story order by number) as word
      from (select *, number, lag(token) over (partition by story order by number) as last from pieces))
where trim(token, ' ' || char(10)) <> '' group by story, word;

create view timed as
select w.*, t.meanItemRT as time from words w join times t using (item, zone) where surprisal is not null;

/* With log frequencies, and of the word before; only where both words are in the corpus of frequencies. */
create view regression as
select * from (
  select time, size, frequency, surprisal, zone - lag(zone) over story as distance, lag(size) over story as before_size,
    lag(frequency) over story as before_frequency, lag(surprisal) over story as before_surprisal
  from (select w.*, ln(f.count) as frequency
        from timed w join frequencies f on f.code = w.item || '.' || w.zone || '.word' where f.count > 0)
  window story as (partition by item order by zone))
where distance = 1;

/* table: Words and pieces
|                   |          |
| words of story 1  |     1073 |
| words of story 2  |      990 |
| words of story 3  |     1040 |
| words of story 4  |     1085 |
| words of story 5  |     1013 |
| words of story 6  |     1099 |
| words of story 7  |      999 |
| words of story 8  |      980 |
| words of story 9  |     1038 |
| words of story 10 |      939 |
| pieces            |    12373 |
| pieces of a word  | 1.206416 |
| most              |        7 |
*/
select 'words of story ' || item, count(*) from words group by item
union all select 'pieces', sum(pieces) from words
union all select 'pieces of a word', mean(pieces) from words
union all select 'most', max(pieces) from words;

/* table: Surprisal of GPT-3 and reading times
|                        |             |
| words                  |       10246 |
| mean, nats             |    2.445773 |
| mean, bits             |    3.528505 |
| sum, story 1           | 2717.763445 |
| sum, story 2           | 2964.765552 |
| sum, story 3           | 2720.313945 |
| Pearson with the time  |    0.212108 |
| Spearman with the time |    0.179298 |
| Pearson, story 1       |    0.263685 |
| Pearson, story 2       |    0.199036 |
| Pearson, story 3       |    0.268914 |
*/
with known as materialized (select * from timed)
select 'words', count(*) from known
union all select 'mean, nats', mean(surprisal) from known
union all select 'mean, bits', mean(surprisal / ln(2)) from known
union all select 'sum, story ' || item, sum(surprisal) from known group by item
union all select 'Pearson with the time', pearson(surprisal, time) from known
union all select 'Spearman with the time', spearman(surprisal, time) from known
union all select 'Pearson, story ' || item, pearson(surprisal, time) from known group by item;

/* table: The time of the next word
|         |          |
| Pearson | 0.115345 |
*/
select 'Pearson', pearson(before, time)
from (select time, zone - lag(zone) over story as distance, lag(surprisal) over story as before
      from timed window story as (partition by item order by zone))
where distance = 1;

/* table: Reading times
|                     |            |
| mean                | 338.511895 |
| weighted by readers | 338.238871 |
| readings            |     848767 |
*/
select mean(meanItemRT) as mean, sum(meanItemRT * nItem) / sum(nItem) as "weighted by readers", sum(nItem) as readings from times;

/* table: Least squares: length, frequency, those of the word before
|                                 |             |
| words = rows                    |       10201 |
| R² = R2                         |    0.142317 |
| log-likelihood = log_likelihood | -52384.7633 |
*/
select key, value from json_each(fit('time ~ size + frequency + before_size + before_frequency', 'regression'));

/* table: Least squares: and surprisal, that of the word before
|                                                  |             |
| R² = R2                                          |    0.158348 |
| log-likelihood = log_likelihood                  | -52288.5258 |
| constant = estimate.intercept                    |  357.094533 |
| length = estimate.size                           |    3.951498 |
| frequency = estimate.frequency                   |   -1.762585 |
| previous length = estimate.before_size           |    1.720960 |
| previous frequency = estimate.before_frequency   |   -1.117885 |
| surprisal = estimate.surprisal                   |    1.915229 |
| s.e. of it = se.surprisal                        |    0.172150 |
| previous surprisal = estimate.before_surprisal   |    1.242624 |
| s.e. of previous surprisal = se.before_surprisal |    0.171864 |
*/
select key, value from json_each(fit(
  'time ~ size + frequency + before_size + before_frequency + surprisal + before_surprisal', 'regression'));

/* table: Least squares: surprisal alone, and that of the word before
|                                                |          |
| surprisal = estimate.surprisal                 | 3.583029 |
| previous surprisal = estimate.before_surprisal | 1.705780 |
| R² = R2                                        | 0.053139 |
*/
select key, value from json_each(fit('time ~ surprisal + before_surprisal', 'regression'));
