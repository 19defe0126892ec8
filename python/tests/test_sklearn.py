"""The scikit-learn combiner: what it learns, and scikit-learn's own checks."""

import pickle

import guide
import numpy as np
import pytest

import pcgs

pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.dummy import DummyRegressor  # noqa: E402
from sklearn.linear_model import LinearRegression, Ridge  # noqa: E402
from sklearn.model_selection import TimeSeriesSplit, cross_val_score  # noqa: E402
from sklearn.neighbors import KNeighborsRegressor  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from pcgs.sklearn import PcgsCombiner  # noqa: E402

# Checks of scikit-learn that do not apply, with the reason. Any other that fails is a failure.
DO_NOT_APPLY = {}


def combiner(**options):
    return PcgsCombiner([("line", LinearRegression()), ("ridge", Ridge(10.0))], **options)


@parametrize_with_checks([combiner(), combiner(method="fixed-share", warmup=0.3)])
def test_scikit_learns_own_checks(estimator, check):
    name = getattr(check, "func", check).__name__
    if name in DO_NOT_APPLY:
        pytest.xfail(DO_NOT_APPLY[name])
    check(estimator)


@pytest.fixture
def data():
    """A line that turns around in the middle."""
    random = np.random.default_rng(1)
    X = random.standard_normal((600, 2))
    slope = np.where(np.arange(600) < 300, 1.0, -1.0)
    return X, slope * X[:, 0] + 0.1 * random.standard_normal(600)


class Watching(DummyRegressor):
    """Writes down how many rows it was fitted to and asked about."""

    log = []

    def fit(self, X, y):
        self.log.append(("fit", len(X), tuple(X[:, 0])))
        return super().fit(X, y)

    def predict(self, X):
        self.log.append(("predict", len(X), tuple(X[:, 0])))
        return super().predict(X)


def test_weights_are_learned_from_rows_that_nobody_had_seen():
    Watching.log = []
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40.0)
    PcgsCombiner([("mean", Watching())], warmup=10, refit_every=15).fit(X, y)
    seen = []
    for verb, _, which in Watching.log:
        if verb == "fit":
            seen = which
        else:
            assert not set(seen) & set(which)
    assert [(verb, rows) for verb, rows, _ in Watching.log] == [
        ("fit", 10),
        ("predict", 15),
        ("fit", 25),
        ("predict", 15),
        ("fit", 40),
    ]


def test_partial_fit_forecasts_before_it_learns():
    class Memory(DummyRegressor):
        """Knows what it was fitted to by heart: nothing is easier to be deceived by."""

        def fit(self, X, y):
            self.known_ = dict(zip(X[:, 0], y))
            return super().fit(X, y)

        def partial_fit(self, X, y):
            self.known_.update(zip(X[:, 0], y))

        def predict(self, X):
            return np.array([self.known_.get(x, 50.0) for x in X[:, 0]])

    X, y = np.arange(100.0).reshape(-1, 1), np.zeros(100)
    made = PcgsCombiner([("memory", Memory()), ("mean", DummyRegressor())], method="fixed-share")
    for start in range(0, 100, 10):
        made.partial_fit(X[start : start + 10], y[start : start + 10])
    assert made.weights_[1] > 0.9


def test_fit_starts_afresh(data):
    X, y = data
    once = combiner().fit(X, y)
    twice = combiner().fit(X[:100], -y[:100]).fit(X, y)
    assert (once.predict(X) == twice.predict(X)).all()
    assert list(twice.named_estimators_) == ["line", "ridge"]


def test_it_fits_into_the_rest_of_scikit_learn(data):
    X, y = data
    pipeline = make_pipeline(StandardScaler(), combiner(method="ml-poly"))
    scores = cross_val_score(pipeline, X[:300], y[:300], cv=TimeSeriesSplit(3))
    assert scores.min() > 0.9
    deep = combiner().set_params(ridge__alpha=3.0, line=KNeighborsRegressor())
    assert deep.get_params()["ridge__alpha"] == 3.0
    assert clone(deep).get_params()["line"].n_neighbors == 5


def test_it_can_be_pickled_in_the_middle(data):
    X, y = data
    made = combiner(method="fixed-share").fit(X[:200], y[:200])
    other = pickle.loads(pickle.dumps(made))
    for one in (made, other):
        one.partial_fit(X[200:300], y[200:300])
    assert (made.predict(X) == other.predict(X)).all()


def test_a_controller_of_ones_own_is_left_alone(data):
    from controllers import Remembering

    controller = Remembering()
    made = combiner(method=controller).fit(*data)
    assert not vars(controller)
    assert made.aggregator_.controller.rounds == made.aggregator_.rounds > 0


def test_frames_keep_their_columns(data):
    pandas = pytest.importorskip("pandas")
    X, y = data
    frame = pandas.DataFrame(X, columns=["wind", "sun"])
    made = combiner().fit(frame, pandas.Series(y))
    assert list(made.feature_names_in_) == ["wind", "sun"]
    assert made.predict(frame) == pytest.approx(combiner().fit(X, y).predict(X))
    assert not hasattr(made.fit(X, y), "feature_names_in_")  # of an earlier fit


@pytest.mark.parametrize(
    "options",
    [
        {"warmup": 0},
        {"warmup": 0.0},
        {"warmup": 1.5},
        {"warmup": "half"},
        {"warmup": None},
        {"warmup": True},
        {"refit_every": 0},
        {"refit_every": 2.5},
        {"refit_every": "week"},
        {"scale": -1},
        {"loss": 3},
    ],
)
def test_options_that_make_no_sense_are_refused(options, data):
    with pytest.raises(pcgs.Error):
        combiner(**options).fit(*data)


def test_no_estimators_are_refused(data):
    with pytest.raises(ValueError, match="give a list"):
        PcgsCombiner([]).fit(*data)
    with pytest.raises(ValueError, match="not unique"):
        PcgsCombiner([("a", Ridge()), ("a", Ridge())]).fit(*data)


class Gap(LinearRegression):
    """Cannot say, or says too much, beyond the rows it knows."""

    beyond = np.nan

    def predict(self, X):
        forecasts = super().predict(X)
        forecasts[X[:, 0] > 1000] = self.beyond
        return forecasts


class Boundless(Gap):
    beyond = np.inf


@pytest.mark.parametrize("method", ["ml-poly", "fixed-share", "hedge", "boa"])
def test_it_predicts_what_its_aggregator_predicts(method):
    """Also where all the weight is on a regressor that cannot say."""
    X = np.arange(400.0).reshape(-1, 1) % 50
    y = 3 * X.ravel() + 1
    made = PcgsCombiner(
        [("gap", Gap()), ("mean", DummyRegressor()), ("low", DummyRegressor(strategy="median"))],
        method=method,
        scale=1,
    ).fit(X, y)
    for x in ([[20.0]], [[2000.0]]):
        row = [one.predict(np.array(x))[0] for one in made.estimators_]
        assert np.isfinite(made.predict(np.array(x))).all()
        assert made.predict(np.array(x))[0] == pytest.approx(made.aggregator_.predict(row), rel=1e-14)


def test_nobody_awake_forecasts_nothing():
    X = np.arange(40.0).reshape(-1, 1)
    made = PcgsCombiner([("gap", Gap()), ("too", Gap())]).fit(X, X.ravel())
    assert np.isnan(made.predict([[2000.0], [1.0]])).tolist() == [True, False]


def test_a_batch_is_learned_whole_or_not_at_all():
    X = np.arange(60.0).reshape(-1, 1)
    y = 3 * X.ravel() + 1
    made = PcgsCombiner([("one", Boundless()), ("mean", DummyRegressor())], method="hedge", scale=1)
    made.fit(X, y)
    before, sgd = made.aggregator_.to_bytes(), np.array([[5.0], [2000.0], [6.0]])
    with pytest.raises(pcgs.Error, match="row 2: one forecasts inf"):
        made.partial_fit(sgd, [16.0, 6000.0, 19.0])
    with pytest.raises(pcgs.Error, match="row 2: one forecasts inf"):
        made.predict(sgd)
    assert made.aggregator_.to_bytes() == before
    probable = PcgsCombiner([("mean", DummyRegressor())], method="hedge", loss="log", scale=1)
    probable.fit(X, X.ravel() % 2)
    before = probable.aggregator_.to_bytes()
    with pytest.raises(pcgs.Error, match="row 3: the outcome of round 3, 7, is not 0 or 1"):
        probable.partial_fit(X[:4], [0.0, 1.0, 7.0, 0.0])
    assert probable.aggregator_.to_bytes() == before


def test_few_rows_are_enough_to_begin_with():
    made = combiner().fit(np.arange(8.0).reshape(-1, 1), np.arange(8.0))
    assert sum(made.weights_) == pytest.approx(1)
    assert made.weights_.tolist() != [0.5, 0.5]


def test_its_page_runs():
    assert guide.run_page(guide.DOCS / "sklearn.md") == 1


def test_its_example_runs():
    guide.run_example("PcgsCombiner", PcgsCombiner.__doc__)
