"""What other packages for Python make of the same forecasts, with their defaults; nothing where they are
not installed. Each learns from an outcome when it is known, whole blocks at once.
"""
import numpy as np


def river_ewa(x, y, block, loss):
    """river.ensemble.EWARegressor over experts that say what they were given."""
    try:
        from river import base, ensemble, optim
    except ImportError:
        return None

    class Given(base.Regressor):
        def __init__(self, k=0):
            self.k = k

        def learn_one(self, x, y):
            pass

        def predict_one(self, x):
            return x[self.k]

    task = optim.losses.Squared() if loss == "squared" else optim.losses.Absolute()
    model = ensemble.EWARegressor([Given(k) for k in range(x.shape[1])], loss=task)
    rows = [dict(enumerate(row)) for row in x.tolist()]
    forecasts = np.empty(len(y))
    for start in range(0, len(y), block):
        for t in range(start, min(start + block, len(y))):
            forecasts[t] = model.predict_one(rows[t])
        for t in range(start, min(start + block, len(y))):
            model.learn_one(rows[t], y[t])
    return forecasts


def sktime_ensemble(name):
    """An ensemble algorithm of sktime.forecasting.online_learning."""

    def run(x, y, block, loss):
        try:
            from sktime.forecasting import online_learning
        except ImportError:
            return None
        from sklearn.metrics import mean_absolute_error, mean_squared_error

        task = mean_squared_error if loss == "squared" else mean_absolute_error
        model = getattr(online_learning, name)(n_estimators=x.shape[1], loss_func=task)
        forecasts = np.empty(len(y))
        for start in range(0, len(y), block):
            stop = min(start + block, len(y))
            forecasts[start:stop] = x[start:stop] @ np.asarray(model.weights)
            model.update(x[start:stop].T, y[start:stop])
        return forecasts

    return run


PEERS = {
    "river's EWARegressor": river_ewa,
    "sktime's NNLSEnsemble": sktime_ensemble("NNLSEnsemble"),
    "sktime's NormalHedgeEnsemble": sktime_ensemble("NormalHedgeEnsemble"),
}


def peers(x, y, block, loss):
    """{name: forecasts} of those that are installed"""
    made = {name: run(x, y, block, loss) for name, run in PEERS.items()}
    return {name: forecasts for name, forecasts in made.items() if forecasts is not None}
