# What can be asked of a result of pcgs().

print.pcgs <- function(x, digits = 4, ...) {
  cat(x$problem$origin, ": ", nrow(x$experts), " rounds, ", ncol(x$experts), " experts", spanned(x$times),
      "\n\n", sep = "")
  if (nrow(x$experts) > 0) print_errors(x$errors, digits)
  cat("", strwrap(paste(x$headline, x$sureness), 100), sep = "\n")
  if (nrow(x$`next`) > 0) {
    cat("\nnext forecasts:\n")
    print(utils::head(x$`next`, 5), digits = 6, row.names = FALSE)
    if (nrow(x$`next`) > 5) cat("... and", nrow(x$`next`) - 5, "more\n")
  }
  top <- utils::head(sort(x$weights_now, decreasing = TRUE), 8)
  cat("\nweights now:", paste(names(top), format(round(top, 2), nsmall = 2), collapse = ", "))
  cat(if (length(top) < length(x$weights_now)) ", ...\n" else "\n")
  for (note in x$notes) cat(strwrap(note, 100), sep = "\n")
  invisible(x)
}

spanned <- function(times) {
  if (length(times$text) == 0) return("")
  paste0(", from ", times$text[[1]], " to ", times$text[[length(times$text)]])
}

print_errors <- function(errors, digits = 4) {
  frame <- errors[errors$kind != "expert" | seq_len(nrow(errors)) <= 15, ]
  # As many decimals as the smallest error takes.
  least <- suppressWarnings(min(frame$rmse[frame$rmse > 0], na.rm = TRUE))
  decimals <- if (is.finite(least)) min(max(0, digits - 1 - floor(log10(least))), 12) else 0
  for (column in intersect(c("rmse", "mae", "bias", "loss"), names(frame))) {
    frame[[column]] <- formatC(frame[[column]], digits = decimals, format = "f")
  }
  frame$mape <- if (all(is.na(frame$mape))) NULL else paste(format(round(100 * frame$mape, 2)), "%")
  beside <- ifelse(is.na(frame$difference), "", sprintf("%+.1f %%", frame$difference))
  frame$difference <- NULL
  frame$`combination beside it` <- beside
  print(frame[names(frame) != "kind"], row.names = FALSE)
  if (nrow(frame) < nrow(errors)) cat("... and", nrow(errors) - nrow(frame), "more experts\n")
}

summary.pcgs <- function(object, ...) {
  structure(c(
    unclass(object)[c("call", "headline", "sureness", "errors", "weights_now", "next", "spec", "notes")],
    list(mean_weights = colMeans(object$weights, na.rm = TRUE), intervals = interval_record(object))
  ), class = "summary.pcgs")
}

print.summary.pcgs <- function(x, ...) {
  cat("Call: ", deparse(x$call, 100), "\n\n", sep = "")
  print_errors(x$errors)
  cat("", strwrap(paste(x$headline, x$sureness), 100), sep = "\n")
  if (nrow(x$intervals) > 0) {
    cat("\nintervals:\n")
    print(x$intervals, digits = 4, row.names = FALSE)
  }
  cat("\nweights, on average and now:\n")
  print(round(cbind(average = x$mean_weights, now = x$weights_now), 3))
  invisible(x)
}

# How many of the outcomes the intervals held, and how wide they were.
interval_record <- function(object) {
  y <- object$y
  of <- function(level) {
    low <- object$forecasts[[end_names(level, "low")]]
    high <- object$forecasts[[end_names(level, "high")]]
    there <- !is.na(y) & !is.na(low)
    data.frame(level = level, held = mean(y[there] >= low[there] & y[there] <= high[there]),
               mean_width = mean((high - low)[there]), rounds = sum(there))
  }
  do.call(rbind, c(list(data.frame(level = numeric(), held = numeric(), mean_width = numeric(),
                                   rounds = integer())), lapply(object$levels, of)))
}

fitted.pcgs <- function(object, ...) object$forecasts[[object$method]]

residuals.pcgs <- function(object, ...) object$y - fitted(object)

weights.pcgs <- function(object, ...) object$weights

coef.pcgs <- function(object, ...) object$weights_now

predict.pcgs <- function(object, newexperts = NULL, ...) {
  no_more(...)
  if (is.null(newexperts)) return(object$`next`)
  X <- as_known(expert_columns(object, newexperts), colnames(object$experts))
  ahead <- .Call(C_aggregator_from, object$state, "the earlier run")
  rows <- lapply(seq_len(nrow(X)), function(t) {
    forecast <- .Call(C_aggregator_predict, ahead, X[t, ])
    c(forecast, interval_row(.Call(C_aggregator_intervals, ahead, NULL), object$levels))
  })
  out <- as.data.frame(do.call(rbind, rows))
  names(out) <- c("forecast", end_names(object$levels))
  out
}

interval_row <- function(intervals, levels) {
  if (nrow(intervals) == 0) return(rep(NA_real_, 2 * length(levels)))
  as.vector(t(intervals[, 2:3, drop = FALSE]))
}

# The experts that are known, in their order; the others are missing.
as_known <- function(X, experts, what = "newexperts", one_round = FALSE) {
  if (is.data.frame(X)) X <- X[!vapply(X, is_time, NA)]
  named <- !is.null(colnames(X)) || (is.null(dim(X)) && !is.null(names(X)))
  X <- expert_table(X, what, experts, one_round || is_round(X, experts))
  if (!named) {
    if (ncol(X) != length(experts)) {
      refuse(what, " has ", ncol(X), " columns for ", length(experts), " experts; give one for each", kind = "mismatch",
             field = what)
    }
    return(X)
  }
  strange <- setdiff(colnames(X), experts)
  if (length(strange) > 0) {
    refuse(what, " has ", strange[[1]], ", and the experts are ", paste(experts, collapse = ", "),
           "; leave it out", kind = "unknown", column = strange[[1]], field = what)
  }
  out <- matrix(NA_real_, nrow(X), length(experts), dimnames = list(NULL, experts))
  out[, colnames(X)] <- X
  out
}

update.pcgs <- function(object, newexperts, newY, time = NULL, models = NULL, ignore = NULL, skip_learned = FALSE,
                        ...) {
  no_more(...)
  all_were_known(object)
  experts <- colnames(object$experts)
  problem <- object$problem
  kept <- apart_from_times(newexperts, time)
  if (missing(newY)) newY <- outcome_in(object, kept$X)
  X <- expert_columns(object, asked_for(kept$X, models, ignore))
  X <- expert_table(X, "newexperts", experts, is_round(X, experts))
  if (!is.null(kept$times) && is.null(object$times)) {
    refuse("the earlier run has no times; leave those of the new rows out, or run pcgs() over all rows with times",
           kind = "mismatch", field = "time")
  }
  table <- table_for_run(problem$origin, X, newY, kept$times, "newY")
  run <- .Call(C_run_table, table, list(
    outcome = problem$outcome_name, block = problem$block, delay = problem$delay,
    # The earlier run named those that it knows.
    models = if (!is.null(models)) texts(models, "models") else if (all(colnames(X) %in% experts)) colnames(X),
    state = object$state, state_name = "the earlier run", skip_learned = switched(skip_learned, "skip_learned")
  ))
  if (length(run$rows) > 0) return(appended(object, rows_of(table, run), run))
  object$notes <- run$notes
  object
}

# The state has learned all that is known. A run over all rows would not have learned it all before its next row if
# outcomes come late, or in the middle of a block.
all_were_known <- function(object) {
  delay <- object$problem$delay
  block <- object$problem$block
  if (delay > 0) {
    refuse("with delay = ", delay, " the first of the new rows are due before all of the old ones are known; run ",
           "pcgs() over all rows", kind = "request", field = "delay")
  }
  if (object$known %% block != 0) {
    refuse("the ", object$known, " rows that were learned end within a block of ", block, ", of which nothing is ",
           "known while it is forecast; run pcgs() over all rows", kind = "request", field = "block")
  }
}

# The earlier rounds that were learned, and the new ones. Only the published method goes on.
appended <- function(object, table, run) {
  old <- seq_len(object$known)
  widened <- function(matrix, absent) {
    out <- matrix(absent, length(old), length(run$experts), dimnames = list(NULL, run$experts))
    both <- intersect(colnames(matrix), run$experts)
    out[, both] <- matrix[old, both]
    out
  }
  ends <- function(which) unname(as.matrix(object$forecasts[old, end_names(run$levels, which), drop = FALSE]))
  if (length(run$levels) > 0) {
    run$low <- rbind(ends("low"), run$low)
    run$high <- rbind(ends("high"), run$high)
  }
  run$methods <- object$method
  run$forecasts <- rbind(as.matrix(fitted(object)[old]), run$forecasts)
  run$weights <- rbind(widened(object$weights, 0), run$weights)
  table$values <- rbind(widened(object$experts, NA_real_), table$values)
  table$outcomes <- c(object$y[old], table$outcomes)
  table$times <- times_joined(times_in(object$times, old), table$times)
  run$errors <- .Call(C_errors_of_rows, table, object$problem, object$method, run$forecasts)
  result <- new_result(object$problem[c("origin", "outcome_name", "block", "delay")], table, run)
  kept <- c("call", "formula", "takes")
  result[kept] <- object[kept]
  result
}
