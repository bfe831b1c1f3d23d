# How often other 95 % intervals of an accuracy contain the truth, on the suites of coverage_bench.cpp:
# what docs/notes/2026-11-intervals.md says of them. Rscript bench/coverage_others.R; takes a minute or two.
set.seed(7)
suites <- 3000

# The share with the jackknife's variance over clusters, and how many independent items that is worth.
estimate <- function(right, n) {
  G <- length(n)
  share <- sum(right) / sum(n)
  without <- (sum(right) - right) / (sum(n) - n)
  variance <- (G - 1) / G * sum((without - mean(without))^2)
  list(G = G, t = qt(.975, G - 1), share = share, variance = variance, worth = share * (1 - share) / variance)
}
logit <- function(e, t, variance) plogis(qlogis(e$share) + c(-1, 1) * t * sqrt(variance) / (e$share * (1 - e$share)))

intervals <- list(
  # minpair's; svyciprop(method = "xlogit") of survey
  t = function(e, right, n) logit(e, e$t, e$variance),
  # svyciprop(method = "asin")
  arcsine = function(e, right, n) {
    half <- e$t * sqrt(e$variance) / (2 * sqrt(e$share * (1 - e$share)))
    sin(pmin(pi / 2, pmax(0, asin(sqrt(e$share)) + c(-1, 1) * half)))^2
  },
  # Wilson's with what the items are worth
  Wilson = function(e, right, n) {
    w <- e$t^2 / e$worth
    (e$share + w / 2 + c(-1, 1) * e$t * sqrt(e$share * (1 - e$share) / e$worth + w / e$worth / 4)) / (1 + w)
  },
  # Korn and Graubard 1998: svyciprop(method = "beta")
  beta = function(e, right, n) {
    m <- e$worth * (qnorm(.975) / e$t)^2
    x <- e$share * m
    c(qbeta(.025, x, m - x + 1), qbeta(.975, x + 1, m - x))
  },
  # Bias-reduced variance with Satterthwaite's degrees of freedom, as clubSandwich's CR2, on the logit scale
  CR2 = function(e, right, n) {
    part <- n / sum(n)
    off <- diag(e$G) - outer(part, rep(1, e$G))
    spread <- diag(1 / (1 - part)) %*% (off %*% diag(n) %*% t(off))
    freedom <- sum(diag(spread))^2 / sum(diag(spread %*% spread))
    logit(e, qt(.975, max(freedom, 1)), sum((right - e$share * n)^2 / (1 - part)) / sum(n)^2)
  }
)
# Where all items agree: Wilson's over clusters, whichever the interval.
alike <- function(share, G) {
  w <- qt(.975, G - 1)^2 / G
  sort((share + w / 2 + c(-1, 1) * w / 2) / (1 + w))
}

for (truth in list(c(.95, .2), c(.95, .05), c(.8, .2), c(.6, .2), c(.95, 0)))
  for (G in c(5, 8, 12, 20, 50)) {
    accuracy <- truth[1]
    correlation <- truth[2]
    precision <- (1 - correlation) / correlation
    held <- sapply(seq_len(suites), function(i) {
      n <- sample(1:39, G, TRUE)
      p <- if (correlation == 0) rep(accuracy, G) else rbeta(G, accuracy * precision, (1 - accuracy) * precision)
      right <- rbinom(G, n, p)
      e <- estimate(right, n)
      sapply(intervals, function(interval) {
        ends <- if (e$share %in% c(0, 1)) alike(e$share, G) else interval(e, right, n)
        ends[1] <= accuracy && accuracy <= ends[2]
      })
    })
    cat(accuracy, correlation, G, "clusters:", sprintf("%s %.1f", names(intervals), 100 * rowMeans(held)), "\n")
  }
