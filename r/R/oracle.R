# Found in hindsight: the best expert, the best constant mixture, the best path.

oracle <- function(Y, experts, model = "convex", loss.type = "square", awake = NULL, niter = NULL, ...) {
  no_more(...)
  task <- opera_loss(loss.type)
  models <- list(expert = best_expert, convex = best_convex, linear = best_linear, shifting = best_path)
  if (!is.character(model) || length(model) != 1 || !model %in% names(models)) {
    refuse("there is no oracle '", deparse(model, 40)[[1]], "'; give one of ",
           paste(names(models), collapse = ", "), kind = "unknown", field = "model")
  }
  X <- mixture_experts(list(K = 0), experts, awake)
  y <- outcomes(Y, nrow(X), "Y")
  if (anyNA(y)) {
    row <- as.numeric(which(is.na(y))[[1]])
    refuse("row ", row, ": Y is missing; leave such rows out", kind = "missing", row = row, field = "Y")
  }
  not_the_outcome(X, y)
  if (!is.null(niter) && model != "shifting") {
    refuse("niter is for the oracle with switches; leave it out", kind = "request", field = "niter")
  }
  out <- models[[model]](X, y, task, niter)
  out$residuals <- y - out$prediction
  out$rmse <- sqrt(mean(out$residuals[rounds_that_count(model, X)]^2, na.rm = TRUE))
  structure(c(list(call = match.call(), model = model, loss.type = task$name), out,
              list(Y = y, experts = X, names.experts = colnames(X))), class = "oracle")
}

# The rows that loss and rmse are of; with one expert these are its own, in the others it has no residual.
rounds_that_count <- function(model, X) {
  if (model %in% c("convex", "linear")) rowSums(is.na(X)) == 0 else rep(TRUE, nrow(X))
}

lost_by <- function(forecast, y, task) loss_values(forecast, y, task$loss, task$tau)

# The least mean loss. Experts that are missing now and then are compared with the mean of those that are there, on
# their own rounds, so that none wins by missing the hard ones, or with less than half of the rounds.
best_expert <- function(X, y, task, niter) {
  losses <- lost_by(X, y, task)
  average <- lost_by(rowMeans(X, na.rm = TRUE), y, task)
  awake <- !is.na(losses)
  rounds <- colSums(awake)
  measure <- colMeans(losses, na.rm = TRUE)
  if (!all(awake)) {
    measure <- colSums(losses, na.rm = TRUE) / colSums(awake * average, na.rm = TRUE)
    measure[rounds < nrow(X) / 2] <- Inf
    if (all(!is.finite(measure))) {
      refuse("every expert is missing in more than half of the rounds; give some that are there more often",
             field = "experts")
    }
  }
  best <- which.min(measure)
  list(loss = mean(losses[, best], na.rm = TRUE), coefficients = one_hot(best, colnames(X)),
       prediction = unname(X[, best]), rounds = rounds[[best]],
       losses = colMeans(losses, na.rm = TRUE))
}

one_hot <- function(k, names) stats::setNames(as.numeric(seq_along(names) == k), names)

complete_rounds <- function(X, which) {
  rows <- rounds_that_count(which, X)
  if (!any(rows)) {
    refuse("there is no round with all experts, which the ", which, " oracle is made from; take model = \"expert\" or ",
           "\"shifting\", or leave out experts that are often missing", field = "experts")
  }
  rows
}

# Exact for squared loss, on the rounds with all experts. Elsewhere the weights of those that are missing go to the
# others in proportion.
best_convex <- function(X, y, task, niter) {
  rows <- complete_rounds(X, "convex")
  w <- .Call(C_convex_mix, X, y, task[c("loss", "tau")])
  if (is.null(w)) refuse("this would take minutes; give fewer experts", kind = "limit", field = "experts")
  awake <- !is.na(X)
  filled <- ifelse(awake, X, 0)
  given <- as.vector(awake %*% w)
  prediction <- ifelse(given > 0, as.vector(filled %*% w) / given, rowMeans(X, na.rm = TRUE))
  list(loss = mean(lost_by(prediction[rows], y[rows], task)), coefficients = stats::setNames(w, colnames(X)),
       prediction = prediction, rounds = sum(rows))
}

best_linear <- function(X, y, task, niter) {
  if (task$loss != "squared") {
    refuse("the linear oracle is that of the squared loss; take model = \"convex\" for the ", task$name, " loss",
           kind = "request", field = "loss.type")
  }
  rows <- complete_rounds(X, "linear")
  w <- qr.coef(qr(X[rows, , drop = FALSE], LAPACK = FALSE), y[rows])
  w[is.na(w)] <- 0  # a column that the others make up
  prediction <- as.vector(X %*% w)
  list(loss = mean(lost_by(prediction[rows], y[rows], task)), coefficients = w, prediction = prediction,
       rounds = sum(rows))
}

# The mean losses of the best paths with at most 0, 1, ..., niter switches, and the last of these paths.
best_path <- function(X, y, task, niter) {
  switches <- if (is.null(niter)) min(nrow(X) - 1, 100) else whole(niter, "niter", 0)
  losses <- lost_by(X, y, task)
  asleep <- rowSums(!is.na(losses)) == 0
  if (any(asleep)) {
    row <- as.numeric(which(asleep)[[1]])
    refuse("row ", row, ": every expert is missing, and no path leads through; leave it out", kind = "missing",
           row = row, field = "experts")
  }
  losses[is.na(losses)] <- Inf
  found <- .Call(C_switching, losses, switches)
  path <- if (length(found$path) == 0) rep(NA_integer_, nrow(X)) else as.integer(found$path)
  list(loss = found$values / nrow(X), coefficients = colnames(X)[path],
       prediction = X[cbind(seq_len(nrow(X)), path)], path = path, switches = found$switches,
       rounds = nrow(X))
}

fitted.oracle <- function(object, ...) object$prediction

residuals.oracle <- function(object, ...) object$residuals

print.oracle <- function(x, digits = 4, ...) {
  cat("Oracle: ", x$model, "\nLoss function: ", x$loss.type, "\n", sep = "")
  if (x$rounds < length(x$Y)) {
    cat("Of ", length(x$Y), " rounds, ", x$rounds, " count: in the others ",
        if (x$model == "expert") "it is missing\n" else "an expert is missing\n", sep = "")
  }
  if (x$model == "shifting") {
    shown <- unique(pmin(c(0, 1, 2, 5, 10, 20, 50, 100, length(x$loss) - 1), length(x$loss) - 1))
    print(data.frame(switches = shown, loss = signif(x$loss[shown + 1], digits)), row.names = FALSE)
    cat("Switches of the best path: ", x$switches, "\n", sep = "")
  } else {
    used <- x$coefficients[x$coefficients != 0]
    cat("Coefficients:\n")
    print(round(used[order(-abs(used))], 3))
    cat("loss: ", signif(x$loss, digits), ", rmse: ", signif(x$rmse, digits), "\n", sep = "")
  }
  invisible(x)
}

summary.oracle <- function(object, ...) object
