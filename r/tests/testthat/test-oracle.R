test_that("the shifting oracle is opera's", {
  losses <- golden("losses.csv")
  found <- oracle(Y = rep(0, 80), experts = sqrt(losses), model = "shifting", niter = 20)
  expect_equal(80 * found$loss, unname(golden("shifting_oracle.csv")[, "loss"]), tolerance = 1e-13)
})

# Every path there is.
brute_force <- function(losses, switches) {
  paths <- as.matrix(expand.grid(rep(list(seq_len(ncol(losses))), nrow(losses))))
  cost <- apply(paths, 1, function(path) sum(losses[cbind(seq_len(nrow(losses)), path)]))
  turns <- apply(paths, 1, function(path) sum(diff(path) != 0))
  min(cost[turns <= switches])
}

test_that("the shifting oracle is the best of all paths, with sleepers too", {
  for (seed in 1:5) {
    set.seed(seed)
    X <- matrix(rnorm(18), 6)
    y <- rnorm(6)
    X[sample(18, 4)] <- NA
    X[is.na(rowSums(X, na.rm = TRUE)) | rowSums(!is.na(X)) == 0, 1] <- 0
    losses <- (X - y)^2
    losses[is.na(losses)] <- Inf
    found <- oracle(y, X, model = "shifting", niter = 5)
    expect_equal(6 * found$loss, vapply(0:5, brute_force, 0, losses = losses))
    if (is.finite(found$loss[6])) {
      expect_equal(sum(losses[cbind(1:6, found$path)]), 6 * found$loss[6])
      expect_equal(sum(diff(found$path) != 0), found$switches)
      expect_equal(found$prediction, unname(X[cbind(1:6, found$path)]))
    }
  }
})

test_that("no constant mixture beats the convex oracle", {
  series <- made_up()
  for (loss in list("square", "absolute", list(name = "pinball", tau = 0.2))) {
    found <- oracle(series$y, series$X, model = "convex", loss.type = loss)
    expect_equal(sum(found$coefficients), 1)
    expect_true(all(found$coefficients >= 0))
    task <- if (is.list(loss)) loss else list(name = loss)
    lost <- function(w) {
      error <- series$X %*% w - series$y
      mean(switch(task$name, square = error^2, absolute = abs(error),
                  pinball = ifelse(error < 0, -0.2 * error, 0.8 * error)))
    }
    expect_equal(found$loss, lost(found$coefficients))
    set.seed(2)
    for (i in 1:200) {
      step <- abs(found$coefficients + rnorm(3, 0, 10^-runif(1, 1, 4)))
      expect_gte(lost(step / sum(step)), found$loss * (1 - 1e-4))
    }
  }
})

test_that("the linear oracle is least squares", {
  series <- made_up()
  found <- oracle(series$y, series$X, model = "linear")
  expect_equal(unname(found$coefficients), unname(coef(lm(series$y ~ series$X - 1))))
  expect_lte(found$loss, oracle(series$y, series$X, model = "convex")$loss)
})

test_that("nobody is the best expert by sleeping through hard rounds", {
  set.seed(3)
  hard <- rep(c(1, 10), 100)
  y <- rnorm(200)
  noise <- matrix(rnorm(400), 200) * hard
  X <- cbind(good = y + noise[, 1], lazy = y + 2 * noise[, 2])
  X[hard == 10, "lazy"] <- NA
  found <- oracle(y, X, model = "expert")
  expect_equal(names(which(found$coefficients == 1)), "good")
  expect_gt(found$losses[["good"]], found$losses[["lazy"]])
  late <- oracle(y, cbind(X, late = replace(y + 1e-12, 1:80, NA)), model = "expert")
  expect_equal(late$rounds, 120)
  expect_equal(c(late$loss, late$rmse), c(0, 0))
})

test_that("convex and linear oracles are made from rounds in which everybody is awake, and say so", {
  series <- made_up()
  X <- series$X
  X[1:30, 1] <- NA
  for (model in c("convex", "linear")) {
    found <- oracle(series$y, X, model = model)
    expect_equal(found$rounds, 270)
    expect_equal(found$coefficients, oracle(series$y[31:300], X[31:300, ], model = model)$coefficients)
    expect_output(print(found), "Of 300 rounds, 270 count")
    expect_equal(found$rmse, sqrt(found$loss))
  }
  X[, 1] <- NA
  expect_refused(oracle(series$y, X, model = "convex"), "value", field = "experts")
})

test_that("oracles are printed and drawn, and refuse what they cannot use", {
  series <- made_up()
  for (model in c("expert", "convex", "linear", "shifting")) {
    found <- oracle(series$y, series$X, model = model)
    expect_output(print(found), paste("Oracle:", model))
    expect_equal(found$rmse, sqrt(mean(residuals(found)^2)))
    on_paper(plot(found))
  }
  expect_refused(oracle(series$y, series$X, model = "magic"), "unknown", field = "model")
  expect_refused(oracle(series$y, series$X, model = "linear", loss.type = "absolute"), "request", field = "loss.type")
  expect_refused(oracle(replace(series$y, 5, NA), series$X), "missing", row = 5, field = "Y")
  asleep <- series$X
  asleep[9, ] <- NA
  expect_refused(oracle(series$y, asleep, model = "shifting"), "missing", row = 9)
})
