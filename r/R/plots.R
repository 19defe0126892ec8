# Pictures, with base graphics.

weight_colours <- function(n) hcl.colors(max(n, 3), "Spectral")[seq_len(n)]

# One for each expert, in the order of their columns; NULL: the picture's own.
colours_of <- function(col, experts) if (!is.null(col)) stats::setNames(rep_len(col, length(experts)), experts)

chosen <- function(colours, shown, own) {
  if (is.null(colours)) return(own)
  out <- colours[shown]
  unname(ifelse(is.na(out), "grey", out))
}

# The user's graphical parameters replace ours, but for what the picture is made of.
drawn <- function(draw, made_of, ours, ...) {
  theirs <- list(...)
  do.call(draw, c(made_of, utils::modifyList(ours, theirs[!names(theirs) %in% names(made_of)])))
}

# Stacked weights over time; what is beyond the `most` largest experts is one band.
plot_weights <- function(weights, at, xlab, col = NULL, most = 8, ...) {
  mean <- colMeans(weights, na.rm = TRUE)
  shown <- utils::head(order(mean, decreasing = TRUE), most)
  bands <- weights[, shown, drop = FALSE]
  if (ncol(weights) > length(shown)) {
    bands <- cbind(bands, others = rowSums(weights[, -shown, drop = FALSE]))
  }
  top <- t(apply(bands, 1, cumsum))
  if (ncol(bands) == 1) top <- matrix(bands, ncol = 1)
  bottom <- cbind(0, top[, -ncol(top), drop = FALSE])
  low <- min(0, bottom, na.rm = TRUE)
  drawn(plot, list(x = range(at), y = c(low, max(1, top, na.rm = TRUE)), type = "n"),
        list(xlab = xlab, ylab = "weight", main = "Weights"), ...)
  colours <- chosen(colours_of(col, colnames(weights)), colnames(bands), weight_colours(ncol(bands)))
  for (k in seq_len(ncol(bands))) {
    polygon(c(at, rev(at)), c(top[, k], rev(bottom[, k])), col = colours[[k]], border = NA)
  }
  legend("topleft", legend = colnames(bands), fill = colours, border = NA, bg = "#ffffffcc", box.lwd = 0,
         cex = 0.7)
}

plot_errors <- function(values, main, colours = NULL, ...) {
  kept <- utils::head(sort(values), 20)
  if (length(kept) == 0) {
    graphics::plot.new()
    graphics::title(main = main, sub = "no outcome is known yet")
    return(invisible())
  }
  old <- par(mar = par("mar") + c(0, max(0, max(nchar(names(kept))) / 2.5 - 2), 0, 0))
  on.exit(par(old))
  drawn(barplot, list(height = rev(kept), horiz = TRUE, col = chosen(colours, names(rev(kept)), "#6a8caf")),
        list(las = 1, main = main, cex.names = 0.8, border = NA), ...)
}

time_axis <- function(times, rounds) {
  if (is.null(times)) list(at = seq_len(rounds), lab = "round") else list(at = times$time, lab = times$name)
}

plot.pcgs <- function(x, which = c("weights", "errors", "forecasts"), last = 200, col = NULL, ...) {
  which <- match.arg(which, several.ok = TRUE)
  if (nrow(x$weights) == 0) refuse("no row of this run was new; there is nothing to draw", kind = "call")
  time <- time_axis(x$times, nrow(x$weights))
  asked <- length(which) > 1 && dev.interactive()
  if (asked) {
    old <- grDevices::devAskNewPage(TRUE)
    on.exit(grDevices::devAskNewPage(old))
  }
  if ("weights" %in% which) plot_weights(x$weights, time$at, time$lab, col = col, ...)
  if ("errors" %in% which) {
    column <- c(RMSE = "rmse", MAE = "mae")[x$measure]
    if (is.na(column)) column <- "loss"
    errors <- stats::setNames(x$errors[[column]], x$errors$name)
    bars(errors, x$measure, colours_of(col, colnames(x$experts)), alone = length(which) == 1, ...)
  }
  if ("forecasts" %in% which) plot_forecasts(x, time, last, col, ...)
  invisible(x)
}

# Limits that were meant for the pictures over time are none of errors.
bars <- function(values, title, colours, alone, ...) {
  theirs <- list(...)
  over_time <- names(theirs) %in% c("xlim", "ylim", "xlab", "ylab", "type") & !alone
  do.call(plot_errors, c(list(values), if (!"main" %in% names(theirs)) list(main = title), list(colours = colours),
                         theirs[!over_time]))
}

plot_forecasts <- function(x, time, last, col, ...) {
  col <- rep_len(if (is.null(col)) c("#333333", "#d1495b") else col, 2)
  rows <- utils::tail(seq_len(nrow(x$weights)), last)
  at <- time$at[rows]
  forecast <- fitted(x)[rows]
  ends <- if (length(x$levels) > 0) {
    as.matrix(x$forecasts[rows, end_names(x$levels[[1]])])
  }
  values <- c(forecast, x$y[rows], ends)
  drawn(plot, list(x = range(at), y = if (all(is.na(values))) c(0, 1) else range(values, na.rm = TRUE), type = "n"),
        list(xlab = time$lab, ylab = x$problem$outcome_name, main = paste("Forecasts of", x$method)), ...)
  there <- if (is.null(ends)) FALSE else !is.na(ends[, 1])
  if (any(there)) {
    polygon(c(at[there], rev(at[there])), c(ends[there, 1], rev(ends[there, 2])), col = "#9ec1e180", border = NA)
  }
  lines(at, x$y[rows], col = col[[1]])
  lines(at, forecast, col = col[[2]], lwd = 1.5)
  legend("topleft", legend = c("outcome", "forecast"), col = col, lty = 1, bty = "n", cex = 0.8)
}

# What opera calls type.
opera_pictures <- c(plot_weight = "weights", boxplot_weight = "boxplot", dyn_avg_loss = "loss", avg_loss = "average")

plot.mixture <- function(x, which = c("weights", "boxplot", "loss", "average"), pause = FALSE, col = NULL,
                         dynamic = FALSE, type = "all", ...) {
  which <- match.arg(which, several.ok = TRUE)
  if (!identical(type, "all")) {
    if (!text(type, "type") %in% names(opera_pictures)) {
      refuse("there is no picture '", type, "' here; give one of all, ", paste(names(opera_pictures), collapse = ", "),
             kind = "unknown", field = "type")
    }
    which <- opera_pictures[[type]]
  }
  if (x$T == 0) refuse("this mixture has seen no round; there is nothing to draw", kind = "call")
  rounds <- seq_len(x$T)
  colours <- colours_of(col, x$names.experts)
  if ("weights" %in% which) plot_weights(x$weights, rounds, "round", col = col, ...)
  if ("boxplot" %in% which) {
    shown <- utils::head(order(colMeans(x$weights), decreasing = TRUE), 12)
    drawn(boxplot, list(x = as.data.frame(x$weights[, shown, drop = FALSE]),
                        col = chosen(colours, x$names.experts[shown], "lightgray")),
          list(las = 2, main = "Weights", cex.axis = 0.8), ...)
  }
  lost <- function(forecast) loss_values(forecast, x$Y, x$task, x$tau)
  if ("loss" %in% which) {
    beyond <- lost(x$prediction) - lost(x$experts)
    beyond[is.na(beyond)] <- 0
    shown <- utils::head(order(colSums(beyond), decreasing = TRUE), 8)
    drawn_in <- chosen(colours, x$names.experts[shown], weight_colours(length(shown)))
    gone <- -beyond[, shown, drop = FALSE]
    for (k in seq_along(shown)) gone[, k] <- cumsum(gone[, k])
    drawn(matplot, list(x = rounds, y = gone, type = "l", col = drawn_in),
          list(lty = 1, xlab = "round", ylab = "loss beyond the mixture's", main = "Cumulated losses"), ...)
    legend("topleft", legend = x$names.experts[shown], col = drawn_in, lty = 1, bty = "n", cex = 0.7)
  }
  if ("average" %in% which) {
    all <- c(stats::setNames(c(x$loss, mean(lost(rowMeans(x$experts, na.rm = TRUE)), na.rm = TRUE)),
                             c(x$model, "Uniform")), colMeans(lost(x$experts), na.rm = TRUE))
    bars(all, "Average loss", colours, alone = length(which) == 1, ...)
  }
  invisible(x)
}

plot.oracle <- function(x, sort = TRUE, col = NULL, dynamic = FALSE, ...) {
  if (x$model == "shifting") {
    drawn(plot, list(x = seq_along(x$loss) - 1, y = x$loss),
          c(list(type = "s", xlab = "switches", ylab = "mean loss", main = "The best paths"),
            if (!is.null(col)) list(col = col)), ...)
  } else {
    # On the rounds that the oracle's own error is of.
    rows <- rounds_that_count(x$model, x$experts)
    error <- sqrt(colMeans((x$experts - x$Y)[rows, , drop = FALSE]^2, na.rm = TRUE))
    bars(c(stats::setNames(x$rmse, paste(x$model, "oracle")), error), "RMSE", colours_of(col, x$names.experts),
         alone = TRUE, ...)
  }
  invisible(x)
}
