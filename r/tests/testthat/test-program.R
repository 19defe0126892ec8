# The same numbers as the program, to the bit; where PCGS_PROGRAM names one, as make r-test does.

program <- Sys.getenv("PCGS_PROGRAM")

written <- function(series, folder, rows = seq_along(series$y)) {
  file <- file.path(folder, "forecasts.csv")
  shown <- function(x) ifelse(is.na(x), "", formatC(x, digits = 17, format = "g"))
  lines <- paste(format(series$ds[rows]), shown(series$y[rows]), sep = ",")
  for (k in seq_len(ncol(series$X))) lines <- paste(lines, shown(series$X[rows, k]), sep = ",")
  writeLines(c(paste(c("ds", "load", colnames(series$X)), collapse = ","), lines), file)
  file
}

timed <- function() {
  series <- made_up(500)
  series$ds <- as.POSIXct("2026-01-01", tz = "UTC") + 3600 * (0:499)
  series$X[100:120, 2] <- NA
  series$y[c(300, 495:500)] <- NA
  series
}

run <- function(...) {
  said <- suppressWarnings(system2(program, c("run", ...), stdout = TRUE, stderr = TRUE))
  if (!is.null(attr(said, "status"))) stop(paste(said, collapse = "\n"))
}

numbers <- function(file) {
  columns <- length(utils::read.csv(file, nrows = 1))
  utils::read.csv(file, check.names = FALSE, colClasses = c("character", rep("numeric", columns - 1)))
}

folder_for_now <- function() {
  folder <- tempfile()
  dir.create(folder)
  folder
}

if (nzchar(program)) {
  test_that("forecasts and intervals are the program's, to the bit", {
    series <- timed()
    folder <- folder_for_now()
    file <- written(series, folder)
    methods <- c("ml-poly", "guard", "blend")
    run(file, "--y", "load", "--time", "ds", "--block", "24", "--method", paste(methods, collapse = ","),
        "--quiet", "--out", file.path(folder, "out"))
    theirs <- numbers(file.path(folder, "out", "forecasts.csv"))
    ours <- pcgs(load ~ ., data = data.frame(ds = series$ds, load = series$y, series$X), block = 24,
                 method = methods)
    for (method in methods) expect_identical(ours$forecasts[[method]], theirs[[method]], info = method)
    around <- numbers(file.path(folder, "out", "intervals.csv"))
    for (end in c("low_80", "high_80", "low_95", "high_95")) {
      expect_identical(ours$forecasts[[end]], around[[end]], info = end)
    }
    unlink(folder, recursive = TRUE)
  })

  test_that("a state goes from the program to R, and back, to the bit", {
    series <- timed()
    frame <- data.frame(ds = series$ds, load = series$y, series$X)
    folder <- folder_for_now()
    state <- file.path(folder, "state")
    of <- function(rows, ...) {
      run(written(series, folder, rows), "--y", "load", "--time", "ds", "--quiet", "--save", state, ...)
      readBin(state, "raw", file.size(state))
    }
    whole <- pcgs(load ~ ., data = frame)
    expect_identical(of(1:500), whole$state)
    first <- pcgs(load ~ ., data = frame[1:200, ])
    expect_identical(of(1:200), first$state)
    loop <- load_state(state)
    for (t in 201:250) {
      expect_identical(predict(loop, series$X[t, ]), fitted(whole)[t])
      update(loop, series$y[t])
    }
    second <- pcgs(load ~ ., data = frame[150:500, ], state = state, skip_learned = TRUE)
    expect_identical(second$weights, whole$weights[201:500, ])
    expect_identical(second$state, whole$state)
    save_state(first, state)
    expect_identical(of(201:500, "--resume", state, "--out", file.path(folder, "out")), whole$state)
    expect_identical(numbers(file.path(folder, "out", "forecasts.csv"))$blend, fitted(whole)[201:500])
    expect_identical(fitted(second), fitted(whole)[201:500])
    unlink(folder, recursive = TRUE)
  })

  test_that("what the program refuses R refuses, at the same place", {
    series <- timed()
    series$X <- cbind(series$X, same = 7)
    folder <- folder_for_now()
    said <- tryCatch(run(written(series, folder), "--y", "load", "--time", "ds", "--quiet"), error = conditionMessage)
    expect_refused(pcgs(load ~ ., data.frame(ds = series$ds, load = series$y, series$X)), "value", column = "same")
    expect_match(said, "column same: holds the same number in every row", fixed = TRUE)
    unlink(folder, recursive = TRUE)
  })

  test_that("paths are the program's", {
    series <- made_up(200)
    losses <- abs(series$X - series$y) / 40
    folder <- folder_for_now()
    file <- file.path(folder, "losses.csv")
    utils::write.csv(losses, file, row.names = FALSE)
    best <- file.path(folder, "best.csv")
    said <- system2(program, c("oracle", file, "--switches", "10", "--path", best), stdout = TRUE)
    theirs <- utils::read.csv(best)
    ours <- oracle(rep(0, 200), utils::read.csv(file), model = "shifting", loss.type = "absolute", niter = 10)
    expect_true(any(vapply(theirs, function(column) identical(as.character(column), ours$coefficients), NA)))
    unlink(folder, recursive = TRUE)
  })
}
