"""DataFrames and Series, with the names of the experts."""

import numpy as np
import pytest

import pcgs

pandas = pytest.importorskip("pandas")


@pytest.fixture
def frame(losses):
    return pandas.DataFrame(losses, columns=["a", "b", "c", "d", "e"])


def test_a_frames_columns_name_the_experts(frame, losses):
    result = pcgs.run(frame, methods="boa")
    assert result.to_dict()["experts"] == ["a", "b", "c", "d", "e"]
    assert result["boa"]["total_loss"] == pcgs.run(losses, methods="boa")["boa"]["total_loss"]
    assert pcgs.Aggregator(frame).names == pcgs.Aggregator(frame.columns).names == list("abcde")
    assert pcgs.run(pandas.DataFrame(losses), methods="boa").to_dict()["experts"] == list("01234")


def test_a_column_may_be_what_is_forecast(losses):
    y = np.linspace(0, 1, 300)
    frame = pandas.DataFrame({"up": y + 0.1, "load": y, "down": y - 0.2, "hour": y * 0})
    named = pcgs.run(frame, "load", methods="boa", models=["up", "down"])
    apart = pcgs.run(frame[["up", "down"]], frame["load"], methods="boa")
    assert named.to_dict()["experts"] == ["up", "down"]
    assert named["boa"]["total_loss"] == apart["boa"]["total_loss"]
    for y, side, column in [("price", None, "price"), ("load", ["day"], "day"), ("load", ["load"], "load")]:
        with pytest.raises(pcgs.Error) as caught:
            pcgs.run(frame, y, side=side)
        assert caught.value.column == column
    assert list(frame.columns) == ["up", "load", "down", "hour"]


def test_a_column_has_one_part_to_play(frame):
    assert pcgs.run(frame, models=["e", "a"], methods="boa").experts == ["e", "a"]
    with pytest.raises(pcgs.Error, match="models is 5"):
        pcgs.run(frame, models=5)
    assert pcgs.run(frame, models=list("abcde"), methods="boa").to_dict()["experts"][0] == "a"


@pytest.mark.parametrize(
    "labels", [[0, 1, 2], [("m", "a"), ("m", "b"), ("n", "a")], [2020, "b", 3.5]], ids=["numbers", "levels", "mixed"]
)
def test_weights_have_the_columns_of_X_and_names_are_texts(labels):
    random = np.random.default_rng(2)
    columns = pandas.MultiIndex.from_tuples(labels) if isinstance(labels[0], tuple) else labels
    X = pandas.DataFrame(random.random((60, 3)), columns=columns)
    result = pcgs.run(X, random.random(60), methods="boa")
    assert result.weights.columns.equals(X.columns)
    np.testing.assert_allclose((X * result.weights).sum(axis=1), result.forecast_array(), rtol=1e-12)
    names = [str(label) for label in labels]
    assert result.experts == names == list(result.weights_now)
    assert set(names) <= set(result.errors.index) and result.best_model in names


def test_a_frame_of_one_column_is_what_is_forecast(losses):
    y = pandas.Series(np.linspace(0, 1, 300), name="load")
    X = pandas.DataFrame(losses, columns=list("abcde"))
    np.testing.assert_array_equal(
        pcgs.run(X, y.to_frame(), methods="boa").forecast_array(), pcgs.run(X, y, methods="boa").forecast_array()
    )
    with pytest.raises(pcgs.Error, match="y is not about the rows of X"):
        pcgs.run(X, y.to_frame()[::-1])
    with pytest.raises(pcgs.Error, match="equals the outcome"):
        pcgs.run(X.assign(load=y), y.to_frame())
    with pytest.raises(pcgs.Error, match=r"y is a frame with the columns a, b; give one column, such as y\['a'\]"):
        pcgs.run(X, X[["a", "b"]])


@pytest.mark.parametrize("name", ["load", "y", 3])
def test_what_is_forecast_is_no_model_by_its_values(name):
    y = np.linspace(0, 1, 30)
    X = pandas.DataFrame({"up": y + 0.1, "down": y - 0.2})
    whole = X.assign(y=y).rename(columns={"y": name})
    half = whole[name].where(whole.index < 20)  # of which the frame knows the rest
    for table in (whole, whole.rename(columns={name: "perfect"})):
        for given in (whole[name], half, half.astype("Float64"), y):
            with pytest.raises(pcgs.Error, match="equals the outcome in every row") as caught:
                pcgs.run(table, given)
            assert caught.value.column == str(table.columns[-1])
    lagged = whole.assign(**{str(name): whole[name].shift(1)})
    assert str(name) in pcgs.run(lagged.drop(columns=[name] if name == 3 else []), whole[name], methods="boa").experts


@pytest.mark.parametrize("dtype", ["Float64", "Float32", "Int64", "boolean"])
def test_columns_may_have_pandas_own_missing_value(dtype):
    values = [True, False, None] if dtype == "boolean" else [1, 0, None]
    row = pandas.Series(values, index=list("abc"), dtype=dtype)
    whole = pandas.DataFrame({"a": row, "b": [0.5, 0.25, 1.0]})
    assert pcgs.Aggregator(list("abc"), "hedge").predict(row) == 0.5
    assert pcgs.switching_oracle(whole, 0).tolist() == [1.75]
    mixed = pandas.DataFrame({"a": [True, False], "b": [0.5, 0.25]})
    assert pcgs.switching_oracle(mixed, 0).tolist() == [0.75]


def test_rivers_combiner_lets_pandas_own_missing_value_sleep():
    from pcgs.river import RiverCombiner

    assert RiverCombiner(["a", "b"]).predict_one({"a": 1.0, "b": pandas.NA}) == 1.0


def test_text_is_not_read_as_numbers():
    for values in (["0.1", "0.2"], [0.1, "0.2"], [0.1, None]):
        with pytest.raises(pcgs.Error, match="dtype (object|str)"):
            pcgs.Aggregator(2).learn(losses=pandas.Series(values, dtype=object))


def test_rows_of_a_frame_are_matched_by_name(frame):
    plain = pcgs.Aggregator(5, "boa")
    named = pcgs.Aggregator(list("abcde"), "boa")
    for _, row in frame.iterrows():
        plain.learn(losses=row.to_numpy())
        named.learn(losses=row[["e", "c", "a", "b", "d"]])
    assert named.weights().tolist() == plain.weights().tolist()
    with pytest.raises(pcgs.Error, match="there is no label e"):
        named.learn(losses=row.rename({"e": "f"}))


def test_a_frame_that_holds_no_numbers_is_refused(frame):
    with pytest.raises(pcgs.Error, match="dtype object"):
        pcgs.run(frame.assign(date="2020-01-01"))
    with pytest.raises(pcgs.Error, match="the name is given to two experts"):
        pcgs.run(pandas.concat([frame, frame[["a"]]], axis=1))


def test_results_become_a_frame(losses):
    result = pcgs.run(losses, methods=["hedge", "ml-poly"], switches=[5, 10])
    table = result.to_pandas()
    assert list(table.index) == ["hedge", "ml-poly"]
    assert {"total_loss", "regret_5", "regret_10", "ns_per_round"} <= set(table.columns)
    assert table.loc["hedge", "regret_5"] == result["hedge"]["dynamic_regret"]["5"]
    assert np.isnan(table.loc["ml-poly", "certificate_bound"])
