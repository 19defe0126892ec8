# opera's models, and the methods of this package that they are.

opera_models <- c(MLpol = "ml-poly", BOA = "boa", MLewa = "ml-ewa", MLprod = "ml-prod", EWA = "hedge",
                  FS = "fixed-share")

# The methods whose way with forecasts is their own: all others take the option gradient.
without_gradient <- c("blend", "pcgs-tf:combine")

# The method, its options, whether it learns from gradients (NA: it has no such choice), and how its losses are scaled:
#   "free"   linearised losses as large as they are: any unit gives the same weights
#   "raw"    the same, where weights depend on the unit: that of the user
#   "below"  losses must stay below the unit, which multiplies the learning rate
#   "follow" the library's own scale
mixture_method <- function(model, gradient, parameters) {
  model <- text(model, "model")
  rates <- function(...) checked_parameters(model, parameters, c(...))
  if (!model %in% names(opera_models)) {
    if (model %in% c("OGD", "Ridge", "FTRL", "gamMixture", "pinball")) {
      refuse("there is no model '", model, "' here; take one of ",
             paste(names(opera_models), collapse = ", "), ", or \"blend\"", kind = "unknown", field = "model")
    }
    rates()
    return(own_method(model, gradient))
  }
  method <- opera_models[[model]]
  out <- switch(model,
    BOA = {
      rates <- rates("doubling")
      doubling <- isTRUE(as.logical(rates$doubling))
      list(spec = spec(method, doubling = if (doubling) 1, gradient = if (!gradient) 0),
           scaled = scaled(gradient, !doubling))
    },
    EWA = {
      eta <- rates("eta")$eta
      if (is.null(eta)) list(spec = spec("adahedge", gradient = if (gradient) 1), scaled = "follow")
      else list(spec = method, eta = number(eta, "eta"), gradient = gradient, scaled = "below")
    },
    FS = {
      rates <- rates("eta", "alpha")
      if (is.null(rates$eta) != is.null(rates$alpha)) {
        refuse("parameters has ", if (is.null(rates$eta)) "alpha and not eta" else "eta and not alpha",
               "; give both, or none to have them learned", kind = "request", field = "parameters")
      }
      if (is.null(rates$eta)) list(spec = spec("guard", learned = 0, gradient = if (gradient) 1), scaled = "follow")
      else list(spec = method, eta = number(rates$eta, "eta"), rho = number(rates$alpha, "alpha"),
                gradient = gradient, scaled = "below")
    },
    {
      rates()
      list(spec = spec(method, gradient = if (!gradient) 0), scaled = scaled(gradient, model != "MLprod"))
    }
  )
  c(out, list(linearises = gradient))
}

# A method by its name in this package. A gradient that stands among its options holds, and else the one asked for.
own_method <- function(model, gradient) {
  unquoted <- gsub("\"[^\"]*\"", "", model)
  if (trimws(sub("[{].*", "", unquoted)) %in% without_gradient) {
    return(list(spec = model, scaled = "follow", linearises = NA))
  }
  given <- regmatches(unquoted, regexec("[{,][[:space:]]*gradient[[:space:]]*=([^,}]*)", unquoted))[[1]]
  if (length(given) > 0) {
    return(list(spec = model, scaled = "follow", linearises = trimws(given[[2]]) != "0"))
  }
  list(spec = with_option(trimws(model), "gradient", as.numeric(gradient)), scaled = "follow", linearises = gradient)
}

# The spec with one option more. What is no spec stays as it is, to be refused where specs are read.
with_option <- function(spec, name, value) {
  option <- paste0(name, "=", number_text(value))
  if (!grepl("{", spec, fixed = TRUE)) return(paste0(spec, "{", option, "}"))
  if (!endsWith(spec, "}")) return(spec)
  inside <- trimws(substr(spec, 1, nchar(spec) - 1), "right")
  paste0(inside, if (!endsWith(inside, "{")) ",", option, "}")
}

# Whether the unit makes no difference to the weights.
scaled <- function(gradient, any_unit) {
  if (gradient) {
    if (any_unit) "free" else "raw"
  } else {
    if (any_unit) "below" else "follow"
  }
}

checked_parameters <- function(model, parameters, known) {
  if (!is.list(parameters)) refuse("parameters is a ", class(parameters)[[1]], "; give a list", field = "parameters")
  strange <- setdiff(names(parameters), known)
  if (length(parameters) > 0 && (is.null(names(parameters)) || length(strange) > 0)) {
    refuse(model, " has no parameter ", strange[1], "; ",
           if (length(known) == 0) "leave parameters out" else paste("it takes", paste(known, collapse = ", ")),
           kind = "unknown", field = "parameters")
  }
  parameters
}

# "name{a=1,b=2}" of the options that are there.
spec <- function(name, ...) {
  options <- list(...)
  options <- options[!vapply(options, is.null, NA)]
  if (length(options) == 0) return(name)
  values <- vapply(options, number_text, "")
  paste0(name, "{", paste0(names(options), "=", values, collapse = ","), "}")
}

# In units of which losses are below 1.
spec_in_units <- function(method, unit) {
  if (is.null(method$eta)) return(method$spec)
  if (method$eta * unit < 1e-6 || method$eta * unit > 1e4) {
    refuse("eta is ", format(method$eta), ", which makes no sense for losses of this size; give one between ",
           format(1e-6 / unit, digits = 2), " and ", format(1e4 / unit, digits = 2), field = "parameters")
  }
  spec(method$spec, eta = method$eta * unit, rho = method$rho, gradient = if (method$gradient) 1)
}
