"""A scikit-learn regressor that combines regressors online.

Needs scikit-learn 1.2 or later.
"""

from __future__ import annotations

import copy
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

try:
    from sklearn.base import RegressorMixin, clone
    from sklearn.exceptions import NotFittedError
    from sklearn.utils import Bunch
    from sklearn.utils.metaestimators import _BaseComposition
    from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d
except ImportError as missing:
    raise ImportError(
        "pcgs.sklearn needs scikit-learn 1.2 or later, which is not installed; install it"
    ) from missing

from ._pcgs import Aggregator, Error
from ._rows import check_same_rows
from ._types import Array
from ._walk import keep, learn_or_abandon, over_the_awake, rows_between_fits, rows_to_start_with

_BLOCKS = 10


class PcgsCombiner(RegressorMixin, _BaseComposition):  # type: ignore[misc]
    """Combines regressors with weights that follow whichever is best at present.

    Rows are rounds, in the order of time. Weights are learned from forecasts of rows that the
    regressors had not seen, never from their fit:

    - `fit` fits them to the first rows (`warmup`), then walks through the others in blocks:
      forecast the block, learn the weights row by row, fit again to all rows so far. In the end
      every regressor has seen every row.
    - `partial_fit` forecasts the rows that come, learns the weights, and then hands the rows to the
      regressors that have `partial_fit`; the others stay as they are. The first call, on a combiner
      that was never fitted, fits them all.
    - `predict` combines with the present weights.

    X and y that are both of pandas must have the same index.

    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.dummy import DummyRegressor
    >>> from pcgs.sklearn import PcgsCombiner
    >>> X = np.arange(200.0).reshape(-1, 1)
    >>> y = 3 * X.ravel() + 1
    >>> combiner = PcgsCombiner([("line", LinearRegression()), ("mean", DummyRegressor())])
    >>> combiner.fit(X, y).predict([[250.0]]).round()
    array([751.])
    >>> bool(combiner.weights_[0] > 0.99)
    True

    Parameters
    ----------
    estimators : pairs of a name and a regressor.
    method : how weights are learned: a name with options, or a pcgs.Controller.
    loss, tau : what forecasts are judged by, as for pcgs.Aggregator.
    scale : what losses are divided by, as for pcgs.Aggregator. None: a scale that follows them.
    warmup : rows that `fit` fits the regressors to before it learns weights, or a fraction of them.
    refit_every : rows between two fits during the walk; None for ten blocks of equal length.

    Attributes
    ----------
    estimators_, named_estimators_ : the fitted regressors.
    weights_ : the present weights.
    aggregator_ : the pcgs.Aggregator that has them.
    """

    _required_parameters = ["estimators"]  # asked for by scikit-learn's checks

    def __init__(
        self,
        estimators: Sequence[Tuple[str, Any]],
        method: Any = "blend",
        *,
        warmup: Union[int, float] = 0.5,
        refit_every: Optional[int] = None,
        loss: str = "squared",
        tau: Optional[float] = None,
        scale: Optional[float] = None,
    ) -> None:
        keep(self, locals())

    def fit(self, X: Any, y: Any) -> PcgsCombiner:
        """Fits the regressors, and learns their weights on rows that they had not seen."""
        X, y = _checked(X, y)
        rows = len(y)
        known = rows_to_start_with(self.warmup, rows)
        block = rows_between_fits(self.refit_every, -(-(rows - known) // _BLOCKS))
        self._start(_rows(X, 0, known), y[:known])
        while known < rows:
            upto = min(known + block, rows)
            self._learn_weights(_rows(X, known, upto), y[known:upto])
            known = upto
            self._fit_to(_rows(X, 0, known), y[:known])
        return self

    def partial_fit(self, X: Any, y: Any) -> PcgsCombiner:
        """Learns the weights from rows that came, then hands them to those who can learn more."""
        X, y = _checked(X, y)
        if not hasattr(self, "estimators_"):
            self._start(X, y)
            return self
        self._learn_weights(X, y)
        for one in self.estimators_:
            if hasattr(one, "partial_fit"):
                one.partial_fit(X, y)
        return self

    def predict(self, X: Any) -> Array:
        """The combination, with the present weights; NaN forecasts are left out."""
        check_is_fitted(self, "estimators_")
        forecasts = self._forecasts(_with_rows(X))
        awake = ~np.isnan(forecasts)
        played = over_the_awake(self.weights_, awake)
        combined: Array = (played * np.where(awake, forecasts, 0.0)).sum(axis=1)
        combined[~awake.any(axis=1)] = np.nan
        return combined

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination of `predict(X)`, as every regressor has it."""
        check_same_rows(X, y, "y")
        return float(super().score(X, y, sample_weight))

    @property
    def weights_(self) -> Array:
        """[K] the present weights, in the order of the estimators."""
        if not hasattr(self, "estimators_"):
            raise AttributeError("weights_ are there once the combiner is fitted")
        if self.aggregator_ is None:
            return np.full(len(self.estimators_), 1 / len(self.estimators_))
        return self.aggregator_.weights()

    @property
    def named_estimators_(self) -> Bunch:
        """The fitted regressors by name."""
        return Bunch(**dict(zip(self._names(), self.estimators_)))

    @property
    def n_features_in_(self) -> int:
        """What the regressors were fitted to."""
        try:
            check_is_fitted(self, "estimators_")
        except NotFittedError as unfitted:
            raise AttributeError(str(unfitted)) from unfitted
        return int(self.estimators_[0].n_features_in_)

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters, and with `deep` those of the regressors."""
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: Any) -> PcgsCombiner:
        """Sets parameters, also `name__parameter` of a regressor, or one by its name."""
        self._set_params("estimators", **params)
        return self

    def __sklearn_tags__(self) -> Any:  # asked for since scikit-learn 1.6
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = all(get_tags(one).input_tags.sparse for _, one in self.estimators)
        return tags

    def _names(self) -> List[str]:
        return [name for name, _ in self.estimators]

    def _fit_to(self, X: Any, y: Array) -> None:
        self.estimators_ = [clone(one).fit(X, y) for _, one in self.estimators]

    def _start(self, X: Any, y: Array) -> None:
        if not self.estimators:
            raise ValueError("estimators is empty; give a list of (name, regressor)")
        self._validate_names(self._names())
        self._fit_to(X, y)
        names = getattr(self.estimators_[0], "feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of an earlier fit
        self.aggregator_: Optional[Aggregator] = None  # until there are forecasts to learn from

    def _learn_weights(self, X: Any, y: Array) -> None:
        rows = self._forecasts(X)
        self._rehearse(rows, y)
        if self.aggregator_ is None:
            self.aggregator_ = self._new_aggregator()
        for forecasts, outcome in zip(rows, y):
            self.aggregator_.predict(forecasts)
            learn_or_abandon(self.aggregator_, outcome, self.aggregator_.last_opened)

    def _rehearse(self, rows: Array, y: Array) -> None:
        """Whatever the loss refuses, it refuses here, before anything is learned."""
        options: Dict[str, Any] = {"loss": self.loss, "tau": self.tau, "scale": 1}
        judge = Aggregator(rows.shape[1], "hedge", certify=False, **options)
        for row, (forecasts, outcome) in enumerate(zip(rows, y), 1):
            try:
                judge.predict(forecasts)
                judge.learn(outcome, round=judge.last_opened)
            except Error as error:
                raise Error(f"row {row}: {error}") from None

    def _new_aggregator(self) -> Aggregator:
        options: Dict[str, Any] = {"loss": self.loss, "tau": self.tau, "scale": self.scale}
        # A controller steers one aggregator, and fit() must leave the parameters as they are.
        return Aggregator(self._names(), copy.deepcopy(self.method), **options)

    def _forecasts(self, X: Any) -> Array:
        """[T x K]"""
        columns = [np.asarray(one.predict(X), dtype=float) for one in self.estimators_]
        table: Array = np.column_stack(columns)
        for row, k in np.argwhere(np.isinf(table))[:1]:
            raise Error(
                f"row {row + 1}: {self._names()[k]} forecasts {table[row, k]}; regressors may "
                "forecast finite numbers, and NaN where they cannot say"
            )
        return table


def _with_rows(X: Any) -> Any:
    """X as something that rows can be cut from; the regressors say what else is wrong with it."""
    if hasattr(X, "tocsr"):
        return X.tocsr()
    return X if isinstance(X, np.ndarray) or hasattr(X, "iloc") else np.asarray(X)


def _rows(X: Any, start: int, stop: int) -> Any:
    return X.iloc[start:stop] if hasattr(X, "iloc") else X[start:stop]


def _checked(X: Any, y: Any) -> Tuple[Any, Array]:
    if y is None:
        raise ValueError(
            "PcgsCombiner requires y to be passed, but the target y is None; give what happened"
        )
    check_same_rows(X, y, "y")
    X = _with_rows(X)
    y = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=np.float64, input_name="y")
    if X.shape[0] != len(y):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{X.shape[0]} rows of X for {len(y)} outcomes; give one for each"
        )
    return X, y
