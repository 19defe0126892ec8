"""Combines the forecasts of several models online, when the best one keeps changing.

    result = pcgs.run(X, y)                # a column of X for each model; NaN in y: not known yet
    print(result)                          # errors beside every model's, and the next forecast

    agg = pcgs.Aggregator(experts=["lag1", "ewma", "rls"])
    for forecasts, y in stream:
        yhat = agg.predict(forecasts)      # np.nan: that expert is missing
        agg.learn(y)

`run` combines a whole sequence and compares methods, `run_series` many of them in a long frame,
`Aggregator` is the loop and `CustomLoss` a loss of your own in it, `QuantilePanel` the loop for
forecasts that are quantiles, `switching_oracle` is the exact best path in hindsight, `ShareRecord`
and `certify` say what is proved, `Controller` is for methods of your own, `ExpertPool` brings simple
forecasters. `pcgs.sklearn`, `pcgs.river`, `pcgs.sktime`, `pcgs.darts` and `pcgs.nixtla` are for those
who use these libraries.
"""

from ._answers import Certificate, CodeParts, CrossEntropy, OraclePath, Round, certify
from ._pcgs import (
    Aggregator,
    Error,
    ExpertPool,
    QuantilePanel,
    ShareRecord,
    __version__,
    methods,
    switching_oracle,
)
from .comparison import run
from .controller import Controller, Controls
from .custom_loss import CustomLoss
from .result import Result
from .series import QuantileResult, SeriesResult, run_series

# Where users find them, and where pickles look.
for _class in (
    Aggregator,
    Certificate,
    CodeParts,
    CrossEntropy,
    ExpertPool,
    OraclePath,
    QuantilePanel,
    Round,
    ShareRecord,
):
    _class.__module__ = "pcgs"
del _class

__all__ = [
    "Aggregator",
    "Certificate",
    "CodeParts",
    "Controller",
    "Controls",
    "CrossEntropy",
    "CustomLoss",
    "Error",
    "ExpertPool",
    "OraclePath",
    "QuantilePanel",
    "QuantileResult",
    "Result",
    "Round",
    "SeriesResult",
    "ShareRecord",
    "__version__",
    "certify",
    "methods",
    "run",
    "run_series",
    "switching_oracle",
]
