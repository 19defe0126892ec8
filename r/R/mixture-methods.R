# What can be asked of a mixture.

coef.mixture <- function(object, ...) object$coefficients

fitted.mixture <- function(object, ...) object$prediction

residuals.mixture <- function(object, ...) object$Y - object$prediction

print.mixture <- function(x, digits = 3, ...) {
  cat("Aggregation rule: ", x$model, "\nLoss function: ", loss_text(x), "\n", sep = "")
  linearises <- x$method$linearises
  cat("Gradient trick: ", if (is.na(linearises)) "none" else if (linearises) "on" else "off", "\n", sep = "")
  if (x$T == 0) {
    cat("No round has been seen yet.\n")
    return(invisible(x))
  }
  cat("Coefficients:\n")
  print(round(x$coefficients, digits))
  invisible(x)
}

loss_text <- function(x) if (x$loss.type == "pinball") paste0("pinball, tau = ", x$tau) else x$loss.type

summary.mixture <- function(object, ...) {
  if (object$T == 0) {
    refuse("this mixture has seen no round; give it some with update() or predict()", kind = "call")
  }
  lost <- function(forecast) mean(loss_values(forecast, object$Y, object$task, object$tau), na.rm = TRUE)
  rmse <- function(forecast) sqrt(mean((forecast - object$Y)^2, na.rm = TRUE))
  mape <- function(forecast) mean(abs((forecast - object$Y) / object$Y), na.rm = TRUE)
  uniform <- rowMeans(object$experts, na.rm = TRUE)
  table <- data.frame(
    loss = c(lost(object$prediction), lost(uniform)), rmse = c(rmse(object$prediction), rmse(uniform)),
    mape = c(mape(object$prediction), mape(uniform)), row.names = c(object$model, "Uniform")
  )
  each <- loss_values(object$experts, object$Y, object$task, object$tau)
  structure(list(object = object, coefficients = object$coefficients, losses = colMeans(each, na.rm = TRUE),
                 errors = table, rounds = object$T, names.experts = object$names.experts),
            class = "summary.mixture")
}

print.summary.mixture <- function(x, digits = 4, ...) {
  print(x$object)
  cat("\nNumber of experts: ", x$object$K, "\nNumber of observations: ", x$rounds, "\n\n", sep = "")
  print(signif(x$errors, digits))
  best <- which.min(x$losses)
  cat("\nbest expert, on the rounds it forecast: ", names(best), " (mean loss ", signif(best_loss(x), digits),
      ")\n", sep = "")
  invisible(x)
}

best_loss <- function(x) x$losses[[which.min(x$losses)]]
