# Weights and forecasts that the R package opera gives for small problems: golden/README.md.

expect_weights <- function(model, file, gradient = FALSE, parameters = list()) {
  losses <- golden("losses.csv")
  ours <- mixture(Y = rep(0, 80), experts = sqrt(losses), model = model, loss.gradient = gradient,
                  parameters = parameters)
  expect_equal(unname(ours$weights), unname(golden(file)), tolerance = 1e-12)
}

test_that("weights without gradients are opera's", {
  expect_weights("MLpol", "ml_poly.csv")
  expect_weights("BOA", "boa.csv")
  expect_weights("EWA", "ewa_eta2.csv", parameters = list(eta = 2))
  expect_weights("FS", "fixed_share_eta2_alpha0.05.csv", parameters = list(eta = 2, alpha = 0.05))
})

expect_gradient <- function(model, file, loss, parameters = list(), factor = 1) {
  given <- golden("forecasts.csv")
  theirs <- golden(paste0("gradient_", file, "_", loss, ".csv"))
  loss.type <- if (loss == "pinball") list(name = "pinball", tau = 0.3) else loss
  ours <- mixture(Y = factor * given[, "y"], experts = factor * given[, -1], model = model,
                  loss.type = loss.type, parameters = parameters)
  expect_equal(ours$prediction, unname(factor * theirs[, "prediction"]), tolerance = 1e-12,
               info = paste(model, loss))
  expect_equal(unname(ours$weights), unname(theirs[, -1]), tolerance = 1e-9, info = paste(model, loss))
}

test_that("forecasts and weights with gradients are opera's, for three losses", {
  for (loss in c("square", "absolute", "pinball")) {
    expect_gradient("MLpol", "mlpol", loss)
    expect_gradient("BOA", "boa", loss, list(doubling = TRUE))
    expect_gradient("MLewa", "mlewa", loss)
    expect_gradient("MLprod", "mlprod", loss)
    expect_gradient("EWA", "ewa", loss, list(eta = if (loss == "square") 0.01 else 0.1))
  }
})

test_that("forecasts do not depend on the unit", {
  for (factor in c(1e-9, 1e9)) {
    expect_gradient("MLpol", "mlpol", "square", factor = factor)
    expect_gradient("MLewa", "mlewa", "absolute", factor = factor)
    expect_gradient("EWA", "ewa", "square", list(eta = 0.01 / factor^2), factor = factor)
    series <- made_up()
    for (model in c("MLpol", "BOA", "MLewa", "EWA", "FS")) {
      for (gradient in c(TRUE, FALSE)) {
        plain <- mixture(series$y, series$X, model = model, loss.gradient = gradient)
        scaled <- mixture(factor * series$y, factor * series$X, model = model, loss.gradient = gradient)
        expect_equal(scaled$weights, plain$weights, tolerance = 1e-6, info = model)
      }
    }
  }
})

test_that("row by row, in parts and at once are the same", {
  series <- made_up()
  for (model in c("MLpol", "BOA", "EWA", "FS", "blend")) {
    for (gradient in c(TRUE, FALSE)) {
      whole <- mixture(series$y, series$X, model = model, loss.gradient = gradient)
      parts <- mixture(model = model, loss.gradient = gradient)
      for (t in 1:20) parts <- update(parts, newexperts = series$X[t, ], newY = series$y[t])
      parts <- predict(parts, newexperts = series$X[21:300, ], newY = series$y[21:300])
      expect_equal(parts$prediction, whole$prediction, info = model)
      expect_equal(parts$weights, whole$weights, info = model)
      expect_equal(coef(parts), coef(whole), info = model)
      expect_equal(parts$loss, whole$loss, info = model)
    }
  }
})

test_that("results are named as opera names them", {
  series <- made_up()
  fit <- mixture(Y = series$y, experts = series$X, model = "BOA")
  expect_equal(fit$loss, mean((fit$prediction - series$y)^2))
  expect_equal(rowSums(fit$weights * series$X), fit$prediction)
  expect_equal(names(fit$coefficients), colnames(series$X))
  expect_equal(dim(fit$weights), c(300, 3))
  expect_equal(fit$T, 300)
  expect_equal(fit$K, 3)
  expect_output(print(fit), "Aggregation rule: BOA")
  expect_output(print(summary(fit)), "Uniform")
  on_paper(plot(fit))
})

test_that("predict() answers by type", {
  series <- made_up()
  fit <- mixture(series$y[1:200], series$X[1:200, ], model = "MLpol")
  X <- series$X[201:300, ]
  y <- series$y[201:300]
  frozen <- predict(fit, X, online = FALSE, type = "response")
  expect_equal(frozen, as.vector(X %*% coef(fit)))
  whole <- mixture(series$y, series$X, model = "MLpol")
  expect_equal(predict(fit, X, y, type = "response"), whole$prediction[201:300])
  expect_equal(predict(fit, X, y, type = "weights"), whole$weights[201:300, ])
  expect_equal(predict(fit, X, y, type = "all")$model$loss, whole$loss)
  expect_equal(predict(fit, X, y, online = FALSE, type = "response"), frozen)
  expect_equal(predict(fit, type = "response"), fit$prediction)
  expect_refused(predict(fit, X, online = TRUE), "request", field = "newY")
})

test_that("the first round may be a vector", {
  expect_equal(predict(mixture(model = "BOA"), newexperts = c(1, 2, 3), newY = 2, type = "response"), 2)
})

test_that("awake puts experts to sleep, as NA does", {
  series <- made_up()
  awake <- matrix(1, 300, 3)
  awake[20:80, 2] <- 0
  awake[90, 1] <- NA
  X <- series$X
  X[awake == 0 | is.na(awake)] <- NA
  for (model in c("MLpol", "BOA", "FS")) {
    told <- mixture(series$y, series$X, model = model, awake = awake)
    expect_identical(told$weights, mixture(series$y, X, model = model)$weights)
    expect_equal(unname(told$weights[20:80, 2]), rep(0, 61))
    expect_equal(rowSums(told$weights), rep(1, 300))
  }
  expect_refused(mixture(series$y, series$X, awake = awake * 0.5), "value", field = "awake")
  expect_refused(mixture(series$y, series$X, awake = awake[-1, ]), "mismatch", field = "awake")
})

test_that("without rates EWA and FS choose their own", {
  series <- made_up()
  best <- min(colMeans((series$X - series$y)^2))
  expect_lt(mixture(series$y, series$X, model = "EWA")$loss, best)
  expect_lt(mixture(series$y, series$X, model = "FS", loss.gradient = FALSE)$loss, 1.1 * best)
})

test_that("loss.gradient is for the package's own method names, too", {
  series <- made_up(60)
  fit <- function(model, ...) mixture(series$y, series$X, model = model, ...)
  trick <- function(fit) sub(".*: ", "", grep("Gradient trick", capture.output(print(fit)), value = TRUE))
  for (model in setdiff(pcgs_methods()$name, c("blend", "pcgs-tf:combine"))) {
    on <- fit(model)
    off <- fit(model, loss.gradient = FALSE)
    expect_false(identical(on$weights, off$weights), info = model)
    expect_identical(c(trick(on), trick(off)), c("on", "off"), info = model)
    expect_identical(fit(paste0(model, "{gradient=0}"))$weights, off$weights, info = model)
  }
  for (model in c("blend", "pcgs-tf:combine")) {
    expect_identical(fit(model)$weights, fit(model, loss.gradient = FALSE)$weights)
    expect_identical(trick(fit(model)), "none")
  }
  expect_identical(trick(fit("guard{ learned=0, gradient = 0 }")), "off")
  expect_identical(fit("hedge{eta=2}")$weights, fit("hedge{eta=2,gradient=1}", loss.gradient = FALSE)$weights)
  expect_identical(fit("boa{}")$weights, fit("boa")$weights)
  expect_refused(fit("hedge{eta=2"), "value")
})

test_that("a decimal comma in options() reaches no spec", {
  series <- made_up(60)
  fits <- function() {
    list(mixture(series$y, series$X, "EWA", parameters = list(eta = 0.3))$weights,
         mixture(series$y, series$X, "FS", parameters = list(eta = 1 / 3, alpha = 0.05))$weights,
         fitted(pcgs(series$y, series$X, method = "hedge", scale = 0.7)),
         weights(update(aggregator(3, "hedge", scale = 0.7), losses = c(0.1, 0.2, 0.3))))
  }
  point <- fits()
  old <- options(OutDec = ",")
  on.exit(options(old))
  expect_identical(fits(), point)
})

test_that("arguments of opera that mean nothing here are taken", {
  series <- made_up(60)
  fit <- mixture(series$y, series$X)
  same <- function(other) expect_identical(other$weights, fit$weights)
  same(mixture(series$y, series$X, use_cpp = FALSE, quiet = FALSE))
  same(mixture(series$y, series$X, coefficients = rep(1 / 3, 3)))
  same(predict(mixture(coefficients = c(1, 1, 1), quiet = TRUE), newexpert = series$X, newY = series$y, quiet = TRUE))
  same(update(mixture(), series$X, series$y, use_cpp = TRUE, quiet = TRUE))
  on_paper(plot(fit, pause = TRUE, dynamic = FALSE))
  colours <- c("#010000", "#020000", "#030000")
  for (type in c("plot_weight", "boxplot_weight", "dyn_avg_loss", "avg_loss")) {
    shown <- picture(plot(fit, dynamic = TRUE, type = type, col = colours, main = "mine"))
    expect_true(grepl("(mine) Tj", shown, fixed = TRUE), info = type)
    for (red in c("0.004", "0.008", "0.012")) {
      expect_true(grepl(paste(red, "0.000 0.000 sc"), shown, ignore.case = TRUE), info = paste(type, red))
    }
  }
  expect_silent(picture(plot(mixture(rep(NA_real_, 60), series$X))))
  expect_true(picture_has("mine", plot(oracle(series$y, series$X), sort = FALSE, dynamic = TRUE, main = "mine")))
})

test_that("what opera takes and we do not is refused", {
  series <- made_up()
  fit <- function(...) mixture(series$y, series$X, ...)
  expect_refused(fit(model = "OGD"), "unknown", field = "model")
  expect_refused(fit(model = "magic"), "unknown", field = "method")
  expect_refused(fit(loss.type = "percentage"), "value", field = "loss.type")
  expect_refused(fit(loss.type = list(name = "pinball", tau = 2)), "value", field = "tau")
  for (unequal in list(c(0.5, 0.3, 0.2), c(0.5, 0.5), "uniform")) {
    expect_refused(fit(coefficients = unequal), "value", field = "coefficients")
  }
  expect_refused(fit(model = "MLpol", parameters = list(eta = 1)), "unknown", field = "parameters")
  expect_refused(fit(model = "FS", parameters = list(eta = 1)), "request", field = "parameters")
  expect_refused(fit(model = "EWA", parameters = list(eta = 1e9)), "value", field = "parameters")
  expect_refused(fit(used = TRUE), "unknown")
  expect_refused(plot(fit(), type = "contrib"), "unknown", field = "type")
  expect_refused(mixture(experts = series$X), "missing", field = "Y")
  expect_refused(summary(mixture()), "call")
})
