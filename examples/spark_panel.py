"""Combines every series of a panel on Spark, each whole on one worker.

    python3 examples/spark_panel.py panel.csv out.csv

The panel is a long frame, as forecasting packages write it: unique_id says which series a row belongs to, ds
when it is, y what happened (empty: not known yet), and each other column is the forecast of a model (empty: it
has none). It may be in several files, 'panel-*.csv'. out.csv gets unique_id, ds and the combined forecast: what
`pcgs run panel.csv --y y --time ds --by unique_id --season 7` has, to the bit on the same instruction set.

Needs pyspark, pandas, pyarrow and pcgs, also on the workers. Without a cluster Spark runs on the cores of this machine;
`spark-submit --master ...` takes the file as it is.
"""

import os
import sys

import pandas
from pyspark.sql import SparkSession

import pcgs

SEASON = 7  # rounds: a week of days. () for none
NOT_MODELS = ["unique_id", "ds", "y"]


def combine(rows):
    """unique_id, ds and forecast of one series, whose rows Spark brings in any order."""
    rows = rows.set_index(pandas.to_datetime(rows["ds"])).sort_index()
    name = rows["unique_id"].iloc[0]  # for messages
    result = pcgs.run(rows.drop(columns=NOT_MODELS), rows["y"], season=SEASON, name=name)
    return rows[["unique_id", "ds"]].assign(forecast=result.forecast_array())


def main(panel, out):
    # The workers' Python is this one, which has pcgs.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.appName("pcgs").getOrCreate()
    texts = spark.read.csv(panel, header=True)  # a guess at types would make 7 of the series 007
    numbers = [name for name in texts.columns if name not in ("unique_id", "ds")]
    frame = texts.withColumns({name: texts[name].cast("double") for name in numbers})
    combined = frame.groupBy("unique_id").applyInPandas(
        combine, "unique_id string, ds string, forecast double"
    )
    # All rows come to this machine here; on a cluster write them where they are, with combined.write.
    combined.orderBy("unique_id", "ds").toPandas().to_csv(out, index=False)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
