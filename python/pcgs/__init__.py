"""Combines the forecasts of several models online, when the best one keeps changing.

    result = pcgs.run(X, y)                # a column of X for each model; NaN in y: not known yet
    print(result)                          # errors beside every model's, and the next forecast

    agg = pcgs.Aggregator(experts=["lag1", "ewma", "rls"], method="guard")
    for forecasts, y in stream:
        yhat = agg.predict(forecasts)      # np.nan: that expert is missing
        agg.learn(y)
    agg.certificate().bound

`run` combines a whole sequence and compares methods, `Aggregator` is the loop, `QuantilePanel` the one
for forecasts that are quantiles, `switching_oracle` is the exact best path in hindsight, `ShareRecord`
and `certify` say what is proved, `suite` makes up sequences, `Controller` is for methods of your own,
`ExpertPool` brings simple forecasters. `pcgs.sklearn` and `pcgs.river` are for those who use them.
"""

from . import suite
from ._pcgs import (
    Aggregator,
    Certificate,
    CodeParts,
    CrossEntropy,
    Error,
    ExpertPool,
    OraclePath,
    QuantilePanel,
    Round,
    ShareRecord,
    __version__,
    methods,
    switching_oracle,
)
from .certificates import certify
from .controller import Controller, Controls
from .result import Result, run

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
    "Error",
    "ExpertPool",
    "OraclePath",
    "QuantilePanel",
    "Result",
    "Round",
    "ShareRecord",
    "__version__",
    "certify",
    "methods",
    "run",
    "suite",
    "switching_oracle",
]
