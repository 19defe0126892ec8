# States: the same bytes and files as those of the program and of the other languages.

save_state <- function(object, file) {
  path <- path.expand(text(file, "file"))
  pointer <- if (inherits(object, "pcgs_aggregator")) object$pointer else {
    state <- state_of(object, "object")
    .Call(C_aggregator_from, state$bytes, state$name)
  }
  .Call(C_aggregator_save, pointer, path)
  invisible(file)
}

load_state <- function(file) {
  state <- state_of(text(file, "file"), "file")
  held(.Call(C_aggregator_from, state$bytes, state$name))
}

# The bytes of a state, and what messages call it; NULL for none. It may be bytes, the name of a file, a result of
# pcgs() or mixture(), or an aggregator.
state_of <- function(state, what = "state") {
  if (is.null(state)) return(NULL)
  if (is.raw(state)) return(list(bytes = state, name = "the state"))
  if (is.character(state)) {
    path <- path.expand(text(state, what))
    return(list(bytes = .Call(C_read_bytes, path), name = path))
  }
  if (inherits(state, "pcgs_aggregator")) {
    return(list(bytes = .Call(C_aggregator_bytes, state$pointer), name = "the aggregator"))
  }
  if (!is.list(state) || !is.raw(state$state)) {
    refuse(what, " is a ", class(state)[[1]], " without a state; give a result of pcgs() or mixture(), an aggregator, ",
           "bytes, or the name of a file", field = what)
  }
  list(bytes = state$state, name = "the earlier run")
}
