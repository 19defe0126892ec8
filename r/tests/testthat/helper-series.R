# A series that is made up, with experts of which one is biased and one is good in the second half only.
made_up <- function(rounds = 300, seed = 1) {
  set.seed(seed)
  y <- 50 + cumsum(rnorm(rounds)) + 5 * sin(2 * pi * seq_len(rounds) / 24)
  late <- seq_len(rounds) > rounds / 2
  X <- cbind(steady = y + rnorm(rounds, 0, 2), biased = y + 3 + rnorm(rounds), late = y + rnorm(rounds, 0, 4 - 3 * late))
  list(y = y, X = X)
}

golden <- function(name) as.matrix(utils::read.csv(test_path("golden", name)))
