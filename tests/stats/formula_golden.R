# What lme4 says of the formulas in formula_test.cpp, over the same rows: Rscript tests/stats/formula_golden.R
suppressMessages(library(lme4))
r <- 0:399
d <- data.frame(cond = c("far", "near", "none")[r %% 3 + 1], model = c("A", "B")[(r %/% 3) %% 2 + 1],
                item = paste0("i", (r * 7) %% 40), lemma = paste0("l", (r * 11) %% 16), x = ((r * 13) %% 17) / 8)
eta <- 0.4 + 0.5 * (d$cond == "near") - 0.7 * (d$model == "B") + 0.4 * d$x + ((((r * 7) %% 40) * 29) %% 13 - 6) / 5 +
  ((((r * 11) %% 16) * 23) %% 11 - 5) / 6
d$margin <- eta + ((r * r * 31 + r * 17) %% 101 - 50) / 25
d$right <- as.numeric(plogis(eta) > ((r * r * 37 + r * 71) %% 97) / 97)
tightg <- glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 1e5), tolPwrss = 1e-12)
tightl <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10))
say <- function(name, m, less) {
  cat(name, sprintf("%.6f", logLik(m)), "\n")
  b <- if (inherits(m, "merMod")) fixef(m) else coef(m)
  cat("  ", sprintf("%.6f,", b), "\n  ", sprintf("%.6f,", sqrt(diag(as.matrix(vcov(m))))), "\n")
  if (inherits(m, "merMod")) { v <- as.data.frame(VarCorr(m)); v <- v[is.na(v$var2), ]; cat("  ", sprintf("%s.%s %.6f,", v$grp, v$var1, v$sdcor), "\n") }
  if (!is.null(less)) cat("   chi square", sprintf("%.6f", 2 * (logLik(m) - logLik(less))), "\n")
}
say("1", glmer(right ~ cond + (1 | item), d, binomial, control = tightg), glmer(right ~ 1 + (1 | item), d, binomial, control = tightg))
say("2", glmer(right ~ cond * model + (1 | item) + (1 | lemma), d, binomial, control = tightg),
    glmer(right ~ cond + model + (1 | item) + (1 | lemma), d, binomial, control = tightg))
say("3", glmer(right ~ x + (1 + x | lemma), d, binomial, control = tightg), glmer(right ~ 1 + (1 + x | lemma), d, binomial, control = tightg))
say("4", lmer(margin ~ cond * model + (1 | item), d, REML = FALSE, control = tightl),
    lmer(margin ~ cond + model + (1 | item), d, REML = FALSE, control = tightl))
say("5", lmer(margin ~ x + (1 + x | lemma) + (1 | item), d, REML = FALSE, control = tightl),
    lmer(margin ~ 1 + (1 + x | lemma) + (1 | item), d, REML = FALSE, control = tightl))
say("6", glm(right ~ cond * model, binomial, d), glm(right ~ cond + model, binomial, d))
