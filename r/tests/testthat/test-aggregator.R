test_that("the loop gives the bits of pcgs()", {
  series <- made_up()
  loop <- aggregator(colnames(series$X), season = 24, intervals = c(0.8, 0.95))
  forecasts <- numeric(300)
  low <- rep(NA_real_, 300)
  for (t in 1:300) {
    forecasts[t] <- predict(loop, series$X[t, ])
    around <- intervals(loop)
    if (nrow(around) > 0) low[t] <- around$low[around$level == 0.8]
    update(loop, series$y[t])
  }
  result <- pcgs(series$y, series$X, season = 24)
  expect_identical(forecasts, fitted(result))
  expect_identical(low, result$forecasts$low_80)
  expect_identical(weights(loop), result$weights_now)
})

test_that("forecasts with names are put in order, and who is missing sleeps", {
  series <- made_up()
  ours <- aggregator(colnames(series$X), "boa")
  theirs <- aggregator(colnames(series$X), "boa")
  for (t in 1:50) {
    expect_identical(predict(ours, series$X[t, c(2, 3, 1)]), predict(theirs, series$X[t, ]))
    update(ours, series$y[t])
    update(theirs, series$y[t])
  }
  predict(ours, series$X[51, c("biased", "late")])
  expect_equal(unname(weights(ours, round = 51)["steady"]), 0)
})

test_that("outcomes may come late, in any order, or never", {
  series <- made_up()
  loop <- aggregator(3, "ml-poly")
  for (t in 1:4) predict(loop, unname(series$X[t, ]))
  expect_refused(update(loop, 1), "call", field = "round")
  update(loop, series$y[3], round = 3)
  abandon(loop, 1)
  update(loop, series$y[4], round = 4)
  update(loop, series$y[2])
  expect_output(print(loop), "3 rounds learned")
})

test_that("losses alone are enough for a method that needs no forecasts", {
  loop <- aggregator(2, "hedge{eta=2}")
  for (t in 1:3) update(loop, losses = c(0, 1))
  expect_equal(unname(weights(loop)), c(1, exp(-6)) / (1 + exp(-6)))
  expect_refused(update(loop, losses = c(0, 2)), "value")
  expect_refused(update(aggregator(2), losses = c(0, 1)), "call", field = "method")
})

test_that("losses with names are put in order, and are a round of their own", {
  loop <- aggregator(c("a", "b"), "hedge{eta=2}")
  for (t in 1:3) update(loop, losses = c(b = 1, a = 0))
  expect_equal(weights(loop), c(a = 1, b = exp(-6)) / (1 + exp(-6)))
  expect_refused(update(loop, losses = c(a = 1, c = 0)), "mismatch", field = "losses")
  expect_refused(update(loop, losses = c(a = 1)), "mismatch", field = "losses")
  expect_refused(update(loop, losses = c(0, 1), round = 4), "request", field = "round")
})

test_that("experts with one name, and dates for forecasts, are refused", {
  expect_refused(aggregator(c("a", "a")), "duplicate", column = "a")
  loop <- aggregator(c("a", "b"))
  expect_refused(set_experts(loop, c("a", "a")), "duplicate", field = "experts")
  expect_refused(predict(loop, as.Date("2026-01-01") + 0:1), "value", field = "newexperts")
})

test_that("a saved state goes on to the bit", {
  series <- made_up()
  loop <- aggregator(colnames(series$X), "guard")
  file <- file_for_now()
  step <- function(loop, t) {
    forecast <- predict(loop, series$X[t, ])
    update(loop, series$y[t])
    forecast
  }
  for (t in 1:100) step(loop, t)
  save_state(loop, file)
  loaded <- load_state(file)
  expect_identical(vapply(101:150, step, 0, loop = loaded), vapply(101:150, step, 0, loop = loop))
  result <- pcgs(series$y[1:100], series$X[1:100, ], method = "guard")
  save_state(result, file)
  again <- load_state(file)
  expect_identical(vapply(101:150, step, 0, loop = again),
                   fitted(pcgs(series$y, series$X, method = "guard"))[101:150])
  writeLines("nothing", file)
  expect_refused(load_state(file), "format", file = file)
})

test_that("experts come and go in a living aggregator", {
  series <- made_up()
  loop <- aggregator(c("steady", "biased"), "fixed-share")
  for (t in 1:20) {
    predict(loop, series$X[t, 1:2])
    update(loop, series$y[t])
  }
  set_experts(loop, c("steady", "late"))
  expect_equal(names(weights(loop)), c("steady", "late"))
  expect_equal(sum(weights(loop)), 1)
})

test_that("a pointer of another session is refused", {
  loop <- unserialize(serialize(aggregator(2), NULL))
  expect_refused(predict(loop, c(1, 2)), "call")
})
