file_for_now <- function(env = parent.frame()) {
  file <- tempfile()
  do.call(on.exit, list(substitute(unlink(file), list(file = file)), add = TRUE), envir = env)
  file
}

# Drawn, and something was.
on_paper <- function(drawing) {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  tryCatch(force(drawing), finally = grDevices::dev.off())
  testthat::expect_gt(file.size(file), 4000)
  unlink(file)
}

# The page that is drawn, as the text of a PDF.
picture <- function(drawing) {
  file <- tempfile(fileext = ".pdf")
  on.exit(unlink(file))
  grDevices::pdf(file, compress = FALSE, useKerning = FALSE)
  tryCatch(force(drawing), finally = grDevices::dev.off())
  paste(readLines(file, warn = FALSE, encoding = "latin1"), collapse = "\n")
}

picture_has <- function(text, drawing) grepl(paste0("(", text, ") Tj"), picture(drawing), fixed = TRUE)
