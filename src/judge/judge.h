#pragma once
// What a score means: views (normalisations), verdicts, what a tie is worth, which items and which
// runs count. One policy, obeyed by every table, statistic, comparison and page.
//
//   std::vector<SentenceScore> scores = ...;                       // one per sentence of the item
//   measure(item, Scope::sentence, scores);
//   Verdict verdict = judge(item, scores, find_view("mean"));
//   double worth = points(verdict, {.ties = Ties::right});
//
// tests/judge/judge_test.cpp runs this example.

#include "judge/criterion.h"
#include "judge/method_info.h"
#include "judge/policy.h"
#include "judge/reason.h"
#include "judge/runs.h"
#include "judge/score.h"
#include "judge/verdict.h"
#include "judge/view.h"
