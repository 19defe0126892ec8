# Whole tables of forecasts, combined as `pcgs run` does it and with its numbers.

pcgs <- function(y, ...) UseMethod("pcgs")

pcgs.formula <- function(formula, data = NULL, time = NULL, subset = NULL, ...) {
  if (length(formula) != 3) refuse("the formula has no left side; give y ~ experts")
  parts <- formula_parts(formula, data, time)
  rows <- eval(substitute(subset), as.list(data), environment(formula))
  if (!is.null(rows)) parts <- those_rows(parts, rows)
  not_the_outcome(expert_table(parts$X), outcomes(parts$y, nrow(parts$X)), outcome_variable(formula[[2]]))
  result <- pcgs.default(parts$y, parts$X, time = parts$times, outcome = parts$outcome, ...)
  result$call <- match.call()
  result$formula <- formula
  result$takes <- parts$takes
  result
}

pcgs.default <- function(y, X, method = "blend", season = NULL, block = 1, delay = 0,
                         intervals = c(0.8, 0.95), loss = "squared", tau = 0.5, scale = NULL, time = NULL,
                         outcome = "y", name = "forecasts", ...) {
  no_more(...)
  called <- c(outcome, if (missing(outcome)) names_of_outcome(substitute(y), y))
  if (missing(X)) refuse("X is missing; give the forecasts, a column for each expert")
  kept <- apart_from_times(X, time)
  X <- expert_table(kept$X)
  y <- outcomes(y, nrow(X))
  same_rounds(kept$times, nrow(X))
  not_the_outcome(X, y, called)
  task <- checked_loss(loss, tau)
  if (!is.character(method) || length(method) == 0 || anyNA(method)) {
    refuse("method is ", deparse(method, 40)[[1]], "; give a name, or several of which the last is published")
  }
  problem <- c(task, list(
    origin = text(name, "name"), outcome_name = text(outcome, "outcome"), experts = colnames(X), values = X,
    y = y, scale = scale_text(scale), times = kept$times[c("name", "text", "at")],
    block = whole(block, "block", 1), delay = whole(delay, "delay", 0)
  ))
  if (is.null(kept$times)) problem["times"] <- list(NULL)
  options <- list(methods = method, seasons = seasons(season), intervals = levels_of(intervals, task$loss))
  played <- .Call(C_play, complete(problem, "scale"), complete(options, "seasons"), NULL)
  result <- new_result(problem, kept$times, played)
  result$call <- match.call()
  result
}

# NULL stays in a list only if it is put there as such.
complete <- function(list, ...) {
  for (field in c(...)) if (is.null(list[[field]])) list[field] <- list(NULL)
  list
}

# What was played, with the errors of all rows.
new_result <- function(problem, times, played) {
  X <- played$values
  dimnames(X) <- list(NULL, played$experts)
  problem$values <- X
  problem$experts <- played$experts
  known <- which(!is.na(problem$y))
  last <- if (length(known) == 0) 0 else max(known)
  colnames(played$forecasts) <- played$methods
  answer <- .Call(C_answer, complete(problem, "scale", "times"), played$methods, played$forecasts)
  forecasts <- forecast_frame(problem$y, times, played)
  weights <- played$weights
  dimnames(weights) <- list(NULL, played$experts)
  coming <- seq_len(nrow(X)) > last
  structure(list(
    call = NULL, method = played$methods[[length(played$methods)]], spec = played$spec,
    headline = answer$headline, sureness = answer$sureness, measure = answer$measure,
    errors = error_frame(answer), forecasts = forecasts, weights = weights,
    `next` = coming_rows(forecasts[coming, , drop = FALSE], played$methods),
    weights_now = stats::setNames(played$next_weights, played$experts), levels = played$levels,
    notes = played$notes, ns_per_round = stats::setNames(played$ns_per_round, played$methods),
    y = problem$y, experts = X, times = times, known = last,
    problem = problem[c("origin", "outcome_name", "loss", "tau", "scale", "block", "delay")],
    state = played$state
  ), class = "pcgs")
}

# What is published of them, under the names that predict() gives to new rows.
coming_rows <- function(forecasts, methods) {
  out <- forecasts[setdiff(names(forecasts), c("outcome", utils::head(methods, -1)))]
  names(out)[[2]] <- "forecast"
  out
}

forecast_frame <- function(y, times, played) {
  frame <- if (is.null(times)) data.frame(round = seq_along(y)) else data.frame(times$time)
  names(frame) <- if (is.null(times)) "round" else times$name
  frame$outcome <- y
  for (method in played$methods) frame[[method]] <- played$forecasts[, method]
  for (i in seq_along(played$levels)) {
    frame[[end_names(played$levels[[i]], "low")]] <- played$low[, i]
    frame[[end_names(played$levels[[i]], "high")]] <- played$high[, i]
  }
  frame
}

error_frame <- function(answer) {
  columns <- c("name", "kind", "rounds", "rmse", "mae", "mape", "bias", "loss", "difference")
  frame <- as.data.frame(answer[columns])
  frame$rounds <- as.integer(frame$rounds)
  if (all(is.na(frame$loss))) frame$loss <- NULL
  frame
}

pcgs_methods <- function() {
  as.data.frame(.Call(C_method_table))
}
