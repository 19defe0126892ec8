library(testthat)
library(pcgs)

# A test that is skipped proves nothing: it counts as one that fails.
result <- as.data.frame(test_check("pcgs"))
if (any(result$skipped)) stop("skipped: ", paste(result$test[result$skipped], collapse = "; "))
