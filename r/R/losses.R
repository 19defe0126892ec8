# What a forecast costs, by the names of opera.

# opera's loss.type: a name, or a list with a name and, for the pinball loss, tau.
opera_loss <- function(loss.type) {
  given <- if (is.list(loss.type)) loss.type else list(name = loss.type)
  names <- c(square = "squared", absolute = "absolute", pinball = "pinball")
  name <- given$name
  if (!is.character(name) || length(name) != 1 || !name %in% names(names)) {
    refuse("loss.type is ", deparse(loss.type, 60)[[1]], "; give \"square\", \"absolute\" or ",
           "list(name = \"pinball\", tau = 0.5)", field = "loss.type")
  }
  tau <- if (is.null(given$tau)) 0.5 else number(given$tau, "tau")
  if (tau <= 0 || tau >= 1) refuse("tau is ", tau, "; give a number between 0 and 1", field = "tau")
  list(name = name, loss = unname(names[[name]]), tau = tau)
}

loss_values <- function(forecast, y, loss, tau) {
  error <- forecast - y
  switch(loss,
    squared = error^2,
    absolute = abs(error),
    pinball = ifelse(error < 0, -tau * error, (1 - tau) * error)
  )
}
