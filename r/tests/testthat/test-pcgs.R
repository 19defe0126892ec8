test_that("a result has forecasts, errors, weights, the next rows and a headline", {
  series <- made_up()
  series$y[299:300] <- NA
  result <- pcgs(series$y, series$X)
  expect_s3_class(result, "pcgs")
  expect_equal(names(result$forecasts),
               c("round", "outcome", "blend", "low_80", "high_80", "low_95", "high_95"))
  expect_equal(dim(result$weights), c(300, 3))
  expect_equal(colnames(result$weights), colnames(series$X))
  expect_equal(nrow(result$`next`), 2)
  expect_equal(result$`next`$forecast, result$forecasts$blend[299:300])
  expect_match(result$headline, "^The combination's error \\(RMSE ")
  expect_equal(result$errors$name[1:3], c("blend", "equal weights", "best convex mix"))
  expect_equal(sum(result$errors$kind == "expert"), 3)
  expect_equal(sum(result$weights_now), 1)
})

test_that("errors are those of the forecasts that are returned", {
  series <- made_up()
  result <- pcgs(series$y, series$X, method = c("ml-poly", "boa"))
  of <- function(name) result$errors[result$errors$name == name, ]
  for (method in c("ml-poly", "boa")) {
    error <- result$forecasts[[method]] - series$y
    expect_equal(of(method)$rmse, sqrt(mean(error^2)))
    expect_equal(of(method)$mae, mean(abs(error)))
    expect_equal(of(method)$bias, mean(error))
  }
  expect_equal(of("late")$rmse, sqrt(mean((series$X[, "late"] - series$y)^2)))
  expect_equal(of("equal weights")$rmse, sqrt(mean((rowMeans(series$X) - series$y)^2)))
  expect_equal(result$method, "boa")
  expect_equal(residuals(result), series$y - fitted(result))
})

test_that("forecasts of a linear method are its weights times those of the experts", {
  series <- made_up()
  result <- pcgs(series$y, series$X, method = "ml-poly")
  expect_equal(rowSums(result$weights * series$X), fitted(result))
  expect_equal(rowSums(result$weights), rep(1, 300))
})

test_that("the past does not depend on the future", {
  series <- made_up()
  whole <- fitted(pcgs(series$y, series$X, season = 24))
  expect_identical(fitted(pcgs(series$y[1:200], series$X[1:200, ], season = 24)), whole[1:200])
})

test_that("the formula, the matrix and the data frame are the same call", {
  series <- made_up()
  Y <- series$y
  experts <- series$X
  frame <- data.frame(Y = Y, experts)
  direct <- pcgs(Y, experts)
  for (other in list(pcgs(Y ~ experts), pcgs(Y ~ ., data = frame), pcgs(Y ~ steady + biased + late, data = frame),
                     pcgs(Y, frame[-1]))) {
    expect_identical(fitted(other), fitted(direct))
    expect_identical(other$weights, direct$weights)
    expect_identical(other$errors, direct$errors)
  }
  expect_equal(pcgs(Y ~ experts)$problem$outcome_name, "Y")
})

test_that("a column of dates says when rows are, and which seasons there are", {
  series <- made_up()
  ds <- as.POSIXct("2026-01-01", tz = "UTC") + 3600 * (0:299)
  frame <- data.frame(ds, load = series$y, series$X)
  result <- pcgs(load ~ ., data = frame)
  expect_equal(result$forecasts$ds, ds)
  expect_match(result$spec, "season=24", fixed = TRUE)
  expect_identical(fitted(result), fitted(pcgs(series$y, series$X, season = c(24, 168))))
  expect_identical(fitted(pcgs(series$y, series$X, time = ds)), fitted(result))
  expect_identical(fitted(pcgs(load ~ ., data = frame, time = "ds")), fitted(result))
  expect_refused(pcgs(series$y ~ series$X + ds), "value", column = "ds", field = "formula")
  expect_refused(pcgs(load ~ ., data = frame[c(2, 1, 3:300), ]), "value", row = 2, column = "ds")
})

test_that("experts sleep where they are NA", {
  series <- made_up()
  X <- series$X
  X[50:100, "steady"] <- NA
  X[7, ] <- NA
  result <- pcgs(series$y, X, method = "fixed-share")
  expect_equal(unname(result$weights[60, "steady"]), 0)
  expect_true(is.na(fitted(result)[7]))
  expect_equal(result$errors$rounds[result$errors$name == "steady"], 248)
  full <- rowSums(result$weights[8:300, ] * ifelse(is.na(X[8:300, ]), 0, X[8:300, ]))
  expect_equal(full, fitted(result)[8:300])
})

test_that("rows without an outcome are forecast and not learned", {
  series <- made_up()
  y <- series$y
  y[100] <- NA
  spoiled <- series$X
  spoiled[100, ] <- 1e6
  result <- pcgs(y, series$X, method = "ml-poly")
  other <- pcgs(y, spoiled, method = "ml-poly")
  expect_false(is.na(fitted(result)[100]))
  expect_identical(fitted(result)[-100], fitted(other)[-100])
})

test_that("a block is forecast before any of its outcomes is known", {
  series <- made_up()
  changed <- series$y
  changed[121:143] <- changed[121:143] + 100
  blocked <- function(y) fitted(pcgs(y, series$X, block = 24))
  expect_identical(blocked(series$y)[1:144], blocked(changed)[1:144])
  expect_false(identical(blocked(series$y)[145], blocked(changed)[145]))
})

test_that("going on with update() gives the bits of one run over all rows", {
  series <- made_up()
  whole <- pcgs(series$y, series$X, season = 24)
  parts <- pcgs(series$y[1:200], series$X[1:200, ], season = 24)
  parts <- update(parts, series$X[201:250, ], series$y[201:250])
  for (t in 251:260) parts <- update(parts, series$X[t, , drop = FALSE], series$y[t])
  parts <- update(parts, as.data.frame(series$X[261:300, ]), series$y[261:300])
  expect_identical(parts$forecasts, whole$forecasts)
  expect_identical(parts$weights, whole$weights)
  expect_identical(parts$errors, whole$errors)
  expect_identical(parts$headline, whole$headline)
  expect_identical(parts$weights_now, whole$weights_now)
})

test_that("rows with the outcome among them can be handed over as they are", {
  series <- made_up()
  frame <- data.frame(y = series$y, series$X)
  whole <- pcgs(y ~ ., data = frame)
  first <- pcgs(y ~ ., data = frame[1:200, ])
  expect_identical(update(first, frame[201:300, ], series$y[201:300])$weights, whole$weights)
  expect_identical(update(first, frame[201:300, ])$weights, whole$weights)
  expect_identical(update(first, as.matrix(frame[201:300, ]), series$y[201:300])$weights, whole$weights)
  expect_identical(predict(first, frame[201, ]), predict(first, series$X[201, ]))
  named <- pcgs(y ~ steady + late, data = frame[1:200, ])
  expect_identical(update(named, frame[201:300, ])$weights, pcgs(y ~ steady + late, data = frame)$weights)
  expect_identical(predict(named, frame[201, ]), predict(named, series$X[201, c("steady", "late")]))
  logs <- pcgs(log(y) ~ log(steady) + log(late), data = frame[1:200, ])
  expect_identical(fitted(update(logs, frame[201:300, ])),
                   fitted(pcgs(log(y) ~ log(steady) + log(late), data = frame)))
  expect_refused(update(first, frame[201:300, "y", drop = FALSE]), "mismatch", field = "newexperts")
})

test_that("a column that is the outcome is refused, also under another name", {
  series <- made_up()
  frame <- data.frame(load = c(series$y[-300], NA), series$X)
  load <- frame$load
  expect_load <- function(code) expect_refused(code, "value", column = "load")
  expect_load(pcgs(load, frame))
  expect_load(pcgs(frame["load"], as.matrix(frame)))
  expect_load(pcgs(load[1:3], frame[1:3, ], outcome = "load"))
  expect_load(pcgs(load ~ as.matrix(frame)))
  expect_load(mixture(frame$load[1:299], frame[1:299, ]))
  expect_load(predict(mixture(), frame[1:299, ], frame$load[1:299]))
  expect_load(update(mixture(), frame[1:299, ], frame$load[1:299]))
  expect_load(oracle(frame[1:299, "load"], frame[1:299, ]))
  first <- pcgs(series$y[1:200], series$X[1:200, ])
  expect_load(update(first, frame[201:299, ], frame$load[201:299]))
  expect_s3_class(update(first, frame[201:299, ], frame$load[201:299], ignore = "load"), "pcgs")
  expect_s3_class(pcgs(load, frame, ignore = "load"), "pcgs")
  expect_s3_class(pcgs(series$y + 1, frame, outcome = "load"), "pcgs")  # its name and other values
})

test_that("columns that are constant or count the rows are refused unless they are named", {
  series <- made_up()
  odd <- data.frame(series$X, same = 50, row = 1:300)
  expect_refused(pcgs(series$y, odd), "value", column = "same", file = "forecasts")
  expect_refused(pcgs(series$y, odd, ignore = "same"), "value", column = "row")
  expect_identical(colnames(pcgs(series$y, odd, ignore = c("same", "row"))$weights), colnames(series$X))
  expect_identical(colnames(pcgs(series$y, odd, models = c("same", "late"))$weights), c("same", "late"))
  expect_refused(pcgs(y ~ ., data.frame(y = series$y, odd)), "value", column = "same")
  expect_identical(colnames(pcgs(y ~ same + late, data.frame(y = series$y, odd))$weights), c("same", "late"))
  for (named in list("magic", c("late", "magic"))) {
    expect_refused(pcgs(series$y, odd, models = named), "unknown", column = "magic", field = "models")
  }
  day <- pcgs(series$y[1:200], series$X[1:200, ])
  expect_s3_class(update(day, cbind(steady = rep(50, 24)), series$y[201:224]), "pcgs")  # a known expert may stand still
  expect_refused(update(day, cbind(series$X[201:224, ], new = 50), series$y[201:224]), "value", column = "new")
})

test_that("what was taken for granted is noted", {
  series <- made_up()
  X <- series$X
  X[50, "late"] <- 0
  expect_match(pcgs(series$y, X)$notes, "late is 0 in 1 row")
  days <- as.Date("2026-01-01") + c(0:99, 101:300)
  notes <- pcgs(c(series$y[1:280], rep(NA, 20)), series$X, time = days)$notes
  expect_match(notes, "1 is missing in 1 place, the first after 2026-04-10", all = FALSE)
  expect_match(notes, "20 rows are to come.* give block = 20$", all = FALSE)
  expect_match(notes, "seasons of 7 rounds; season gives others, season = numeric\\(\\) none$", all = FALSE)
})

test_that("the default is blend, everywhere", {
  series <- made_up()
  expect_identical(fitted(pcgs(series$y, series$X)), fitted(pcgs(series$y, series$X, method = "blend")))
  expect_identical(pcgs(series$y, series$X)$method, "blend")
  expect_output(print(aggregator(3)), "aggregator: blend")
})

test_that("an expert may be right in every row", {
  happened <- c(0, 1, 0)
  experts <- cbind(a = happened, b = c(1, 1, 0))
  expect_equal(dim(mixture(happened, experts)$weights), c(3, 2))
  expect_equal(oracle(happened, experts, model = "expert")$loss, 0)
  expect_equal(ncol(pcgs(happened, experts)$weights), 2)
  expect_equal(ncol(pcgs(happened ~ experts)$weights), 2)
  expect_equal(ncol(update(pcgs(happened, experts), cbind(experts, c = happened), happened)$weights), 3)
  expect_equal(ncol(pcgs(1, cbind(a = 1, b = 2))$weights), 2)
})

test_that("a formula's experts are its terms", {
  series <- made_up()
  frame <- data.frame(y = series$y, series$X)
  expect_identical(colnames(pcgs(y ~ . - late, data = frame)$weights), c("steady", "biased"))
  expect_identical(colnames(pcgs(y ~ 0 + steady + I(late - 3), data = frame)$weights), c("steady", "I(late - 3)"))
  names(frame)[2] <- "steady one"
  expect_identical(colnames(pcgs(y ~ ., data = frame)$weights), c("steady one", "biased", "late"))
  expect_refused(pcgs(y ~ biased + offset(late), data = frame), "value", field = "formula")
  expect_refused(pcgs(y ~ biased * late, data = frame), "value", field = "formula")
  expect_refused(pcgs(y ~ 1, data = frame), "value", field = "formula")
})

test_that("times that are handed over beside the table leave an expert called time alone", {
  series <- made_up()
  frame <- data.frame(y = series$y, series$X, time = series$y + 2)
  days <- as.Date("2026-01-01") + 0:299
  result <- pcgs(y ~ ., data = frame, time = days, season = 7)
  expect_identical(result$experts[, "time"], series$y + 2)
  expect_identical(result$forecasts$time, days)
})

test_that("levels with and without a decimal have columns of their own, in update(), too", {
  series <- made_up()
  whole <- pcgs(series$y, series$X, intervals = c(0.8, 0.975))
  expect_identical(names(whole$forecasts)[4:7], c("low_80", "high_80", "low_97.5", "high_97.5"))
  first <- pcgs(series$y[1:200], series$X[1:200, ], intervals = c(0.8, 0.975))
  old <- options(digits = 2)
  on.exit(options(old))
  expect_identical(update(first, series$X[201:300, ], series$y[201:300])$forecasts, whole$forecasts)
})

test_that("a vector with names is one round, and who is not in it sleeps", {
  series <- made_up()
  fit <- pcgs(series$y[1:200], series$X[1:200, ])
  asleep <- cbind(steady = NA, biased = 50, late = 51)
  expect_identical(predict(fit, c(late = 51, biased = 50)), predict(fit, asleep))
  expect_identical(update(fit, c(late = 51, biased = 50), 52)$weights, update(fit, asleep, 52)$weights)
  expect_identical(update(fit, c(49, 50, 51), 52)$weights,
                   update(fit, cbind(steady = 49, biased = 50, late = 51), 52)$weights)
})

test_that("going on is refused where one run over all rows would not have known as much", {
  series <- made_up()
  late <- pcgs(series$y[1:200], series$X[1:200, ], delay = 3)
  expect_refused(update(late, series$X[201:300, ], series$y[201:300]), "request", field = "delay")
  within <- pcgs(series$y[1:200], series$X[1:200, ], block = 24)
  expect_refused(update(within, series$X[201:300, ], series$y[201:300]), "request", field = "block")
  whole <- pcgs(series$y, series$X, block = 24)
  parts <- pcgs(series$y[1:192], series$X[1:192, ], block = 24)
  parts <- update(parts, series$X[193:240, ], series$y[193:240])
  parts <- update(parts, series$X[241:300, ], series$y[241:300])
  expect_identical(parts$forecasts, whole$forecasts)
  expect_identical(parts$weights, whole$weights)
})

test_that("two pieces with a state give the bits of one run", {
  series <- made_up()
  days <- as.Date("2026-01-01") + 0:299
  piece <- function(rows, ...) pcgs(series$y[rows], series$X[rows, ], time = days[rows], ...)
  whole <- piece(1:300)
  first <- piece(1:200)
  file <- file_for_now()
  save_state(first, file)
  columns <- setdiff(names(whole$forecasts), "time")
  for (state in list(first, first$state, file, load_state(file))) {
    second <- piece(201:300, state = state)
    expect_identical(as.list(second$forecasts[columns]), as.list(whole$forecasts[201:300, columns]))
    expect_identical(second$weights, whole$weights[201:300, ])
    expect_identical(second$state, whole$state)
    expect_identical(second$spec, whole$spec)
    skipped <- piece(150:300, state = state, skip_learned = TRUE)
    expect_identical(skipped$forecasts, second$forecasts)
    expect_identical(skipped$errors, second$errors)
  }
  expect_identical(update(first, series$X[201:300, ], series$y[201:300], time = days[201:300])$state, whole$state)
  expect_identical(update(second, series$X[300, ], 1, time = days[300] + 1)$state,
                   update(whole, series$X[300, ], 1, time = days[300] + 1)$state)
})

test_that("a state says with what it was saved, and refuses the rest", {
  series <- made_up()
  first <- pcgs(series$y[1:200], series$X[1:200, ], method = "boa", loss = "absolute", intervals = 0.9)
  on <- function(...) pcgs(series$y[201:300], series$X[201:300, ], state = first, ...)
  expect_identical(on()$method, "boa")
  expect_identical(on()$problem$loss, "absolute")
  expect_identical(on()$levels, 0.9)
  expect_identical(on(method = "boa", loss = "absolute", intervals = 0.9)$state, on()$state)
  expect_refused(on(method = "blend"), "mismatch", field = "method", file = "the earlier run")
  expect_refused(on(loss = "squared"), "mismatch", field = "loss")
  expect_refused(on(intervals = c(0.8, 0.95)), "mismatch", field = "intervals")
  expect_refused(on(outcome = "load"), "mismatch", field = "outcome")
  expect_identical(colnames(pcgs(series$y[201:300], series$X[201:300, 1:2], state = first, drop = "late")$weights),
                   c("steady", "biased"))
  expect_refused(pcgs(series$y, series$X, drop = "late"), "request", field = "drop")
  expect_refused(pcgs(series$y, series$X, skip_learned = TRUE), "request", field = "skip_learned")
  expect_refused(pcgs(series$y, series$X, state = 7), "value", field = "state")
  missing <- tempfile()
  expect_refused(pcgs(series$y, series$X, state = missing), "file", file = missing)
  writeLines("nothing", missing)
  expect_refused(pcgs(series$y, series$X, state = missing), "format", file = missing)
  unlink(missing)
})

test_that("rows that were learned are refused or skipped", {
  series <- made_up()
  days <- as.Date("2026-01-01") + 0:299
  first <- pcgs(series$y[1:200], series$X[1:200, ], time = days[1:200])
  expect_refused(update(first, series$X[201:300, ], series$y[201:300]), "mismatch", field = "time")
  expect_refused(update(first, series$X[191:300, ], series$y[191:300], time = days[191:300]), "mismatch", row = 1,
                 column = "time")
  skipped <- update(first, series$X[191:300, ], series$y[191:300], time = days[191:300], skip_learned = TRUE)
  expect_identical(fitted(skipped), fitted(pcgs(series$y, series$X, time = days)))
  untimed <- pcgs(series$y[1:200], series$X[1:200, ])
  expect_refused(update(untimed, series$X[201:300, ], series$y[201:300], time = days[201:300]), "mismatch",
                 field = "time")
})

test_that("where every row was learned there is nothing to do", {
  series <- made_up()
  days <- as.Date("2026-01-01") + 0:299
  first <- pcgs(series$y[1:200], series$X[1:200, ], time = days[1:200])
  again <- update(first, series$X[151:200, ], series$y[151:200], time = days[151:200], skip_learned = TRUE)
  expect_identical(again$forecasts, first$forecasts)
  expect_identical(again$state, first$state)
  expect_match(again$notes, "50 rows were skipped")
  none <- pcgs(series$y[1:200], series$X[1:200, ], time = days[1:200], state = first, skip_learned = TRUE)
  expect_identical(none$state, first$state)
  expect_identical(none$weights_now, first$weights_now)
  expect_identical(none$forecasts, first$forecasts[0, ])
  expect_identical(names(none$errors), names(first$errors))
  expect_identical(predict(none, series$X[201, ]), predict(first, series$X[201, ]))
  expect_output(print(none), "No row is new")
  expect_output(print(summary(none)), "No row is new")
  expect_refused(plot(none), "call")
  on <- function(from) update(from, series$X[201:300, ], series$y[201:300], time = days[201:300])
  expect_identical(on(none)$forecasts$blend, on(first)$forecasts$blend[201:300])
})

test_that("rows whose outcome was not known yet are learned when it is", {
  series <- made_up()
  y <- series$y
  y[281:300] <- NA
  waiting <- pcgs(y, series$X)
  expect_equal(nrow(waiting$`next`), 20)
  done <- update(waiting, series$X[281:300, ], series$y[281:300])
  expect_equal(nrow(done$forecasts), 300)
  expect_identical(fitted(done), fitted(pcgs(series$y, series$X)))
})

test_that("experts may come, sleep and stand in another order", {
  series <- made_up()
  first <- pcgs(series$y[1:200], series$X[1:200, ], method = "fixed-share")
  again <- update(first, series$X[201:300, c(3, 1, 2)], series$y[201:300])
  expect_identical(fitted(again), fitted(pcgs(series$y, series$X, method = "fixed-share")))
  more <- cbind(series$X[201:300, 1:2], new = series$y[201:300] + 1e-3)
  changed <- update(first, more, series$y[201:300])
  expect_equal(colnames(changed$weights), c("steady", "biased", "late", "new"))
  expect_equal(unname(changed$weights[300, "late"]), 0)
  expect_gt(changed$weights[300, "new"], 0.5)
})

test_that("predict() forecasts new rows and learns nothing", {
  series <- made_up()
  y <- series$y
  y[291:300] <- NA
  waiting <- pcgs(y, series$X)
  learned <- pcgs(series$y[1:290], series$X[1:290, ])
  ahead <- predict(learned, series$X[291:300, ])
  expect_identical(names(ahead), setdiff(names(waiting$`next`), "round"))
  expect_identical(ahead$forecast, waiting$`next`$forecast)
  expect_identical(ahead$low_80, waiting$`next`$low_80)
  expect_identical(predict(learned, series$X[291:300, ]), ahead)
  expect_identical(predict(waiting), waiting$`next`)
})

test_that("intervals hold about as many outcomes as they say", {
  series <- made_up(2000)
  record <- summary(pcgs(series$y, series$X, method = "boa"))$intervals
  expect_equal(record$level, c(0.8, 0.95))
  expect_lt(max(abs(record$held - record$level)), 0.02)
  expect_gt(record$mean_width[2], record$mean_width[1])
})

test_that("a result survives saveRDS()", {
  series <- made_up()
  result <- pcgs(series$y[1:200], series$X[1:200, ])
  file <- file_for_now()
  saveRDS(result, file)
  expect_identical(fitted(update(readRDS(file), series$X[201:300, ], series$y[201:300])),
                   fitted(pcgs(series$y, series$X)))
})

test_that("printing, summaries and pictures work", {
  series <- made_up()
  series$y[300] <- NA
  result <- pcgs(series$y, series$X, time = as.Date("2026-01-01") + 0:299)
  expect_output(print(result), "forecasts: 300 rounds, 3 experts, from 2026-01-01 to 2026-10-27")
  expect_output(print(result), "next forecasts:")
  expect_output(print(summary(result)), "intervals:")
  on_paper(plot(result))
})

test_that("graphical parameters replace those of the pictures", {
  series <- made_up()
  result <- pcgs(series$y, series$X)
  titles <- c(weights = "Weights", errors = "RMSE", forecasts = "Forecasts of blend")
  for (which in names(titles)) {
    expect_true(picture_has(titles[[which]], plot(result, which)))
    expect_true(picture_has("mine", plot(result, which, main = "mine")))
    expect_false(picture_has(titles[[which]], plot(result, which, main = "mine")))
  }
  limits <- NULL
  for (which in c("weights", "forecasts")) {
    picture({
      plot(result, which, ylim = c(-7, 90), xlab = "hour", yaxs = "i")
      limits <- par("usr")[3:4]
    })
    expect_equal(limits, c(-7, 90))
  }
  expect_silent(picture(plot(result, main = "mine", ylim = c(0, 100), xlab = "hour", type = "l")))
  colours <- c("#010000", "#020000", "#030000")
  for (which in c("weights", "errors")) {
    expect_true(grepl("0.012 0.000 0.000 scn", picture(plot(result, which, col = colours)), fixed = TRUE))
  }
  expect_true(picture_has("mine", plot(oracle(series$y, series$X, "shifting", niter = 3), main = "mine", col = 2)))
  expect_true(picture_has("mine", plot(oracle(series$y, series$X), main = "mine")))
})

test_that("pictures need no outcome", {
  series <- made_up(50)
  result <- pcgs(rep(NA_real_, 50), series$X)
  expect_silent(picture(plot(result)))
  expect_true(picture_has("no outcome is known yet", plot(result, "errors")))
  series$X[] <- NA
  expect_silent(picture(plot(pcgs(rep(NA_real_, 50), series$X), "forecasts")))
})

test_that("a subset of the rows is what the formula is for", {
  series <- made_up()
  ds <- as.POSIXct("2026-01-01", tz = "UTC") + 3600 * (0:299)
  frame <- data.frame(ds, y = series$y, series$X)
  kept <- frame[frame$late > 50, ]
  limit <- 50
  same <- function(...) expect_identical(pcgs(y ~ . , frame, ...)$forecasts, pcgs(y ~ ., kept)$forecasts)
  same(subset = late > 50)
  same(subset = late > limit)
  same(subset = which(frame$late > 50))
  expect_identical(fitted(pcgs(log(y) ~ log(late), frame, subset = late > 50)), fitted(pcgs(log(y) ~ log(late), kept)))
  happened <- series$y
  experts <- series$X
  expect_identical(fitted(pcgs(happened ~ experts, subset = 1:99)), fitted(pcgs(happened[1:99], experts[1:99, ])))
  expect_refused(pcgs(y ~ ., frame, subset = c(TRUE, FALSE)), "value", field = "subset")
  expect_refused(pcgs(y ~ ., frame, subset = 301), "value", field = "subset")
})

test_that("what cannot be used is a condition with a kind and a place", {
  series <- made_up()
  X <- series$X
  y <- series$y
  expect_refused(pcgs(y[-1], X), "mismatch", field = "y")
  expect_refused(pcgs(y, X, method = "magic"), "unknown", field = "method")
  expect_refused(pcgs(y, X, method = "fixed-share*"), "request", field = "save")
  expect_refused(pcgs(y, X, method = c("boa", "boa")), "duplicate", field = "method")
  expect_refused(pcgs(y, X, seasons = 24), "unknown")
  expect_refused(pcgs(y, X, season = 1), "request", field = "season")
  expect_refused(pcgs(y, X, season = c(168, 24)), "request", field = "season")
  expect_refused(pcgs(y, X, season = 2.5), "value", field = "season")
  expect_refused(pcgs(y, X, block = 0.5), "value", field = "block")
  expect_refused(pcgs(y, X, block = 0), "request", field = "block")
  expect_refused(pcgs(y, X, intervals = 80), "request", field = "intervals")
  expect_refused(pcgs(y, X, intervals = c(0.8, NA)), "request", field = "intervals")
  expect_refused(pcgs(as.numeric(y > 50), plogis(X - 50), loss = "log", intervals = 0.8), "request", field = "intervals")
  expect_identical(pcgs(as.numeric(y > 50), plogis(X - 50), loss = "log")$levels, numeric())
  expect_refused(pcgs(y, X, loss = "huber"), "unknown", field = "loss")
  expect_refused(pcgs(y, data.frame(X, sky = "blue")), "value", column = "sky")
  expect_s3_class(pcgs(y, data.frame(X, sky = "blue"), ignore = "sky"), "pcgs")
  expect_refused(pcgs(y, cbind(a = X[, 1], a = X[, 2])), "duplicate", column = "a")
  expect_refused(pcgs(letters, X), "value")
  expect_refused(pcgs(replace(y, 3, Inf), X), "value", file = "forecasts", row = 3, column = "y")
  expect_refused(pcgs(y, replace(X, 303, Inf)), "value", row = 3, column = "biased")
  expect_refused(pcgs(y, X, time = as.Date("2026-01-01") + 0:9), "mismatch", field = "times")
  expect_refused(pcgs(~X), "value", field = "formula")
  expect_refused(update(pcgs(y, X), cbind(other = y + 1), y), "mismatch", file = "the earlier run")
})

test_that("sentences are in the words of R", {
  series <- made_up()
  days <- as.Date("2026-01-01") + 0:299
  said <- function(code) conditionMessage(expect_error(code, class = "pcgs_error"))
  first <- pcgs(series$y[1:200], series$X[1:200, ], time = days[1:200])
  expect_match(said(update(first, series$X[200:300, ], series$y[200:300], time = days[200:300])),
               "^forecasts: row 1, column time: 2026-07-19 .* skipped with skip_learned = TRUE$")
  expect_match(said(update(first, series$X[201:300, ], series$y[201:300])), "name the column of times with time")
  expect_match(said(pcgs(series$y, series$X, state = first, method = "boa")), "leave method out to resume it$")
  expect_match(said(pcgs(series$y, cbind(series$X, same = 1))), "leave it out with ignore, or name .* with models if")
  expect_null(conditionCall(tryCatch(pcgs(series$y, series$X, method = "magic"), error = identity)))
})

test_that("every registered method can be played", {
  series <- made_up(60)
  methods <- pcgs_methods()
  expect_true(all(c("blend", "guard", "ml-poly", "boa") %in% methods$name))
  forecasts <- pcgs(series$y, series$X, method = methods$name)$forecasts
  for (method in methods$name) {
    inside <- forecasts[[method]] >= apply(series$X, 1, min) - 20 & forecasts[[method]] <= apply(series$X, 1, max) + 20
    expect_true(all(inside), info = method)
  }
})
