/*
title: does-bert-agree: four kinds of agreement in 26 languages
citation: Geoff Bacon and Terry Regier (2019): Does BERT agree? Evaluating knowledge of structure dependence through
  agreement relations. arXiv:1908.09892.
source: github.com/geoffbacon/does-bert-agree
folder:
*/

/* table: Table 1: cloze examples
needs: UD 2.4 and UniMorph of June 2019 of all languages; `minpair extract` makes the examples (Afrikaans, which is at hand,
  comes out: 2,304)
|                       | examples |
| attributive adjective |   351300 |
| determiner            |   349073 |
| subject-verb          |   253820 |
| predicate adjective   |    26696 |
*/

/* table: Table 1: total
|       | examples |
| total |   980889 |
*/
select 'total', sum(value) as examples from printed where title = 'Table 1: cloze examples';

/* table: Table 2: languages
needs: UD 2.4 and UniMorph of June 2019 of all languages; `minpair extract` makes the examples (Afrikaans, which is at hand,
  comes out: 2,304)
|            | examples | feature bundles |
| Russian    |   144458 |            2404 |
| Italian    |   137268 |            2479 |
| French     |   117769 |            3384 |
| Catalan    |    88053 |            1753 |
| English    |    60060 |            6743 |
| Dutch      |    52569 |            1531 |
| Latin      |    50053 |            1044 |
| Polish     |    47513 |            2011 |
| Portuguese |    47038 |            2107 |
| Finnish    |    36705 |            1167 |
| Romanian   |    29746 |            1330 |
| Norwegian  |    29059 |            1393 |
| Hindi      |    22959 |             402 |
| Croatian   |    21835 |            1141 |
| Persian    |    14238 |             985 |
| Greek      |    14017 |             216 |
| Ukrainian  |    13929 |            1206 |
| Swedish    |    10889 |            1611 |
| Hebrew     |    10809 |             338 |
| Danish     |     9432 |            1330 |
| Urdu       |     8139 |             547 |
| Basque     |     4132 |             267 |
| Turkish    |     3155 |             846 |
| Irish      |     3030 |             259 |
| Afrikaans  |     2304 |             365 |
| Armenian   |     1434 |             211 |
*/

/* table: Table 2: total
|                        |   examples |
| the same as in Table 1 | 980889 [1] |
[1] the languages of Table 2 have 296 examples fewer than Table 1 says
*/
select 'the same as in Table 1', sum(value) as examples from printed
where title = 'Table 2: languages' and "column" = 'examples';

/* table: Section 5
needs: bert-base-cased and bert-base-multilingual-cased on all examples; the figures have no numbers
|                       | per cent |
| right of all examples |     94.3 |
*/
