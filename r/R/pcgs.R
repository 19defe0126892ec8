# Whole tables of forecasts, combined as `pcgs run` does it and with its numbers.

pcgs <- function(y, ...) UseMethod("pcgs")

pcgs.formula <- function(formula, data = NULL, time = NULL, subset = NULL, ...) {
  if (length(formula) != 3) refuse("the formula has no left side; give y ~ experts", field = "formula")
  parts <- formula_parts(formula, data, time)
  rows <- eval(substitute(subset), as.list(data), environment(formula))
  if (!is.null(rows)) parts <- those_rows(parts, rows)
  result <- pcgs.default(parts$y, parts$X, time = parts$times, outcome = parts$outcome,
                         models = if (parts$takes == "these alone") names(parts$X), ...)
  result$call <- match.call()
  result$formula <- formula
  result$takes <- parts$takes
  result
}

# An argument that is not given is left to the library, which knows what it is with a state and without one.
pcgs.default <- function(y, X, method = "blend", season = NULL, block = 1, delay = 0,
                         intervals = c(0.8, 0.95), loss = "squared", tau = 0.5, scale = NULL, time = NULL,
                         models = NULL, ignore = NULL, state = NULL, skip_learned = FALSE, drop = NULL,
                         outcome = "y", name = "forecasts", ...) {
  no_more(...)
  if (missing(X)) refuse("X is missing; give the forecasts, a column for each expert", kind = "missing", field = "X")
  kept <- apart_from_times(X, time)
  state <- state_of(state)
  if (is.null(state) && switched(skip_learned, "skip_learned")) {
    refuse("skip_learned is about rows that a state has learned; give state, too", kind = "request",
           field = "skip_learned")
  }
  table <- table_for_run(text(name, "name"), expert_table(asked_for(kept$X, models, ignore)), y, kept$times)
  run <- .Call(C_run_table, table, list(
    outcome = text(outcome, "outcome"), models = if (!is.null(models)) texts(models, "models"),
    methods = if (!missing(method)) texts(method, "method"), season = seasons(season),
    block = whole(block, "block", 0), delay = whole(delay, "delay", 0),
    intervals = if (!missing(intervals)) levels_of(intervals), loss = if (!missing(loss)) text(loss, "loss"),
    tau = number(tau, "tau"), scale = scale_text(scale), state = state$bytes, state_name = state$name,
    skip_learned = skip_learned, drop = if (!is.null(drop)) texts(drop, "drop")
  ))
  result <- new_result(list(origin = table$origin, outcome_name = outcome, block = block, delay = delay),
                       rows_of(table, run), run)
  result$call <- match.call()
  result
}

# The columns that may be forecasts: others need not be numbers.
asked_for <- function(X, models, ignore) {
  if (!is.data.frame(X) && length(dim(X)) != 2) return(X)
  out <- colnames_of(X) %in% ignore
  if (!is.null(models)) out <- out | !colnames_of(X) %in% models
  if (any(out) && !all(out)) X[, !out, drop = FALSE] else X
}

table_for_run <- function(origin, X, y, times, what = "y") {
  list(origin = origin, values = X, outcomes = outcomes(y, nrow(X), what), times = times)
}

# The rows of a table that were played, with the experts in the order of the run.
rows_of <- function(table, run) {
  table$values <- run$values
  colnames(table$values) <- run$experts
  table$outcomes <- table$outcomes[run$rows]
  table$times <- times_in(table$times, run$rows)
  table
}

# What was played, as the user gets it.
new_result <- function(problem, table, run) {
  y <- table$outcomes
  known <- which(!is.na(y))
  last <- if (length(known) == 0) 0 else max(known)
  colnames(run$forecasts) <- run$methods
  forecasts <- forecast_frame(y, table$times, run)
  weights <- run$weights
  dimnames(weights) <- list(NULL, run$experts)
  coming <- seq_along(y) > last
  structure(list(
    call = NULL, method = run$methods[[length(run$methods)]], spec = run$spec,
    headline = run$errors$headline, sureness = run$errors$sureness, measure = run$errors$measure,
    errors = error_frame(run$errors), forecasts = forecasts, weights = weights,
    `next` = coming_rows(forecasts[coming, , drop = FALSE], run$methods),
    weights_now = stats::setNames(run$next_weights, run$experts), levels = run$levels,
    notes = run$notes, ns_per_round = stats::setNames(run$ns_per_round, run$methods),
    y = y, experts = table$values, times = table$times, known = last,
    problem = c(problem, run[c("loss", "tau")]), state = run$state
  ), class = "pcgs")
}

# What is published of them, under the names that predict() gives to new rows.
coming_rows <- function(forecasts, methods) {
  out <- forecasts[setdiff(names(forecasts), c("outcome", utils::head(methods, -1)))]
  names(out)[[2]] <- "forecast"
  out
}

forecast_frame <- function(y, times, run) {
  frame <- if (is.null(times)) data.frame(round = seq_along(y)) else data.frame(times$time)
  names(frame) <- if (is.null(times)) "round" else times$name
  frame$outcome <- y
  for (method in run$methods) frame[[method]] <- run$forecasts[, method]
  for (i in seq_along(run$levels)) {
    frame[[end_names(run$levels[[i]], "low")]] <- run$low[, i]
    frame[[end_names(run$levels[[i]], "high")]] <- run$high[, i]
  }
  frame
}

error_frame <- function(errors) {
  columns <- c("name", "kind", "rounds", "rmse", "mae", "mape", "bias", "loss", "difference")
  frame <- as.data.frame(errors[columns])
  if (all(is.na(frame$loss))) frame$loss <- NULL
  frame
}

pcgs_methods <- function() {
  as.data.frame(.Call(C_method_table))
}
