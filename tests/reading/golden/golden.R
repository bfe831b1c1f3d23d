# What R's lm says about a table that minpair reading-times --joined wrote:
#   Rscript golden.R joined.csv
d <- read.csv(commandArgs(TRUE)[1], check.names = FALSE)
own <- setdiff(names(d), c("text", "position", "word", "time", "fold"))
controls <- own[grepl("^(length|frequency)(\\.[0-9]+)?$", own)]
models <- unique(sub("\\.(surprisal|corrected|entropy)(\\.[0-9]+)?$", "", setdiff(own, controls)))
formula_of <- function(columns) as.formula(paste("time ~", paste0("`", columns, "`", collapse = " + ")))
held_out <- function(f) {
  density <- numeric(nrow(d))
  for (fold in unique(d$fold)) {
    m <- lm(f, d[d$fold != fold, ])
    test <- d$fold == fold
    density[test] <- dnorm(d$time[test], predict(m, d[test, ]), sqrt(mean(resid(m)^2)), log = TRUE)
  }
  density
}
base <- formula_of(controls)
cat(sprintf("controls R2 %.10f log-likelihood %.8f\n", summary(lm(base, d))$r.squared, logLik(lm(base, d))))
for (model in models) {
  full <- formula_of(c(controls, own[startsWith(own, paste0(model, "."))]))
  m <- lm(full, d)
  cat(sprintf("%s gain %.12f R2 %.10f log-likelihood %.8f\n", model, mean(held_out(full) - held_out(base)),
              summary(m)$r.squared, logLik(m)))
  print(summary(m)$coefficients, digits = 12)
}
