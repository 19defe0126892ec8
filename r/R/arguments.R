# What users hand over, as the library takes it. What it means is the library's to say; here is what is not of a type
# that could be handed on.

# An error, as those of the library are raised, too: a condition that says what kind of thing is wrong, and where.
refuse <- function(..., kind = "value", file = NA_character_, row = NA_real_, column = NA_character_,
                   field = NA_character_) {
  stop(structure(class = c("pcgs_error", "error", "condition"),
                 list(message = paste0(...), call = NULL, kind = kind, file = file, row = row, column = column,
                      field = field)))
}

no_more <- function(...) {
  more <- list(...)
  if (length(more) == 0) return(invisible())
  names <- if (is.null(names(more))) rep("", length(more)) else names(more)
  first <- if (nzchar(names[[1]])) paste0("'", names[[1]], "'") else deparse(more[[1]], 40)[[1]]
  refuse("there is no argument ", first, " here; see the help page for those there are", kind = "unknown")
}

# A matrix of doubles with a name for each column. A vector is one round, or one expert in each round.
expert_table <- function(X, what = "X", names = NULL, one_round = FALSE) {
  if (is.data.frame(X)) {
    odd <- !vapply(X, is_column, NA)
    if (any(odd)) {
      refuse(what, ": the column ", names(X)[odd][[1]], " is of class ", class(X[[which(odd)[[1]]]])[[1]],
             "; give numbers, and NA where there is no forecast", column = names(X)[odd][[1]])
    }
    X <- as.matrix(X)
  } else if (is.null(dim(X)) && (is.numeric(X) || is_missing(X))) {
    labels <- names(X)
    X <- if (one_round) matrix(X, nrow = 1) else matrix(X, ncol = 1)
    if (one_round) colnames(X) <- labels
  }
  if (length(dim(X)) != 2 || !(is.numeric(X) || is_missing(X))) {
    refuse(what, " is a ", class(X)[[1]], "; give a matrix or a data frame of numbers, a row for each round ",
           "and a column for each expert", field = what)
  }
  if (ncol(X) == 0 || nrow(X) == 0) {
    refuse(what, " has ", nrow(X), " rows and ", ncol(X),
           " columns; give a row for each round and a column for each expert", kind = "missing", field = what)
  }
  if (typeof(X) != "double") storage.mode(X) <- "double"
  if (is.null(colnames(X))) {
    colnames(X) <- if (length(names) == ncol(X)) names else paste0("expert", seq_len(ncol(X)))
  }
  each_its_own(colnames(X), what)
  if (!is.null(rownames(X))) rownames(X) <- NULL
  X
}

each_its_own <- function(names, what) {
  twice <- anyDuplicated(names)
  if (twice > 0) {
    refuse(what, ": two experts are called ", names[[twice]], "; give each a name of its own", kind = "duplicate",
           column = names[[twice]])
  }
}

# A vector is one round, and not one expert, if it has names or a number for each of several experts.
is_round <- function(X, experts) {
  is.null(dim(X)) && (!is.null(names(X)) || length(X) == length(experts) && length(experts) > 1)
}

is_missing <- function(x) is.logical(x) && all(is.na(x))

is_column <- function(x) is.null(dim(x)) && (is.numeric(x) || is_missing(x))

# Doubles, one for each round; NA: not known.
outcomes <- function(y, rounds, what = "y") {
  if (is.null(y)) {
    refuse(what, " is missing; give what happened, and NA where it is not known yet", kind = "missing", field = what)
  }
  if (is.data.frame(y) && ncol(y) == 1) y <- y[[1]]
  if (length(dim(y)) == 2 && ncol(y) == 1) y <- y[, 1]
  if (!is.null(dim(y)) && length(dim(y)) > 1) {
    refuse(what, " has ", ncol(y), " columns; give one outcome for each round", field = what)
  }
  if (!is.numeric(y) && !is_missing(y)) refuse(what, " is a ", class(y)[[1]], "; give numbers", field = what)
  if (length(y) != rounds) {
    refuse(what, ": ", length(y), " outcomes for ", rounds, " rounds; give one for each", kind = "mismatch",
           field = what)
  }
  as.double(unname(y))
}

whole <- function(x, what, least) {
  if (!is.numeric(x) || length(x) != 1 || is.na(x) || x != round(x) || x < least || x > 2^52) {
    refuse(what, " is ", deparse(x, 40)[[1]], "; give a whole number of at least ", least, field = what)
  }
  as.double(x)
}

number <- function(x, what) {
  if (!is.numeric(x) || length(x) != 1 || !is.finite(x)) {
    refuse(what, " is ", deparse(x, 40)[[1]], "; give a number", field = what)
  }
  as.double(x)
}

text <- function(x, what) {
  if (!is.character(x) || length(x) != 1 || is.na(x) || !nzchar(x)) {
    refuse(what, " is ", deparse(x, 40)[[1]], "; give a text", field = what)
  }
  x
}

texts <- function(x, what) {
  if (!is.character(x) || anyNA(x)) refuse(what, " is ", deparse(x, 40)[[1]], "; give texts", field = what)
  x
}

switched <- function(x, what) {
  if (!isTRUE(x) && !isFALSE(x)) refuse(what, " is ", deparse(x, 40)[[1]], "; give TRUE or FALSE", field = what)
  x
}

# Rounds in each season. NULL: what the times say.
seasons <- function(season) if (!is.null(season)) vapply(season, whole, 0, what = "season", least = 0)

# NULL: none.
levels_of <- function(intervals) {
  if (is.null(intervals)) return(numeric())
  if (!is.numeric(intervals)) {
    refuse("intervals is ", deparse(intervals, 40)[[1]], "; give levels between 0 and 1, such as c(0.8, 0.95)",
           field = "intervals")
  }
  sort(as.double(intervals), na.last = TRUE)
}

# The columns of intervals. Each level is written by itself, whatever options() say.
end_names <- function(levels, ends = c("low", "high")) {
  of <- function(level) sprintf("%s_%.10g", ends, 100 * level)
  as.vector(vapply(levels, of, character(length(ends))))
}

# All digits of a number and no more, for what is read by the library and not by people: with a point, whatever
# options(OutDec) says.
number_text <- function(x) {
  for (digits in 15:17) {
    text <- sprintf("%.*g", digits, x)
    if (identical(as.numeric(text), as.numeric(x))) break
  }
  text
}

# As the program writes it; NULL: it follows the losses.
scale_text <- function(scale) {
  if (is.null(scale)) return(NULL)
  if (is.numeric(scale)) return(number_text(number(scale, "scale")))
  text(scale, "scale")
}
