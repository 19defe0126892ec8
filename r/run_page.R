# Runs the R of a page of the documentation, one block after the other in the folder of the checkout, and compares
# what each prints with the block of text behind it, in which a line "..." stands for any lines.
#
# Files that read.csv is given without a folder are those of PCGS_DATA. From a block on that reads one which is not
# there, blocks are parsed and not run.
#
#   Rscript run_page.R PAGE

page <- commandArgs(trailingOnly = TRUE)[[1]]
lines <- readLines(page)
fences <- grep("^```", lines)
stopifnot(length(fences) %% 2 == 0)
begins <- fences[c(TRUE, FALSE)]
ends <- fences[c(FALSE, TRUE)]
block <- function(i) lines[seq_len(ends[[i]] - begins[[i]] - 1) + begins[[i]]]
session <- new.env(parent = globalenv())
grDevices::pdf(NULL)
as_printed <- function(code) {
  utils::capture.output(source(exprs = parse(text = code), local = session, echo = FALSE, print.eval = TRUE))
}

# Whether lines are as expected, where "..." stands for any.
same <- function(printed, expected) {
  parts <- strsplit(paste0(paste(trimws(expected, "right"), collapse = "\n"), "\n"), "(^|\n)[.]{3}\n")[[1]]
  text <- paste0(paste(trimws(printed, "right"), collapse = "\n"), "\n")
  if (length(parts) == 1) return(identical(trimws(text), trimws(parts)))
  at <- 1
  for (part in parts[nzchar(parts)]) {
    found <- regexpr(trimws(part), substring(text, at), fixed = TRUE)
    if (found < 0) return(FALSE)
    at <- at + found + nchar(part) - 1
  }
  TRUE
}

# The code with the files where they are; NULL: one is nowhere.
data <- Sys.getenv("PCGS_DATA")
with_files <- function(code) {
  named <- '(.*read[.]csv[(]")([^"/]+)(".*)'
  for (i in grep(named, code)) {
    file <- file.path(data, sub(named, "\\2", code[[i]]))
    if (!nzchar(data) || !file.exists(file)) return(NULL)
    code[[i]] <- sub(named, paste0("\\1", normalizePath(file), "\\3"), code[[i]])
  }
  code
}

run <- 0
parsed <- 0
for (i in seq_along(begins)) {
  if (lines[[begins[[i]]]] != "```r") next
  code <- if (parsed == 0) with_files(block(i))
  if (is.null(code)) {
    parse(text = block(i))
    parsed <- parsed + 1
    next
  }
  printed <- as_printed(code)
  run <- run + 1
  if (i == length(begins) || lines[[begins[[i + 1]]]] != "```text" || begins[[i + 1]] - ends[[i]] > 2) next
  if (!same(printed, block(i + 1))) {
    cat("What the block at line ", begins[[i]], " of ", page, " prints is not what stands behind it:\n", sep = "")
    writeLines(printed)
    quit(status = 1)
  }
}
if (run == 0) stop(page, " has no block of R", call. = FALSE)
cat(page, ": all R of it runs and prints what it says (", run, if (run == 1) " block" else " blocks",
    if (parsed > 0) paste0("; ", parsed, " more parsed, since a file of PCGS_DATA is not there"), ")\n", sep = "")
