# What users hand over, and sentences about what cannot be used.

refuse <- function(...) stop(..., call. = FALSE)

no_more <- function(...) {
  more <- list(...)
  if (length(more) == 0) return(invisible())
  names <- if (is.null(names(more))) rep("", length(more)) else names(more)
  first <- if (nzchar(names[[1]])) paste0("'", names[[1]], "'") else deparse(more[[1]], 40)[[1]]
  refuse("there is no argument ", first, " here; see the help page for those there are")
}

# A matrix of doubles with a name for each column. A vector is one round, or one expert in each round.
expert_table <- function(X, what = "X", names = NULL, one_round = FALSE) {
  if (is.data.frame(X)) {
    odd <- !vapply(X, is_column, NA)
    if (any(odd)) {
      refuse(what, ": the column ", names(X)[odd][[1]], " is of class ", class(X[[which(odd)[[1]]]])[[1]],
             "; give numbers, and NA where there is no forecast")
    }
    X <- as.matrix(X)
  } else if (is.null(dim(X)) && (is.numeric(X) || is_missing(X))) {
    labels <- names(X)
    X <- if (one_round) matrix(X, nrow = 1) else matrix(X, ncol = 1)
    if (one_round) colnames(X) <- labels
  }
  if (length(dim(X)) != 2 || !(is.numeric(X) || is_missing(X))) {
    refuse(what, " is a ", class(X)[[1]], "; give a matrix or a data frame of numbers, a row for each round ",
           "and a column for each expert")
  }
  if (ncol(X) == 0 || nrow(X) == 0) {
    refuse(what, ": has ", nrow(X), " rows and ", ncol(X),
           " columns; give a row for each round and a column for each expert")
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
  if (twice > 0) refuse(what, ": two experts are called ", names[[twice]], "; give each a name of its own")
}

# A vector is one round, and not one expert, if it has names or a number for each of several experts.
is_round <- function(X, experts) {
  is.null(dim(X)) && (!is.null(names(X)) || length(X) == length(experts) && length(experts) > 1)
}

# A column with a name of the outcome and its values is the outcome, which nobody knew before it happened. By its
# values alone it may be an expert that was right: of what is 0 or 1, in few rows.
not_the_outcome <- function(X, y, called, what = "X") {
  known <- which(!is.na(y))
  if (length(known) == 0) return(invisible())
  for (name in intersect(called, colnames(X))) {
    if (all(X[known, name] == y[known]) %in% TRUE) {
      refuse(what, ": the column ", name, " has the outcome's name and its values, which nobody knew before it ",
             "happened; leave it out")
    }
  }
}

# What the outcome is called where it comes from: load for load, data$load, data[["load"]][1:9] or data[1:9, "load"].
names_of_outcome <- function(expression, y) {
  c(outcome_variable(expression), if (length(dim(y)) == 2 && ncol(y) == 1) colnames(y))
}

outcome_variable <- function(expression) {
  if (is.symbol(expression)) return(as.character(expression))
  if (!is.call(expression)) return(NULL)
  head <- if (is.symbol(expression[[1]])) as.character(expression[[1]]) else ""
  end <- length(expression)
  if (head == "$") as.character(expression[[end]])
  else if (head %in% c("[[", "[") && is.character(expression[[end]])) expression[[end]]
  else if (head %in% c("[", "[[", "(", "as.numeric", "as.double")) outcome_variable(expression[[2]])
}

is_missing <- function(x) is.logical(x) && all(is.na(x))

is_column <- function(x) is.null(dim(x)) && (is.numeric(x) || is_missing(x))

# Doubles, one for each round; NA: not known.
outcomes <- function(y, rounds, what = "y") {
  if (is.null(y)) refuse(what, " is missing; give what happened, and NA where it is not known yet")
  if (is.data.frame(y) && ncol(y) == 1) y <- y[[1]]
  if (length(dim(y)) == 2 && ncol(y) == 1) y <- y[, 1]
  if (!is.null(dim(y)) && length(dim(y)) > 1) {
    refuse(what, " has ", ncol(y), " columns; give one outcome for each round")
  }
  if (!is.numeric(y) && !is_missing(y)) refuse(what, " is a ", class(y)[[1]], "; give numbers")
  if (length(y) != rounds) {
    refuse(what, ": ", length(y), " outcomes for ", rounds, " rounds; give one for each")
  }
  as.double(unname(y))
}

whole <- function(x, what, least) {
  if (!is.numeric(x) || length(x) != 1 || is.na(x) || x != round(x) || x < least || x > 2^52) {
    refuse(what, " is ", deparse(x, 40)[[1]], "; give a whole number of at least ", least)
  }
  as.double(x)
}

number <- function(x, what) {
  if (!is.numeric(x) || length(x) != 1 || !is.finite(x)) {
    refuse(what, " is ", deparse(x, 40)[[1]], "; give a number")
  }
  as.double(x)
}

text <- function(x, what) {
  if (!is.character(x) || length(x) != 1 || is.na(x)) {
    refuse(what, " is ", deparse(x, 40)[[1]], "; give a text")
  }
  x
}

# NULL: what the times say.
seasons <- function(season) {
  if (is.null(season)) return(NULL)
  rounds <- vapply(season, whole, 0, what = "season", least = 2)
  if (length(rounds) > 2 || is.unsorted(rounds, strictly = TRUE)) {
    refuse("season is ", deparse(season, 40)[[1]],
           "; give one number of rounds, or two, the shorter first")
  }
  as.double(rounds)
}

levels_of <- function(intervals, loss) {
  if (loss == "log" || length(intervals) == 0) return(numeric())
  if (!is.numeric(intervals) || anyNA(intervals) || any(intervals <= 0 | intervals >= 1) ||
      anyDuplicated(intervals)) {
    refuse("intervals is ", deparse(intervals, 40)[[1]],
           "; give levels between 0 and 1, each once, such as c(0.8, 0.95)")
  }
  sort(as.double(intervals))
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
