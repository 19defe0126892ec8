# ML-Poly, BOA and the exact oracle with switches in plain R, written from their papers and not from any package:
# what a careful user could write, to have times beside ours on any machine. Squared loss, linearised losses,
# nobody sleeps.

# Gaillard, Stoltz and van Erven, A second-order bound with excess losses, 2014: weights in proportion to the
# positive part of the regret R over a bound on its squares.
plain_ml_poly <- function(y, X) {
  regret <- squares <- numeric(ncol(X))
  largest <- 0
  forecasts <- numeric(length(y))
  for (t in seq_along(y)) {
    x <- X[t, ]
    w <- pmax(regret, 0) / (largest + squares)
    total <- sum(w)
    p <- if (is.finite(total) && total > 0) sum(w * x) / total else mean(x)
    forecasts[t] <- p
    r <- 2 * (p - y[t]) * (p - x)
    regret <- regret + r
    squares <- squares + r^2
    largest <- max(largest, r^2)
  }
  forecasts
}

# Wintenberger, Optimal learning with Bernstein online aggregation, 2017: exponential weights on regrets that
# are charged for their squares, a rate for each expert.
plain_boa <- function(y, X) {
  gain <- variance <- numeric(ncol(X))
  forecasts <- numeric(length(y))
  for (t in seq_along(y)) {
    x <- X[t, ]
    if (all(variance > 0)) {
      rate <- 1 / sqrt(variance)
      exponent <- log(rate) + rate * gain
      w <- exp(exponent - max(exponent))
      p <- sum(w * x) / sum(w)
    } else {
      p <- mean(x)
    }
    forecasts[t] <- p
    r <- 2 * (p - y[t]) * (p - x)
    variance <- variance + 2.2 * r^2
    gain <- gain + r - r^2 / sqrt(pmax(variance, 1e-300))
  }
  forecasts
}

# Herbster and Warmuth, Tracking the best expert, 1998: dp[s, k] is the least loss so far of a path with at most s
# switches that ends in expert k. Vectors over experts and numbers of switches at once.
plain_switching <- function(losses, switches) {
  experts <- ncol(losses)
  dp <- matrix(losses[1, ], switches + 1, experts, byrow = TRUE)
  for (t in seq_len(nrow(losses))[-1]) {
    best <- do.call(pmin, lapply(seq_len(experts), function(k) dp[, k]))
    came <- c(Inf, best[-length(best)])
    dp <- pmin(dp, came) + rep(losses[t, ], each = switches + 1)
  }
  apply(dp, 1, min)
}
