# What R says about the rows of tests/stats/mixed_test.cpp:  Rscript mixed_golden.R
suppressMessages(library(lme4))
n <- 60
r <- 0:(n - 1)
d <- data.frame(x = ((r * 7) %% 11) / 5, g = factor(r %% 6), h = factor((r * 5) %% 9))
d$y <- 1 + 0.5 * d$x + (((r %% 6) * 3) %% 5 - 2) * 0.4 + (((r %% 6) * 2) %% 7 - 3) * 0.15 * d$x + sin(r * r) * 0.6 +
  ((((r * 5) %% 9) * 4) %% 7 - 3) * 0.2
d$n <- 5 + r %% 4
d$right <- pmin(d$n, pmax(0, round(d$n * plogis(d$y - 1.2))))
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10))
say <- function(m) {
  cat(sprintf("  logLik %.9f\n", logLik(m)))
  print(if (inherits(m, "merMod")) fixef(m) else coef(m), digits = 10)
  print(sqrt(diag(as.matrix(vcov(m)))), digits = 9)
  if (inherits(m, "merMod")) print(as.data.frame(VarCorr(m))[, c("grp", "var1", "var2", "sdcor")], digits = 8)
}
say(lm(y ~ x, d))
say(lmer(y ~ x + (x | g) + (1 | h), d, REML = FALSE, control = tight))
say(lmer(y ~ x + (x | g) + (1 | h), d, REML = TRUE, control = tight))
# Slopes in the term with the most groups.
say(lmer(y ~ x + (1 | g) + (x | h), d, REML = FALSE, control = tight))
say(lmer(y ~ x + (x | g), d, REML = FALSE, control = tight))
# More columns.
d$u <- ((r * 3) %% 8) / 4
d$v <- ((r * r) %% 7) / 3
say(lm(y ~ x + u + v, d))
say(lmer(y ~ x + u + v + (1 | g) + (1 | h), d, REML = FALSE, control = tight))
say(glm(cbind(right, n - right) ~ x, binomial, d))
g <- glmer(cbind(right, n - right) ~ x + (1 | g) + (1 | h), d, binomial,
           control = glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10), tolPwrss = 1e-12))
say(g)
cat(sprintf("  of single answers %.9f\n", logLik(g) - sum(lchoose(d$n, d$right))))
s <- glmer(cbind(right, n - right) ~ x + (1 | g) + (x | h), d, binomial,
           control = glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e5), tolPwrss = 1e-12))
say(s)
cat(sprintf("  of single answers %.9f\n", logLik(s) - sum(lchoose(d$n, d$right))))
cat(sprintf("  glm, of single answers %.9f\n", logLik(glm(cbind(right, n - right) ~ x, binomial, d)) - sum(lchoose(d$n, d$right))))
cat(sprintf("%.12f %.12f %.3e\n", pchisq(3.5, 1, lower = FALSE), pchisq(7.25, 4, lower = FALSE), pchisq(60, 3, lower = FALSE)))
print(d$right)
