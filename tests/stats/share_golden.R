# The intervals that stats_test.cpp expects of the beta-binomial model, by brute force: R's lbeta on a fine grid.
# Rscript tests/stats/share_golden.R
interval <- function(right, n, level = .95) {
  rho <- plogis(seq(-16, 8, length.out = 121))
  u <- seq(-16, 16, length.out = 1281)
  p <- plogis(u)
  typical <- sum(n^2) / sum(n)
  density <- 0
  weights <- sapply(rho, function(r) {
    s <- (1 - r) / r
    l <- Reduce(`+`, Map(function(k, m) lbeta(k + p * s, m - k + plogis(-u) * s) - lbeta(p * s, plogis(-u) * s), right, n))
    l <- l + .5 * (plogis(u, log.p = TRUE) + plogis(-u, log.p = TRUE)) + .5 * log(r) + log(1 - r)
    top <- max(l); top + log(sum(exp(l - top)))
  })
  weights <- exp(weights - max(weights)); weights <- weights / sum(weights)
  for (i in which(weights > 1e-9)) {
    r <- rho[i]; s <- (1 - r) / r
    w <- (1 - r + r * n) / (1 - r + r * typical)
    l <- Reduce(`+`, Map(function(k, m, w) w * (lbeta(k + p * s, m - k + plogis(-u) * s) - lbeta(p * s, plogis(-u) * s)), right, n, w))
    l <- l + .5 * (plogis(u, log.p = TRUE) + plogis(-u, log.p = TRUE))
    d <- exp(l - max(l)); density <- density + weights[i] * d / sum(d)
  }
  at <- cumsum(density) / sum(density)
  plogis(approx(at, u + diff(u)[1] / 2, c((1 - level) / 2, (1 + level) / 2), ties = "ordered")$y)
}
show <- function(right, n, level = .95) cat(sprintf("%.6f", interval(right, n, level)), "\n")
show(c(20, 20, 18, 20, 5, 20), rep(20, 6))
show(c(3, 2, 7, 2.5, 2, 4), c(4, 2, 10, 3, 5, 4))
show(rep(12, 8), rep(12, 8))
show(c(10, 12, 9, 11, 10, 8, 13, 10, 9, 12), rep(20, 10), .9)
show(c(400, 310, 380, 395, 200), c(400, 400, 390, 400, 410))
