# States on disk: the same files as those of the program and of the other languages.

save_state <- function(object, file) {
  path <- path.expand(text(file, "file"))
  if (inherits(object, "pcgs_aggregator")) {
    .Call(C_aggregator_save, object$pointer, path)
  } else if (is.raw(object$state)) {
    .Call(C_aggregator_save, .Call(C_aggregator_from, object$state), path)
  } else {
    refuse("object is a ", class(object)[[1]], " without a state; give a result of pcgs() or mixture(), or an ",
           "aggregator")
  }
  invisible(file)
}

load_state <- function(file) held(.Call(C_aggregator_load, path.expand(text(file, "file"))))
