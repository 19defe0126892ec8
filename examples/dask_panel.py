"""Combines every series of a panel on Dask, each whole in one partition.

    python3 examples/dask_panel.py panel.csv out.csv

The panel is a long frame, as forecasting packages write it: unique_id says which series a row belongs to, ds
when it is, y what happened (empty: not known yet), and each other column is the forecast of a model (empty: it
has none). It may be in several files, 'panel-*.csv'. out.csv gets unique_id, ds and the combined forecast: what
`pcgs run panel.csv --y y --time ds --by unique_id --season 7` has, to the bit on the same instruction set.

Needs dask[dataframe] and pcgs. Without a cluster Dask runs on threads of this machine, which work side by side
because pcgs.run lets go of Python meanwhile; where a dask.distributed.Client has been made, on its workers.
"""

import collections
import sys

import dask.dataframe
import pandas

import pcgs

SEASON = 7  # rounds: a week of days. () for none
NOT_MODELS = ["unique_id", "ds", "y"]
NOTHING = pandas.DataFrame(
    {"unique_id": pandas.Series(dtype=str), "ds": pandas.Series(dtype=str), "forecast": pandas.Series(dtype=float)}
)


def combine(rows):
    """unique_id, ds and forecast of one series, whose rows Dask brings in any order."""
    rows = rows.set_index(pandas.to_datetime(rows["ds"])).sort_index()
    name = rows["unique_id"].iloc[0]  # for messages
    result = pcgs.run(rows.drop(columns=NOT_MODELS), rows["y"], season=SEASON, name=name)
    return rows[["unique_id", "ds"]].assign(forecast=result.forecast_array())


def combine_part(part):
    """The same for all series of a partition, which may have none."""
    series = [combine(rows) for _, rows in part.groupby("unique_id")]
    return pandas.concat(series, ignore_index=True) if series else NOTHING


def main(panel, out):
    types = collections.defaultdict(lambda: float, unique_id=str, ds=str)
    # pandas' usual way of reading a number may be off by its last bit.
    frame = dask.dataframe.read_csv(panel, dtype=types, float_precision="round_trip")
    combined = frame.shuffle("unique_id").map_partitions(combine_part, meta=NOTHING)
    # All rows come to this machine here; on a cluster write them where they are, with to_parquet.
    combined.compute().sort_values(["unique_id", "ds"]).to_csv(out, index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
