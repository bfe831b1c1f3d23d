texts <- c("Der Autor lacht.", "Der Autor lachen.", "Der Autor lacht.")

test_that("scores are the sums of words and tokens", {
  scores <- minpair_score(texts, "de-mini", method = "pll", norm = "sum")
  expect_equal(scores[1], scores[3])
  expect_true(scores[1] > scores[2])
  for (rows in list(minpair_tokens(texts, "de-mini", method = "pll"), minpair_words(texts, "de-mini", method = "pll")))
    expect_equal(as.vector(tapply(rows$logprob, rows$text, sum)), scores)
})

test_that("the command line says the same and asks no less", {
  program <- Sys.getenv("MINPAIR_PROGRAM")
  skip_if(program == "", "MINPAIR_PROGRAM does not name the program")
  numbers <- function(lines, pattern) as.numeric(sub(pattern, "\\1", grep(pattern, lines, value = TRUE)))
  for (context in c("", "Peter war da.")) for (method in c("pll", "pll-word-l2r", "masked-word-l2r")) {
    said <- system2(program, c("score", "--json", "-m", "de-mini", "--method", method, "--context", shQuote(context), shQuote(texts[1:2])),
                    stdout = TRUE)
    asked <- 0
    scores <- minpair_score(texts[1:2], "de-mini", method = method, norm = "sum", context = context,
                            progress = function(done, total) asked <<- total)
    expect_identical(scores, numbers(said, "^ *\"sum\": ([-0-9.e]+),$"))
    expect_identical(asked, numbers(said, "^ *\"tokens\": ([0-9]+)$"))
  }
  expect_error(minpair_score(texts[1], "de-mini", method = "masked"), "compares texts at the words in which they differ")
  expect_true(all(is.na(minpair_score(c("", "\u2603"), "de-mini"))))
  expect_identical(minpair_predict("Er [MASK].", "de-mini", context = "Peter war da.")$piece,
                   minpair_predict("Peter war da. Er [MASK].", "de-mini")$piece)
})

test_that("umlauts, NA and mistakes", {
  expect_length(minpair_score(c("Die B\u00fccher fehlen.", "B\u00fccher"), "de-mini", method = "pll"), 2)
  expect_error(minpair_score(NA_character_, "de-mini"), "NA")
  expect_error(minpair_score("a", "de-mini", method = "pl"), "did you mean 'pll'")
  expect_error(minpair_load("none-such"), "none-such")
  expect_error(minpair_load("de-mini", read_as = "causal"), "masked model and nothing else")
  expect_equal(minpair_info(minpair_load("de-mini", read_as = "masked"))$kind, "masked")
  expect_error(minpair_items("none.db"), "no such results file")
})

test_that("models tell about themselves", {
  about <- minpair_info("de-mini")
  expect_equal(about$kind, "masked")
  expect_equal(about$mask, "[MASK]")
  expect_output(print(minpair_load("de-lstm")), "recurrent")
  states <- minpair_states("Der Autor lacht.", "de-mini", layer = 1)
  expect_equal(length(states$state[[1]]), about$hidden)
  best <- minpair_predict("Der Autor [MASK].", "de-mini", best = 3)
  expect_equal(best$rank, 1:3)
  ranks <- minpair_tokens("Der Autor lacht.", "de-mini", method = "pll", rank = TRUE)$rank
  expect_true(all(ranks >= 1 & ranks <= about$vocabulary))
})

test_that("a run becomes a data frame whose means are the report's accuracies", {
  out <- minpair_run("de-agreement", c("de-mini", "de-lstm"), out = tempfile(fileext = ".db"), tests = "simple_sentence", limit = 60)
  items <- minpair_items(out)
  expect_true(is.logical(items$equal_lengths) && is.numeric(items$margin) && is.character(items$good))
  report <- read.csv(text = minpair_report(out, by = "condition", format = "csv", lengths = "all"))
  for (i in seq_len(nrow(report))) {
    mine <- items[items$model == report$model[i] & items$condition == report$condition[i], ]
    expect_equal(mean(mine$correct, na.rm = TRUE), report$accuracy[i])
  }
  expect_equal(nrow(minpair_items(out, models = "de-lstm")), 60)
  expect_true(all(minpair_rows(out, "tokens")$logprob <= 0))
})

test_that("glmer finds on our data frame what it finds on data counted by hand and on the exported file", {
  skip_if_not_installed("lme4")
  out <- minpair_run("de-agreement", "de-lstm", out = tempfile(fileext = ".db"), tests = c("simple_sentence", "pre_field"))
  model <- function(d) {
    fit <- lme4::glmer(correct ~ test + (1 | condition), d[!is.na(d$correct), ], family = binomial, nAGQ = 0)
    c(lme4::fixef(fit), sd = attr(lme4::VarCorr(fit)$condition, "stddev"))
  }
  ours <- model(minpair_items(out))
  # By hand: the log-probabilities of tokens, summed, and the higher sum wins.
  tokens <- minpair_rows(out, "tokens")
  sums <- aggregate(logprob ~ id + test + condition + grammatical, tokens, sum)
  pairs <- merge(sums[sums$grammatical, ], sums[!sums$grammatical, ], by = c("id", "test", "condition"))
  pairs$correct <- as.numeric(pairs$logprob.x > pairs$logprob.y)
  expect_gt(nrow(pairs), 50)
  expect_equal(ours, model(pairs), tolerance = 1e-6)
  skip_if_not(nzchar(Sys.getenv("MINPAIR_PROGRAM")), "the program is not there")
  file <- tempfile(fileext = ".csv")
  expect_equal(system2(Sys.getenv("MINPAIR_PROGRAM"), c("export", out, "-o", file)), 0)
  expect_equal(ours, model(utils::read.csv(file)), tolerance = 1e-6)
})

test_that("nanoarrow takes rows without copying", {
  skip_if_not_installed("nanoarrow")
  out <- minpair_run("de-agreement", "de-lstm", out = tempfile(fileext = ".db"), tests = "simple_sentence", limit = 60)
  empty <- getExportedValue("nanoarrow", "nanoarrow_allocate_array_stream")
  items <- as.data.frame(minpair_rows(out, "items", stream = empty()))
  expect_equal(items$margin, minpair_items(out)$margin)
  expect_error(minpair_rows(out, stream = minpair_rows(out, stream = empty())), "not an empty one")
})

test_that("a stream is one", {
  expect_error(minpair_rows("none.db", stream = 1), "nanoarrow_allocate_array_stream")
})

test_that("commands print, write and refuse what the command line does", {
  out <- minpair_run("de-agreement", c("de-mini", "de-lstm"), methods = c("pll", "lp"), out = tempfile(fileext = ".db"),
                     tests = "simple_sentence", sample = 20, seed = 3)
  runs <- minpair_rows(out, "runs")
  expect_equal(sort(paste(runs$model, runs$method)), c("de-lstm lp", "de-mini pll"))
  stats <- minpair_stats(out, models = "de-mini")
  said <- read.csv(text = strsplit(minpair_stats(out, models = "de-mini", format = "csv"), "\n\n")[[1]][1])
  expect_equal(stats$accuracy[stats$kind == "accuracy"], said$accuracy)
  expect_equal(stats$ci_method[stats$kind == "accuracy"], said$ci_method)
  expect_match(attr(stats, "notes"), "profile likelihood")
  report <- minpair_report(out)
  expect_equal(sort(report$model), c("de-lstm", "de-mini"))
  expect_true(is.numeric(report$accuracy) && all(report$pairs == 20))
  expect_equal(report$accuracy, read.csv(text = minpair_report(out, format = "csv"))$accuracy)
  expect_true(is.numeric(minpair_margins(out)$margin))
  expect_error(minpair_norms(out, "slor"), "slor needs word frequencies")
  expect_match(minpair_compare(out, sides = c("de-mini:pll", "de-lstm:lp"), format = "csv"), "smallest_p")
  expect_match(minpair_command("margins", results = out, format = "csv"), "margin")
  figure <- minpair_figure(out, "conditions", tempfile(fileext = ".svg"))
  expect_match(readLines(figure, n = 1), "<svg")
  expect_true("layer" %in% names(minpair_introspect("lens", "de-agreement", minpair_load("de-mini"), tests = "simple_sentence", limit = 3)))
  expect_error(minpair_report(out, digits = 2), "--digits has no effect without --format latex")
  expect_error(minpair_run("de-agreement", "de-mini", out = tempfile(), seed = 3), "--seed has no effect without --sample")
  expect_error(minpair_command("stat", results = out), "did you mean 'stats'")
})

test_that("texts are character, and R counts from 1", {
  for (wrong in list(1:2, NA, c(TRUE, FALSE), list("a"))) expect_error(minpair_score(wrong, "de-mini"), "character|NA")
  for (missing in c("NA", "NaN", "#N/A")) expect_error(minpair_score(c("Der Autor lacht.", missing), "de-mini"), "missing value")
  expect_length(minpair_score(factor("Der Autor lacht."), "de-mini"), 1L)
  text <- "Der Autor lacht."
  words <- minpair_words(text, "de-mini", method = "pll-word-l2r")
  words <- words[!words$special, ]
  expect_identical(unique(as.integer(words$text)), 1L)
  expect_identical(substr(rep(text, nrow(words)), words$begin, words$end)[1:3], c("Der", "Autor", "lacht"))
})
