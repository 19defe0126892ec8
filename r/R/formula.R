# Formulas: what is the outcome, who are the experts, and where they are in rows that come later.

# The response, the terms as a table, and the times. A matrix on the right is many experts.
formula_parts <- function(formula, data, time) {
  times <- if (is.null(time) || !is.null(data)) NULL else times_of(time, "time")
  if (!is.null(data)) {
    kept <- apart_from_times(as.data.frame(data), time)
    data <- kept$X
    times <- kept$times
  }
  framed <- model.frame(formula, data = data, na.action = stats::na.pass)
  named <- expert_terms(framed)
  tables <- Map(function(column, name) {
    if (is_time(column)) {
      refuse("the formula holds the times ", name, " as if they were an expert; give them as time", column = name,
             field = "formula")
    }
    one <- is.null(dim(column))
    column <- as.data.frame(unclass(as.matrix(column)))
    if (one) names(column) <- name
    else if (is.null(colnames(framed[[name]]))) names(column) <- paste0(name, seq_along(column))
    column
  }, framed[named], names(framed)[named])
  X <- do.call(cbind, unname(tables))
  same_rounds(times, nrow(X))
  matrices <- any(!vapply(framed[named], function(column) is.null(dim(column)), NA))
  takes <- if ("." %in% all.vars(formula[[3]]) || matrices) "new ones too" else "these alone"
  list(y = model.response(framed), X = X, times = times, takes = takes,
       outcome = paste(deparse(formula[[2]]), collapse = ""))
}

# The rows of a subset, which is logical or holds numbers of rows.
those_rows <- function(parts, rows) {
  all <- nrow(parts$X)
  if (is.logical(rows) && length(rows) == all) rows <- which(rows)
  if (!is.numeric(rows) || anyNA(rows) || anyDuplicated(rows) || any(!rows %in% seq_len(all))) {
    refuse("subset must be TRUE or FALSE for each of the ", all, " rows, as in subset = hour > 6, or numbers of rows, ",
           "each once", field = "subset")
  }
  parts$X <- parts$X[rows, , drop = FALSE]
  parts$y <- parts$y[rows]
  parts$times <- times_in(parts$times, rows)
  parts
}

# The columns of the frame that are terms: what the formula takes away is in the frame, too.
expert_terms <- function(framed) {
  terms <- attr(framed, "terms")
  labels <- attr(terms, "term.labels")
  offset <- attr(terms, "offset")
  if (!is.null(offset)) {
    refuse("the formula has the offset ", names(framed)[[offset[[1]]]], "; give experts, y ~ a + b, and no offset",
           field = "formula")
  }
  together <- labels[attr(terms, "order") > 1]
  if (length(together) > 0) {
    refuse("the formula has the interaction ", together[[1]], "; give experts, y ~ a + b, or I(a * b) for a product",
           field = "formula")
  }
  if (length(labels) == 0) refuse("the formula names no expert; give y ~ experts", field = "formula")
  apply(attr(terms, "factors"), 2, function(term) which(term > 0))
}

# The columns of later rows that are experts of this run, or new ones; never the outcome.
expert_columns <- function(object, X) {
  experts <- colnames(object$experts)
  if (!is.data.frame(X)) {
    outcome <- setdiff(object$problem$outcome_name, experts)
    return(if (is.matrix(X)) X[, !colnames_of(X) %in% outcome, drop = FALSE] else X)
  }
  each_its_own(names(X), "newexperts")
  apart <- c(object$problem$outcome_name, all.vars(object$formula))
  new <- if (identical(object$takes, "these alone")) character() else setdiff(names(X), c(experts, apart))
  out <- X[names(X) %in% c(experts, new)]
  for (name in setdiff(experts, names(X))) {
    if (!is.null(object$formula)) out[[name]] <- evaluated(name, X)
  }
  if (ncol(out) == 0) {
    refuse("newexperts has none of the experts ", paste(experts, collapse = ", "), "; give at least one",
           kind = "mismatch", field = "newexperts")
  }
  out
}

colnames_of <- function(X) if (is.null(colnames(X))) rep("", ncol(X)) else colnames(X)

outcome_in <- function(object, X) {
  if (!is.data.frame(X)) return(NULL)
  name <- object$problem$outcome_name
  if (name %in% names(X)) X[[name]] else if (!is.null(object$formula)) evaluated(name, X)
}

# What a formula calls log(a), where a is there; else NULL.
evaluated <- function(name, X) {
  call <- tryCatch(str2lang(name), error = function(e) NULL)
  variables <- all.vars(call)
  if (length(variables) == 0 || !all(variables %in% names(X))) return(NULL)
  eval(call, X, baseenv())
}
