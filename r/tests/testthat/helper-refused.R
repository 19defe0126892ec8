# An error of a kind and, as far as it is said, at a place: row, column, field, file.
expect_refused <- function(code, kind, ...) {
  condition <- testthat::expect_error(code, class = "pcgs_error")
  place <- c(kind = kind, list(...))
  testthat::expect_identical(condition[names(place)], place)
}
