# When rows are.

is_time <- function(x) inherits(x, c("Date", "POSIXt"))

# The table without its column of times, and that column. `time` names it, holds the times, or is NULL: then
# a column of dates is taken.
apart_from_times <- function(X, time) {
  if (inherits(time, "row_times")) return(list(X = X, times = time))
  if (is.character(time) && length(time) == 1 && is.data.frame(X)) {
    if (!time %in% names(X)) {
      refuse("there is no column ", time, " for time; name one of X", kind = "unknown", column = time, field = "time")
    }
    return(list(X = X[names(X) != time], times = times_of(X[[time]], time)))
  }
  if (!is.null(time)) return(list(X = X, times = times_of(time, "time")))
  if (!is.data.frame(X)) return(list(X = X, times = NULL))
  dates <- names(X)[vapply(X, is_time, NA)]
  if (length(dates) == 0) return(list(X = X, times = NULL))
  if (length(dates) > 1) {
    refuse("there are several columns of dates, ", paste(dates, collapse = ", "),
           "; say with time which one is that of the rows, and leave the others out",
           kind = "duplicate", column = dates[[2]], field = "time")
  }
  list(X = X[names(X) != dates], times = times_of(X[[dates]], dates))
}

# Name, texts and seconds since 1970.
times_of <- function(time, name) {
  if (!is_time(time)) {
    refuse(name, " is of class ", class(time)[[1]], "; give dates or times, such as as.POSIXct(x, \"UTC\")",
           field = "time")
  }
  if (anyNA(time)) {
    row <- as.numeric(which(is.na(time))[[1]])
    refuse("row ", row, ", column ", name, ": there is no time; give one", kind = "missing", row = row, column = name,
           field = "time")
  }
  at <- if (inherits(time, "Date")) 86400 * as.numeric(time) else as.numeric(as.POSIXct(time))
  structure(list(name = name, text = format(time), at = at, time = time), class = "row_times")
}

times_in <- function(times, rows) {
  if (is.null(times)) return(NULL)
  structure(list(name = times$name, text = times$text[rows], at = times$at[rows], time = times$time[rows]),
            class = "row_times")
}

# One after the other, under the name of the first.
times_joined <- function(first, second) {
  if (is.null(second)) return(NULL)
  structure(list(name = first$name, text = c(first$text, second$text), at = c(first$at, second$at),
                 time = c(first$time, second$time)), class = "row_times")
}

same_rounds <- function(times, rounds) {
  if (is.null(times) || length(times$at) == rounds) return(invisible())
  refuse(length(times$at), " times for ", rounds, " rounds; give one for each", kind = "mismatch", field = "time")
}
