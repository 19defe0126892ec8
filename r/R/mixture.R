# mixture(): the front that users of opera know.

mixture <- function(Y = NULL, experts = NULL, model = "MLpol", loss.type = "square", loss.gradient = TRUE,
                    coefficients = "Uniform", awake = NULL, parameters = list(), use_cpp = TRUE, quiet = TRUE, ...) {
  no_more(...)
  only_uniform(coefficients, experts)
  switched(loss.gradient, "loss.gradient")
  task <- opera_loss(loss.type)
  method <- mixture_method(model, loss.gradient, parameters)
  object <- structure(list(
    call = match.call(), model = model, loss.type = task$name, tau = task$tau, loss.gradient = loss.gradient,
    parameters = parameters, coefficients = NULL, weights = NULL, prediction = NULL, loss = NULL,
    Y = NULL, experts = NULL, awake = NULL, names.experts = NULL, T = 0, K = 0,
    method = method, task = task$loss, unit = NULL, state = NULL
  ), class = "mixture")
  if (is.null(Y) && is.null(experts)) return(object)
  if (is.null(experts)) {
    refuse("experts is missing; give the forecasts, a column for each expert", kind = "missing", field = "experts")
  }
  if (is.null(Y)) refuse("Y is missing; give what happened", kind = "missing", field = "Y")
  advanced(object, experts, Y, awake, TRUE)
}

# The same number for every expert is uniform, too.
only_uniform <- function(coefficients, experts) {
  if (identical(coefficients, "Uniform")) return(invisible())
  count <- if (length(dim(experts)) == 2) ncol(experts) else length(coefficients)
  alike <- is.numeric(coefficients) && length(coefficients) == count && count > 0 && all(is.finite(coefficients)) &&
    all(coefficients > 0) && diff(range(coefficients)) <= 1e-12 * max(coefficients)
  if (!alike) {
    refuse("coefficients is ", deparse(coefficients, 40)[[1]], "; every method here begins with equal weights: give ",
           "\"Uniform\", or the same number for each expert", field = "coefficients")
  }
}

update.mixture <- function(object, newexperts, newY, awake = NULL, online = TRUE, use_cpp = TRUE, quiet = TRUE, ...) {
  no_more(...)
  if (missing(newY)) refuse("newY is missing; give what happened", kind = "missing", field = "newY")
  advanced(object, newexperts, newY, awake, online)
}

predict.mixture <- function(object, newexperts = NULL, newY = NULL, awake = NULL, online = !is.null(newY),
                            type = c("model", "response", "weights", "all"), use_cpp = TRUE, quiet = TRUE, ...) {
  no_more(...)
  type <- match.arg(type)
  if (is.null(newexperts)) {
    if (!is.null(newY)) {
      refuse("newY comes without newexperts; give the forecasts too", kind = "request", field = "newexperts")
    }
    rows <- seq_len(object$T)
    after <- object
  } else {
    if (is.null(newY) && online) {
      refuse("nothing can be learned without newY; give it, or online = FALSE", kind = "request", field = "newY")
    }
    rows <- object$T + seq_len(nrow(mixture_experts(object, newexperts, awake, length(newY) == 1)))
    after <- advanced(object, newexperts, if (is.null(newY)) rep(NA_real_, length(rows)) else newY, awake,
                      online)
    # Rounds without an outcome are forecast and not kept.
    if (is.null(newY) && type == "model") return(object)
  }
  switch(type,
    model = after,
    response = after$prediction[rows],
    weights = after$weights[rows, , drop = FALSE],
    all = list(model = if (is.null(newY)) object else after, response = after$prediction[rows],
               weights = after$weights[rows, , drop = FALSE])
  )
}

# The experts of these rounds, NA where one is missing.
mixture_experts <- function(object, experts, awake, one_round = FALSE) {
  X <- if (object$K == 0) expert_table(experts, "experts", one_round = one_round)
       else as_known(experts, object$names.experts, one_round = object$K > 1 && is.null(dim(experts)))
  if (is.null(awake)) return(X)
  if (is.null(dim(awake)) && nrow(X) == 1) awake <- matrix(awake, nrow = 1)
  awake <- as.matrix(awake)
  if (!identical(dim(awake), dim(X))) {
    refuse("awake has ", nrow(awake), " rows and ", ncol(awake), " columns, and the experts have ", nrow(X),
           " and ", ncol(X), "; give an entry for each forecast", kind = "mismatch", field = "awake")
  }
  between <- which(!is.na(awake) & awake != 0 & awake != 1)
  if (length(between) > 0) {
    refuse("awake holds ", format(awake[between[[1]]]), "; it must be 1 where an expert has a forecast, and 0 or NA ",
           "where that is missing", field = "awake")
  }
  X[is.na(awake) | awake == 0] <- NA_real_
  X
}

# The mixture after these rounds.
advanced <- function(object, experts, y, awake, online) {
  X <- mixture_experts(object, experts, awake, length(y) == 1)
  y <- outcomes(y, nrow(X), "Y")
  if (object$K == 0) not_the_outcome(X, y)
  switched(online, "online")
  whole <- if (is.null(object$experts)) X else rbind(object$experts, X)
  outcome <- c(object$Y, y)
  blocks <- c(object$blocks, if (online) rep(1, nrow(X)) else nrow(X))
  unit <- unit_for(object, whole, outcome)
  same <- !is.null(object$state) && identical(unit, object$unit)
  # In another unit everything that was learned has to be learned again.
  played <- if (same) play_mixture(object, unit, object$state, X, y, online)
            else replay_mixture(object, unit, whole, outcome, blocks)
  object$prediction <- if (same) c(object$prediction, played$prediction) else played$prediction
  object$weights <- if (same) rbind(object$weights, played$weights) else played$weights
  object$coefficients <- stats::setNames(played$coefficients, colnames(X))
  object$state <- played$state
  object$unit <- unit
  object$blocks <- blocks
  object$experts <- whole
  if (anyNA(whole)) object$awake <- !is.na(whole)
  object$Y <- outcome
  object$names.experts <- colnames(X)
  object$T <- nrow(whole)
  object$K <- ncol(whole)
  object$loss <- mean(loss_values(object$prediction, outcome, object$task, object$tau), na.rm = TRUE)
  object
}

not_the_outcome <- function(X, y) {
  column <- .Call(C_outcome_column, X, y, "Y")
  if (is.null(column)) return(invisible())
  refuse("experts: the column ", column, " equals the outcome in every row, which no forecast does; leave it out",
         column = column, field = "experts")
}

play_mixture <- function(object, unit, state, X, y, online) {
  options <- list(loss = object$task, tau = object$tau, experts = colnames(X), scale = unit,
                  method = spec_in_units(object$method, if (is.null(unit)) 1 else unit))
  .Call(C_play_rows, options, state, X, y, online)
}

replay_mixture <- function(object, unit, X, y, blocks) {
  if (all(blocks == 1)) return(play_mixture(object, unit, NULL, X, y, TRUE))
  ends <- cumsum(blocks)
  played <- NULL
  all <- list()
  for (i in seq_along(blocks)) {
    rows <- seq(ends[[i]] - blocks[[i]] + 1, ends[[i]])
    played <- play_mixture(object, unit, played$state, X[rows, , drop = FALSE], y[rows], FALSE)
    all[[i]] <- played
  }
  played$prediction <- unlist(lapply(all, `[[`, "prediction"))
  played$weights <- do.call(rbind, lapply(all, `[[`, "weights"))
  played
}

# What losses are divided by: a power of two, so that no digit changes. Methods whose losses may be as large
# as they are get the size of the first ones; others one that no loss is above, made larger where need be.
unit_for <- function(object, X, y) {
  if (object$method$scaled == "follow") return(NULL)
  if (object$method$scaled == "raw") return(1)
  if (object$method$scaled == "free") {
    if (!is.null(object$unit)) return(object$unit)
    return(power_of_two(first_loss(X, y, object)))
  }
  most <- most_lost(X, y, object$task, object$tau, object$loss.gradient)
  if (!is.null(object$unit) && object$unit >= most) return(object$unit)
  power_of_two(if (most > 0) 4 * most else 1)
}

# The largest loss of the first round in which anybody lost anything.
first_loss <- function(X, y, object) {
  for (t in seq_along(y)) {
    most <- max(0, loss_values(X[t, ], y[[t]], object$task, object$tau), na.rm = TRUE)
    if (most > 0) return(most)
  }
  1
}

# No loss, and with gradients no slope times distance twice over, is larger.
most_lost <- function(X, y, loss, tau, gradient) {
  if (!gradient) return(max(0, loss_values(X, y, loss, tau), na.rm = TRUE))
  low <- suppressWarnings(apply(X, 1, min, na.rm = TRUE))
  high <- suppressWarnings(apply(X, 1, max, na.rm = TRUE))
  there <- is.finite(low) & is.finite(high) & !is.na(y)
  slope <- if (loss == "squared") 2 * pmax(abs(low - y), abs(high - y)) else rep(1, length(y))
  max(0, (2 * slope * (high - low))[there])
}

power_of_two <- function(x) 2^min(max(ceiling(log2(x)), -900), 900)
