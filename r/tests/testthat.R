library(testthat)
library(minpair)

test_check("minpair")
