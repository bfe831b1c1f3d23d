# Makes tests/golden/stats/stats.json: the numbers that src/stats must give, computed by R.
#   Rscript tools/golden/stats.R > tests/golden/stats/stats.json
# Needs r-base-core, r-cran-boot, r-cran-sandwich.
library(boot)
library(sandwich)

num <- function(x) ifelse(is.na(x), "null", sprintf("%.17g", as.numeric(x)))
arr <- function(x) paste0("[", paste(num(x), collapse = ","), "]")
out <- c()
put <- function(.what, ...) {
  fields <- list(...)
  parts <- mapply(function(k, v) paste0('"', k, '":', v), names(fields), fields)
  out <<- c(out, paste0('{"what":"', .what, '",', paste(parts, collapse = ","), "}"))
}

for (case in list(c(39, 35), c(30, 30), c(540, 518), c(9, 8), c(18230, 17001), c(1, 0))) {
  n <- case[1]; k <- case[2]
  for (level in c(0.95, 0.99)) {
    w <- prop.test(k, n, correct = FALSE, conf.level = level)$conf.int
    e <- binom.test(k, n, conf.level = level)$conf.int
    put("proportion", n = num(n), k = num(k), level = num(level), wilson = arr(w), exact = arr(e))
  }
}
for (bc in list(c(10, 2), c(0, 5), c(7, 7), c(120, 80), c(1500, 1404)))
  put("mcnemar", b = num(bc[1]), c = num(bc[2]), p = num(binom.test(bc[1], sum(bc))$p.value))
for (p in c(1e-12, 0.001, 0.025, 0.3, 0.5, 0.8, 0.975, 0.999999)) put("quantile", p = num(p), z = num(qnorm(p)))
for (x in list(c(2, 3, 0.2), c(0.5, 12, 0.01), c(40, 3, 0.9), c(500, 700, 0.4)))
  put("beta", a = num(x[1]), b = num(x[2]), x = num(x[3]), value = num(pbeta(x[3], x[1], x[2])))

p <- c(0.001, 0.04, 0.03, 0.8, 0.0004, 0.04, 1, 0.2)
put("adjust", p = arr(p), holm = arr(p.adjust(p, "holm")), bh = arr(p.adjust(p, "BH")))

i <- 1:40
x <- round(sin(i * 1.7) * 10, 2)
y <- round(x * 0.6 + cos(i * 2.3) * 6, 1)
s <- cor.test(x, y)
put("pearson", x = arr(x), y = arr(y), r = num(s$estimate), interval = arr(s$conf.int), p = num(s$p.value))
xt <- round(x); yt <- round(y)
rho <- cor(xt, yt, method = "spearman")
half <- qnorm(0.975) * sqrt((1 + rho^2 / 2) / (length(xt) - 3))
t <- rho * sqrt((length(xt) - 2) / (1 - rho^2))
put("spearman", x = arr(xt), y = arr(yt), r = num(rho), interval = arr(tanh(atanh(rho) + c(-1, 1) * half)),
    p = num(2 * pt(-abs(t), length(xt) - 2)))

# Logistic regression with clustered errors: subject number, distractor number, their match.
n <- 240
i <- 1:n
subject <- i %% 2
distractor <- (i %/% 2) %% 2
match <- as.numeric(subject == distractor)
cluster <- (i * 7) %% 24
right <- as.numeric((sin(i * 12.9898) * 43758.5453) %% 1 < 0.55 + 0.2 * match + 0.1 * subject - 0.1 * (cluster %% 3))
d <- data.frame(right, subject, distractor, match, cluster)
fit <- glm(right ~ subject + distractor + match, binomial, d, control = glm.control(epsilon = 1e-14, maxit = 100))
v <- vcovCL(fit, cluster = ~cluster)
z <- coef(fit) / sqrt(diag(v))
put("logistic", outcome = arr(right), rows = arr(as.vector(t(cbind(1, subject, distractor, match)))), cluster = arr(cluster),
    estimate = arr(coef(fit)), standard_error = arr(sqrt(diag(v))), p = arr(2 * pnorm(-abs(z))))

# Bootstrap intervals from given replicates: what is done with them, not which random numbers were drawn.
set.seed(7)
sums <- c(3, 5, 2, 8, 1, 9, 4, 4, 7, 0, 6, 5); counts <- c(5, 6, 5, 9, 5, 9, 6, 5, 8, 4, 7, 9)
m <- data.frame(sums, counts)
ratio <- function(d, w) sum(d$sums[w]) / sum(d$counts[w])
b <- boot(m, ratio, R = 999)
jack <- sapply(1:12, function(k) ratio(m, -k))
ci <- boot.ci(b, type = c("perc", "bca"), L = mean(jack) - jack)
put("bootstrap", sums = arr(sums), counts = arr(counts), observed = num(b$t0), replicates = arr(b$t[, 1]), jackknife = arr(jack),
    percentile = arr(ci$percent[4:5]), bca = arr(ci$bca[4:5]))
big <- boot(m, ratio, R = 200000)
put("bootstrap_error", sums = arr(sums), counts = arr(counts), standard_error = num(sd(big$t[, 1])))

# Exact sign-flip test over all sign vectors.
d <- c(3, -1, 2, 2, 0.5, -0.5, 4, 1)
signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(d))))
put("permutation", d = arr(d), p = num(mean(abs(signs %*% d) >= abs(sum(d)) - 1e-9)))

a <- c(1, 1, 0, 0, 1, 0.5, 0, 1, 1, 0); b <- c(1, 0, 0, 1, 1, 0.5, 0, 1, 1, 1)
lv <- c(0, 0.5, 1)
tab <- table(factor(a, lv), factor(b, lv)) / length(a)
po <- sum(diag(tab)); pe <- sum(rowSums(tab) * colSums(tab))
put("kappa", a = arr(a), b = arr(b), share = num(po), kappa = num((po - pe) / (1 - pe)))
cat("[\n", paste(out, collapse = ",\n"), "\n]\n", sep = "")
