# opera's own data, the French load at 20:00 with 66 experts, through mixture() and oracle(): errors and times.
#
#   Rscript french_load.R DATA OUT [OPERA]
#
# DATA holds french_load_experts.csv. Writes OUT/r_errors.csv, OUT/r_times.csv and OUT/r_oracle.csv. OPERA is a
# folder with the R sources of opera, which are timed beside ours; without it those columns are empty.

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) < 2) stop("usage: french_load.R DATA OUT [OPERA]", call. = FALSE)
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
library(pcgs)
source(file.path(here, "plain_r.R"))
out <- arguments[[2]]
dir.create(out, showWarnings = FALSE, recursive = TRUE)

opera <- NULL
if (length(arguments) > 2 && nzchar(arguments[[3]])) {
  opera <- new.env()
  for (file in list.files(arguments[[3]], "[.][Rr]$", full.names = TRUE)) sys.source(file, opera)
}

table <- read.csv(file.path(arguments[[1]], "french_load_experts.csv"), check.names = FALSE)
Y <- table[[2]]
experts <- as.matrix(table[-(1:2)])
everybody <- matrix(1, nrow(experts), ncol(experts))
rounds <- length(Y)
rmse <- function(forecast) sqrt(mean((forecast - Y)^2))
best <- min(apply(experts, 2, rmse))

# ---- Errors ----

models <- c("MLpol", "BOA", "MLewa", "MLprod", "EWA", "FS", "blend")
fits <- lapply(stats::setNames(models, models), function(model) mixture(Y = Y, experts = experts, model = model))
theirs <- function(model) {
  if (is.null(opera) || !exists(model, opera)) return(NULL)
  get(model, opera)(Y, experts, awake = everybody, loss.type = list(name = "square"))$prediction
}
shown <- function(x, digits = 1) if (is.null(x) || is.na(x)) "" else formatC(x, digits = digits, format = "f")
# The rounds that docs/results.md has, played alone.
late <- seq(floor(0.3 * rounds) + 1, rounds)
late_best <- min(apply(experts[late, ], 2, function(forecast) sqrt(mean((forecast - Y[late])^2))))
error_row <- function(name, forecast, late_forecast = forecast[late], other = NULL) {
  c(name, shown(rmse(forecast)), shown(rmse(forecast) / best, 3), if (is.null(other)) "" else shown(rmse(other)),
    if (is.null(other)) "" else formatC(max(abs(forecast - other)), digits = 0, format = "e"),
    shown(sqrt(mean((late_forecast - Y[late])^2)) / late_best, 3))
}
convex <- oracle(Y, experts, model = "convex")
late_convex <- oracle(Y[late], experts[late, ], model = "convex")
errors <- rbind(
  c("forecasts of", "RMSE, MW", "beside the best expert", "opera's code: RMSE", "largest difference, MW",
    "last 70 %, beside the best"),
  error_row("the best expert, in hindsight", experts[, which.min(apply(experts, 2, rmse))],
            experts[late, which.min(apply(experts[late, ], 2, function(x) mean((x - Y[late])^2)))]),
  error_row("equal weights", rowMeans(experts)),
  do.call(rbind, lapply(models, function(model) {
    error_row(paste0("mixture(model = \"", model, "\")"), fits[[model]]$prediction,
              mixture(Y = Y[late], experts = experts[late, ], model = model)$prediction, theirs(model))
  })),
  error_row("oracle(model = \"convex\"), in hindsight", convex$prediction, late_convex$prediction)
)
write_table <- function(rows, name) {
  utils::write.table(rows, file.path(out, paste0(name, ".csv")), sep = ",", row.names = FALSE, col.names = FALSE,
                     qmethod = "double")
}

# ---- Times ----

# Seconds of this process's time that a call takes, the median of repetitions that take turns. What else the machine
# does counts less than on a clock.
used <- function() sum(proc.time()[c("user.self", "sys.self")])
timed <- function(calls, repetitions) {
  spent <- matrix(NA_real_, repetitions, length(calls))
  for (i in seq_len(repetitions)) {
    for (j in seq_along(calls)) {
      gc(FALSE)
      begin <- used()
      for (again in seq_len(calls[[j]]$times)) calls[[j]]$run()
      spent[i, j] <- (used() - begin) / calls[[j]]$times
    }
  }
  apply(spent, 2, stats::median)
}
looped <- function(y, X, method) {
  loop <- aggregator(colnames(X), method)
  for (t in seq_along(y)) {
    predict(loop, X[t, ])
    update(loop, y[t])
  }
}
time_row <- function(model, plain, experts, repeated) {
  X <- data[rep(seq_len(rounds), repeated), seq_len(experts)]
  y <- rep(as.double(Y), repeated)
  everybody <- matrix(1, nrow(X), ncol(X))
  method <- c(MLpol = "ml-poly", BOA = "boa")[[model]]
  calls <- list(
    ours = list(times = ceiling(50 / repeated), run = function() mixture(Y = y, experts = X, model = model)),
    plain = list(times = ceiling(5 / repeated), run = function() plain(y, X)),
    loop = list(times = 1, run = function() looped(y, X, method))
  )
  if (!is.null(opera)) {
    theirs <- get(model, opera)
    calls$opera <- list(times = ceiling(5 / repeated), run = function() {
      theirs(y, X, awake = everybody, loss.type = list(name = "square"))
    })
  }
  us <- stats::setNames(1e6 * timed(calls, 7) / length(y), names(calls))
  beside <- function(name) if (name %in% names(us)) shown(us[[name]], 1) else ""
  ratio <- function(name) if (name %in% names(us)) shown(us[[name]] / us[["ours"]], 0) else ""
  c(model, experts, length(y), shown(us[["ours"]], 2), beside("opera"), ratio("opera"), beside("plain"),
    ratio("plain"), beside("loop"))
}
# The series once, and 25 times in a row: what a call costs whatever its length, such as its checks, counts less.
data <- experts
sizes <- list(c(66, 1), c(66, 25), c(21, 25), c(3, 25))
times <- rbind(
  c("us a round", "experts", "rounds", "mixture()", "opera's code", "times as long", "plain R", "times as long",
    "aggregator(), row by row"),
  do.call(rbind, lapply(sizes, function(size) {
    rbind(time_row("MLpol", plain_ml_poly, size[[1]], size[[2]]), time_row("BOA", plain_boa, size[[1]], size[[2]]))
  }))
)

# ---- The oracle with switches ----

losses <- (experts - Y)^2
all_switches <- rounds - 1
ours <- oracle(Y, experts, model = "shifting", niter = all_switches)
ours_ms <- 1e3 * timed(list(list(times = 5, run = function() {
  oracle(Y, experts, model = "shifting", niter = all_switches)
})), 7)
plain_values <- plain_switching(losses, all_switches) / rounds
plain_ms <- 1e3 * timed(list(list(times = 1, run = function() plain_switching(losses, all_switches))), 3)
# At most so many switches; what is left of zero is rounding.
agree <- function(values) {
  formatC(max(abs(values - ours$loss) / ours$loss), digits = 0, format = "e")
}
switching <- rbind(c("all budgets from 0 to 397 switches", "ms", "times as long", "largest relative difference"),
                   c("oracle(model = \"shifting\"), with the path", shown(ours_ms, 1), "", ""),
                   c("plain R, losses only", shown(plain_ms, 0), shown(plain_ms / ours_ms, 0), agree(plain_values)))
if (!is.null(opera)) {
  begin <- used()
  found <- opera$bestShifts(Y, experts)
  their_ms <- 1e3 * (used() - begin)
  switching <- rbind(switching, c("opera's code, losses only", shown(their_ms, 0), shown(their_ms / ours_ms, 0),
                                  agree(cummin(found$loss))))  # theirs has exactly so many
}
write_table(errors, "r_errors")
write_table(times, "r_times")
write_table(switching, "r_oracle")
for (rows in list(errors, times, switching)) {
  cat(apply(rows, 1, paste, collapse = " | "), "", sep = "\n")
}
