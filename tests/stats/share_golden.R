# The intervals that stats_test.cpp expects of calibrated_share, with R's own random numbers, likelihood and t:
# every accuracy p that is not rejected. Rscript tests/stats/share_golden.R; some minutes.
draws <- 20000
p_value <- function(right, n, p) {
  likelihood <- function(x) {
    s <- exp(-x)
    sum(lbeta(right + p * s, n - right + (1 - p) * s) - lbeta(p * s, (1 - p) * s))
  }
  nodes <- seq(-14, 4.6, length.out = 60)
  best <- nodes[which.max(sapply(nodes, likelihood))]
  best <- optimize(likelihood, pmin(4.6, pmax(-14, best + c(-.4, .4))), maximum = TRUE)$maximum
  s <- exp(-best)
  G <- length(n); N <- sum(n)
  t_of <- function(y) {                              # one column a suite
    share <- colSums(y) / N
    between <- colSums((y - outer(n, share))^2) * G / (G - 1)
    t <- (qlogis(share) - qlogis(p)) * share * (1 - share) * N / sqrt(pmax(between, .5 * N * share * (1 - share)))
    ifelse(share == 1, 1e12, ifelse(share == 0, -1e12, t))
  }
  set.seed(1)
  own <- rbeta(G * draws, p * s, (1 - p) * s)
  t <- signif(t_of(matrix(rbinom(G * draws, n, own), G)), 9)
  below <- (rank(t) - .5) / draws                    # half of those that equal it
  all <- pmin(below, 1 - below)
  x <- signif(t_of(matrix(right, G)), 9)
  below <- mean(t < x) + mean(t == x) / 2
  observed <- min(below, 1 - below)
  mean(all < observed - 1e-12) + mean(abs(all - observed) < 1e-12) / 2
}
end <- function(right, n, from, to, alpha) {         # on the logit scale; `from` is not rejected
  for (i in 1:14) {
    middle <- (from + to) / 2
    if (p_value(right, n, plogis(middle)) <= alpha) to <- middle else from <- middle
  }
  plogis(from)
}
show <- function(right, n, level = .95) {
  share <- sum(right) / sum(n)
  inside <- qlogis(min(1 - 1 / (20 * sum(n)), share))
  cat(sprintf("%.4f", c(end(right, n, inside, -8, 1 - level), if (share < 1) end(right, n, inside, 10, 1 - level) else 1)), "\n")
}
show(c(20, 20, 18, 20, 5, 20), rep(20, 6))
show(c(3, 2, 7, 2.5, 2, 4), c(4, 2, 10, 3, 5, 4))
show(rep(12, 8), rep(12, 8))
show(c(10, 12, 9, 11, 10, 8, 13, 10, 9, 12), rep(20, 10), .9)
show(c(400, 310, 380, 395, 200), c(400, 400, 390, 400, 410))
show(c(39, 1, 20, 17, 30, 5, 12, 8, 3, 25, 30, 31), c(39, 1, 20, 17, 30, 5, 12, 8, 18, 25, 30, 31))
