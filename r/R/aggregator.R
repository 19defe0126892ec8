# The loop: one round at a time.

aggregator <- function(experts, method = "blend", season = NULL, intervals = NULL, loss = "squared",
                       tau = 0.5, scale = NULL) {
  if (is.numeric(experts) && length(experts) == 1) {
    experts <- paste0("expert", seq_len(whole(experts, "experts", 1)))
  }
  if (!is.character(experts) || anyNA(experts)) {
    refuse("experts is ", deparse(experts, 40)[[1]], "; give their names, or how many there are", field = "experts")
  }
  each_its_own(experts, "experts")
  held(.Call(C_aggregator_new, list(
    experts = experts, method = text(method, "method"), loss = text(loss, "loss"), tau = number(tau, "tau"),
    scale = scale_text(scale), intervals = levels_of(intervals),
    seasons = if (is.null(season)) numeric() else seasons(season)
  )))
}

# The names are kept beside the pointer, where a copy of the object finds those of now.
held <- function(pointer) {
  object <- structure(list(pointer = pointer, known = new.env(parent = emptyenv())), class = "pcgs_aggregator")
  facts <- about(object)
  object$known$experts <- if (length(facts$experts) > 0) facts$experts else paste0("expert", seq_len(facts$size))
  object
}

about <- function(object) .Call(C_aggregator_about, object$pointer)

print.pcgs_aggregator <- function(x, ...) {
  facts <- about(x)
  cat("<aggregator: ", facts$method, ", ", facts$size, " experts, ", facts$rounds, " rounds learned>\n",
      sep = "")
  invisible(x)
}

predict.pcgs_aggregator <- function(object, newexperts, ...) {
  no_more(...)
  experts <- object$known$experts
  if (is.double(newexperts) && !is.object(newexperts) && is.null(dim(newexperts)) &&
      length(newexperts) == length(experts)) {
    names <- names(newexperts)
    if (is.null(names) || identical(names, experts)) {
      return(.Call(C_aggregator_predict, object$pointer, newexperts))
    }
  }
  X <- as_known(newexperts, experts, one_round = TRUE)
  if (nrow(X) != 1) refuse("newexperts has ", nrow(X), " rows; give one round at a time", field = "newexperts")
  .Call(C_aggregator_predict, object$pointer, X[1, ])
}

update.pcgs_aggregator <- function(object, newY = NULL, round = NULL, losses = NULL, ...) {
  no_more(...)
  if (is.null(newY) == is.null(losses)) {
    refuse("give update() either what happened, newY, or the losses of all experts, losses", kind = "request",
           field = "newY")
  }
  if (is.null(losses)) {
    .Call(C_aggregator_learn, object$pointer, number(newY, "newY"), round_number(round))
  } else {
    if (!is.null(round)) {
      refuse("losses are a round of their own, and round is for outcomes; leave it out", kind = "request",
             field = "round")
    }
    .Call(C_aggregator_learn_losses, object$pointer, in_order(losses, object$known$experts))
  }
  invisible(object)
}

# Names say whose losses they are, as in predict().
in_order <- function(losses, experts) {
  if (!is.numeric(losses)) {
    refuse("losses is a ", class(losses)[[1]], "; give numbers, one for each expert", field = "losses")
  }
  if (is.null(names(losses))) return(as.double(losses))
  each_its_own(names(losses), "losses")
  if (!setequal(names(losses), experts)) {
    refuse("losses is of ", paste(names(losses), collapse = ", "), "; give one of each of the experts ",
           paste(experts, collapse = ", "), kind = "mismatch", field = "losses")
  }
  as.double(losses[experts])
}

round_number <- function(round) if (is.null(round)) NULL else whole(round, "round", 1)

# Without a round, what would be played next if everybody were awake.
weights.pcgs_aggregator <- function(object, round = NULL, ...) {
  values <- if (is.null(round)) .Call(C_aggregator_weights, object$pointer)
            else .Call(C_aggregator_played, object$pointer, round_number(round))
  stats::setNames(values, object$known$experts)
}

intervals <- function(object, round = NULL) {
  if (!inherits(object, "pcgs_aggregator")) {
    refuse("object is a ", class(object)[[1]], "; give what aggregator() or load_state() returned",
           field = "object")
  }
  out <- .Call(C_aggregator_intervals, object$pointer, round_number(round))
  stats::setNames(as.data.frame(out), c("level", "low", "high"))
}

abandon <- function(object, round) {
  .Call(C_aggregator_abandon, object$pointer, round_number(round))
  invisible(object)
}

set_experts <- function(object, names) {
  .Call(C_aggregator_set_experts, object$pointer, texts(names, "names"))
  object$known$experts <- about(object)$experts
  invisible(object)
}
