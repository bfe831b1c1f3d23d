# The intervals that difference_test.cpp expects of calibrated_difference, with R's own random numbers, likelihood,
# optimiser and t: every difference that is not rejected. Rscript tests/stats/difference_golden.R; some minutes.
draws <- 20000
beta_binomial <- function(yes, no, p, precision)
  sum(lbeta(yes + p * precision, no + (1 - p) * precision) - lbeta(p * precision, (1 - p) * precision))
# The best of (how often they differ, both correlations) with this difference, from several starts.
fit <- function(first, second, n, delta) {
  at <- function(x) {
    differ <- delta + (1 - delta) * plogis(x[1])
    c(differ, min(1 - 1e-9, max(1e-9, (1 + delta / differ) / 2)), exp(-x[2]), exp(-x[3]))
  }
  loss <- function(x) {
    if (any(x[2:3] < -9) || any(x[2:3] > 5) || abs(x[1]) > 12) return(1e9)
    p <- at(x)
    off <- (x[2] - log(p[1]) - x[3]) / 1.5
    -(beta_binomial(first + second, n - first - second, p[1], p[3]) +
      beta_binomial(first, second, p[2], p[4]) - off^2 / 2)
  }
  best <- NULL
  for (x in c(-9, -5, -2, 1)) for (r in c(-6, -1, 2)) {
    o <- optim(c(x, r, r), loss, control = list(maxit = 2000, reltol = 1e-10))
    if (is.null(best) || o$value < best$value) best <- o
  }
  at(best$par)
}
p_value <- function(first, second, n, delta) {
  if (delta < 0) return(p_value(second, first, n, -delta))
  p <- fit(first, second, n, delta)
  G <- length(n); N <- sum(n)
  t_of <- function(x) {                              # one column a suite
    mean <- colSums(x) / N
    between <- colSums((x - outer(n, mean))^2)
    ifelse(between > 1e-9, (mean - delta) * N / sqrt(between * G / (G - 1)), sign(mean - delta) * 1e12)
  }
  set.seed(1)
  differ <- rbinom(G * draws, n, rbeta(G * draws, p[1] * p[3], (1 - p[1]) * p[3]))
  ahead <- rbinom(G * draws, differ, rbeta(G * draws, p[2] * p[4], (1 - p[2]) * p[4]))
  t <- signif(t_of(matrix(2 * ahead - differ, G)), 9)
  below <- (rank(t) - .5) / draws                    # half of those that equal it
  all <- pmin(below, 1 - below)
  x <- signif(t_of(matrix(first - second, G)), 9)
  below <- mean(t < x) + mean(t == x) / 2
  observed <- min(below, 1 - below)
  mean(all < observed - 1e-12) + mean(abs(all - observed) < 1e-12) / 2
}
end <- function(first, second, n, from, to, alpha) { # `from` is not rejected
  for (i in 1:11) {
    middle <- (from + to) / 2
    if (p_value(first, second, n, middle) <= alpha) to <- middle else from <- middle
  }
  from
}
show <- function(first, second, n, level = .95) {
  d <- sum(first - second) / sum(n)
  cat(sprintf("%.4f", c(end(first, second, n, d, max(-.99, d - .7), 1 - level),
                        end(first, second, n, d, min(.99, d + .7), 1 - level))), "\n")
}
show(c(0, 12, 1, 0, 9, 0), c(0, 0, 0, 1, 0, 0), rep(20, 6))
show(rep(0, 8), rep(0, 8), rep(12, 8))
show(c(3, 2, 7, 2.5, 2, 4), c(1, 0, 2, .5, 3, 4), c(9, 2, 20, 3, 8, 11))
show(c(5, 6, 4, 7, 5, 3, 8, 5, 4, 6), c(2, 3, 2, 1, 4, 2, 3, 2, 1, 2), rep(20, 10), .9)
show(c(30, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 3), c(0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0), c(39, 1, 20, 17, 30, 5, 12, 8, 18, 25, 30, 31))
