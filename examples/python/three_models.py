"""Three scikit-learn models of the same series, combined online, with a report.

The series changes its habits half-way. Three kinds of model are fitted again every week to all that
is known by then, and the weights follow whichever forecasts best at present.
"""

import sys

import numpy as np
from sklearn.linear_model import Ridge, SGDRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import pcgs
from pcgs.sklearn import PcgsCombiner

DAY = 24
random = np.random.default_rng(3)
hours = np.arange(60 * DAY)
turned = hours >= 30 * DAY
y = 100 + np.where(turned, 12, 30) * np.sin(2 * np.pi * hours / DAY) + np.where(turned, 40, 0)
y = y + 4 * random.standard_normal(hours.size)

# What is known when hour t is forecast: the values one hour, one day and two days before it.
known = slice(2 * DAY, None)
X = np.column_stack([np.roll(y, lag)[known] for lag in (1, DAY, 2 * DAY)])
y = y[known]

models = [
    ("ridge", Ridge()),
    ("tree", DecisionTreeRegressor(max_depth=5, random_state=0)),
    ("sgd", make_pipeline(StandardScaler(), SGDRegressor(random_state=0))),
]
combiner = PcgsCombiner(models, method="guard", warmup=14 * DAY, refit_every=7 * DAY).fit(X, y)
for (name, _), weight in zip(models, combiner.weights_):
    print(f"{name:6} {weight:.3f}")

# The same forecasts by hand, to compare methods and to see the report.
start = 14 * DAY
forecasts = np.empty((y.size - start, len(models)))
for week in range(start, y.size, 7 * DAY):
    rows = slice(week, min(week + 7 * DAY, y.size))
    for k, (_, model) in enumerate(models):
        forecasts[rows.start - start : rows.stop - start, k] = model.fit(
            X[:week], y[:week]
        ).predict(X[rows])
result = pcgs.run(
    forecasts,
    y[start:],
    models=[name for name, _ in models],
    methods=["guard", "ml-poly", "hedge"],
)
print(result)
try:
    result.report(sys.argv[1] if len(sys.argv) > 1 else "three_models.html")
except pcgs.Error as error:
    print(error)
