# The intervals that likelihood_test.cpp expects, with R's own likelihood, optimiser and root finder, and
# the sign-flipping test over all signs: Rscript tests/stats/likelihood_golden.R
bb <- function(yes, no, share, correlation) {
  share <- min(1 - 1e-12, max(1e-12, share))
  if (correlation == 0) return(sum(ifelse(yes > 0, yes * log(share), 0) + ifelse(no > 0, no * log(1 - share), 0)))
  s <- (1 - correlation) / correlation
  a <- share * s; b <- (1 - share) * s
  sum(ifelse(yes > 0, lgamma(a + yes) - lgamma(a), 0) + ifelse(no > 0, lgamma(b + no) - lgamma(b), 0) -
    lgamma(s + yes + no) + lgamma(s))
}
best_bb <- function(yes, no, share) {                      # over the correlation
  f <- function(x) bb(yes, no, share, plogis(x))
  max(optimize(f, c(-10, 12), maximum = TRUE, tol = 1e-9)$objective, bb(yes, no, share, 0))
}
jackknife <- function(sum, n) {
  G <- length(n)
  without <- (base::sum(sum) - sum) / (base::sum(n) - n)
  (G - 1) / G * base::sum((without - mean(without))^2)
}
ends <- function(profile, at, best, flat, level, from, to) {
  least <- profile(best) - flat * qchisq(level, 1) / 2
  f <- function(x) profile(x + best - at) - least
  end <- function(a, b) tryCatch(uniroot(f, sort(c(a, b)), tol = 1e-11)$root, error = function(e) b)
  c(end(at, from), end(at, to))
}
curvature <- function(profile, at, h) (2 * profile(at) - profile(at - h) - profile(at + h)) / h^2

share <- function(right, n, level = 0.95) {
  p <- sum(right) / sum(n)
  profile <- function(x) best_bb(right, n - right, plogis(x))
  at <- min(16, max(-16, qlogis(p)))
  best <- at; flat <- 1
  if (p > 0 && p < 1) {
    v <- jackknife(right, n) / (p * (1 - p))^2
    reach <- 3 * min(2, max(.3, sqrt(v)))
    best <- optimize(profile, at + c(-1, 1) * reach, maximum = TRUE, tol = 1e-9)$maximum
    flat <- max(1, v * curvature(profile, best, .05))
  }
  plogis(ends(profile, at, best, flat, level, -32, 32))
}

difference <- function(first, second, n, level = 0.95) {
  d <- sum(first - second) / sum(n)
  differ <- first + second
  profile <- function(x) {
    at <- function(y) {
      s <- abs(x) + (1 - abs(x)) * plogis(y)
      best_bb(differ, n - differ, s) + best_bb(first[differ > 0], second[differ > 0], (1 + x / s) / 2)
    }
    optimize(at, c(-18, 12), maximum = TRUE, tol = 1e-9)$objective
  }
  v <- jackknife(first - second, n)
  reach <- min(min(.3, max(.02, sqrt(v))), (1 - d) / 3)
  best <- if (d > 0 && d < 1) optimize(profile, d + c(-3, 3) * reach, maximum = TRUE, tol = 1e-9)$maximum else min(d, 1 - 1e-9)
  h <- min(.1 * sqrt(v), (1 - best) / 2, .01)
  flat <- if (h > 1e-6) max(1, v * curvature(profile, best, h)) else 1
  i <- ends(profile, min(d, 1 - 1e-9), best, flat, level, -.9999, .9999)
  signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(n))))
  p <- mean(abs(signs %*% (first - second)) >= abs(sum(first - second)) - 1e-9)
  if (p > 1 - level) i <- c(min(i[1], 0), max(i[2], 0)) else i[1] <- max(i[1], 0)
  c(i, p)
}
say <- function(x) cat(sprintf("%.6f", x), "\n")
say(share(c(20, 20, 18, 20, 5, 20), rep(20, 6)))
say(share(c(3, 2, 7, 2.5, 2, 4), c(4, 2, 10, 3, 5, 4)))
say(share(rep(12, 8), rep(12, 8)))
say(share(c(10, 12, 9, 11, 10, 8, 13, 10, 9, 12), rep(20, 10), .9))
say(share(c(400, 310, 380, 395, 200), c(400, 400, 390, 400, 410)))
say(share(c(39, 1, 20, 17, 30, 5, 12, 8, 3, 25, 30, 31), c(39, 1, 20, 17, 30, 5, 12, 8, 18, 25, 30, 31)))
say(share(c(19, rep(20, 11)), rep(20, 12)))
say(share(c(20, 18, 20, 19, 17, 20, 20, 18, 19, 20, 0, 20), rep(20, 12)))
cat("differences\n")
say(difference(c(12, 1, 9, 0, 0, 0), c(0, 0, 0, 1, 0, 0), rep(20, 6)))
say(difference(rep(0, 8), rep(0, 8), rep(12, 8)))
say(difference(c(3, 2, 7, 2.5, 2, 4), c(1, 0, 2, .5, 3, 4), c(9, 2, 20, 3, 8, 11)))
say(difference(c(5, 6, 4, 7, 5, 3, 8, 5, 4, 6), c(2, 3, 2, 1, 4, 2, 3, 2, 1, 2), rep(20, 10), .9))
say(difference(c(30, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 3), c(0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0), c(39, 1, 20, 17, 30, 5, 12, 8, 18, 25, 30, 31)))
say(difference(rep(12, 8), rep(0, 8), rep(12, 8)))
