"""Writes load.csv: the load of a made-up town, hour by hour, and six forecasts of it.

    python3 examples/make_load.py [FILE]        # examples/load.csv if nothing is said

The file has 120 days of hours, from 1 January 2026 on, and 24 more hours, of 1 May, whose load is not
known yet. `ds` is the time (no summer time), the other numbers are megawatts. The same seed gives the
same bytes; it needs NumPy only. Nothing here was chosen by looking at how well forecasts combine.

The load is a daily shape that differs between working days, Saturdays and Sundays (holidays are
Sundays), heating that follows the temperature, and noise that lasts some hours. On 1 April a factory
starts: 45 MW more on working days from 6 to 22 o'clock. No model is told. The temperature is a yearly
and a daily curve, weather that was announced the day before, and a surprise on top; models are told
the announced one only.

Every model forecasts a whole day at its midnight, from the load of earlier days:

naive    the same hour of last week.
ets      exponential smoothing: a level and 168 hours of a week, both updated after every hour.
arx      a regression on the load of 1, 2, 7, 8 and 14 days ago, by recursive least squares.
weather  a regression on the hour, the kind of day and the announced temperature, fitted every Monday
         to the last six weeks. It knows the holidays. Its weather feed sometimes stops at noon.
vendor   bought: the last four days of the same kind, corrected for the announced temperature with a
         fixed rule, and 3 % added, because too little power is dearer than too much. It did not come
         on some days.
nn       a small network (random tanh units, a ridge regression on top). It was trained on December,
         and once more on 16 March, on all that was known by then. Its machine was down for three days.

December is played, too, so that models have something to start from, and not written.
"""

import pathlib
import sys

import numpy as np

DAY, WEEK = 24, 168
START = np.datetime64("2025-12-01T00", "h")
FIRST = 31 * DAY  # the first hour that is written
KNOWN = FIRST + 120 * DAY  # hours whose load is known
HOURS = KNOWN + DAY
HOLIDAYS = ["2025-12-25", "2025-12-26", "2026-01-01", "2026-04-03", "2026-04-06", "2026-05-01"]

random = np.random.RandomState(2026)  # its numbers never change between versions of NumPy


def lasting(size, hours):
    """Noise of that size that forgets itself over so many hours."""
    keep = np.exp(-1 / hours)
    noise = np.empty(HOURS)
    last = random.standard_normal()
    for t in range(HOURS):
        last = keep * last + np.sqrt(1 - keep * keep) * random.standard_normal()
        noise[t] = size * last
    return noise


# The calendar: 0 for a working day, 1 for a Saturday, 2 for a Sunday or a holiday.
times = START + np.arange(HOURS)
hour = np.arange(HOURS) % DAY
days = times.astype("datetime64[D]")
weekday = (days.astype(int) + 3) % 7  # Monday is 0; 1 January 1970 was a Thursday
sunday = (weekday == 6) | np.isin(days, np.array(HOLIDAYS, "datetime64[D]"))
kind = np.where(sunday, 2, np.where(weekday == 5, 1, 0))

# The temperature, as it was announced the day before and as it was.
new_year = (times - np.datetime64("2026-01-01T00", "h")).astype(int) / DAY
announced = 9 - 8 * np.cos(2 * np.pi * (new_year - 20) / 365)
announced += 3 * np.sin(2 * np.pi * (hour - 9) / DAY) + lasting(3.5, 72)
temperature = announced + lasting(1.0, 12)


def heating(degrees):
    """What is missing to 15 degrees: houses cool slowly, so it is smoothed over half a day."""
    slow = np.empty(HOURS)
    now = degrees[0]
    for t in range(HOURS):
        now += (degrees[t] - now) / 12
        slow[t] = now
    return np.maximum(0, 15 - slow)


# The load.
at = 2 * np.pi * np.arange(DAY) / DAY
shapes = np.array([
    -75 * np.cos(at - 0.4) - 30 * np.cos(2 * at - 1.2) + 12 * np.sin(3 * at),
    -55 * np.cos(at - 0.5) - 28 * np.cos(2 * at - 1.4) - 45,
    -45 * np.cos(at - 0.7) - 30 * np.cos(2 * at - 1.6) - 75,
])
load = 480 + shapes[kind, hour] + 5.5 * heating(temperature) + lasting(9, 8)
factory = (times >= np.datetime64("2026-04-01T00", "h")) & (kind == 0) & (hour >= 6) & (hour < 22)
load += np.where(factory, 45, 0) + random.standard_normal(HOURS) * 3
load = np.round(load, 1)
load[KNOWN:] = np.nan


def midnights(first):
    """When forecasts are made: the coming day has the rows from t to t + DAY."""
    return range(first, HOURS, DAY)


def naive():
    said = np.full(HOURS, np.nan)
    said[WEEK:] = load[:-WEEK]
    return said


def ets():
    said = np.full(HOURS, np.nan)
    level = load[:WEEK].mean()
    season = load[:WEEK] - level
    for t in midnights(WEEK):
        of_week = np.arange(t, t + DAY) % WEEK
        said[t : t + DAY] = level + season[of_week]
        for past in range(t, t + DAY):
            error = load[past] - level - season[past % WEEK]
            if np.isfinite(error):
                level += 0.03 * error
                season[past % WEEK] += 0.2 * error
    return said


def arx():
    said = np.full(HOURS, np.nan)
    lags = np.array([1, 2, 7, 8, 14]) * DAY

    def row(t):
        return np.append(1.0, (load[t - lags] - 500) / 100)

    weights = np.zeros(lags.size + 1)
    spread = np.eye(weights.size) * 10
    for t in midnights(lags.max()):
        for ahead in range(t, t + DAY):
            said[ahead] = 500 + 100 * np.sum(row(ahead) * weights)
        for past in range(t, min(t + DAY, KNOWN)):
            x = row(past)
            gain = np.sum(spread * x, axis=1)
            gain /= 0.999 + np.sum(gain * x)
            weights += gain * ((load[past] - 500) / 100 - np.sum(weights * x))
            spread = (spread - np.outer(gain, np.sum(spread * x, axis=1))) / 0.999
    return said


def ridge(x, y, penalty):
    return np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ y)


def weather():
    said = np.full(HOURS, np.nan)
    x = np.zeros((HOURS, 3 * DAY + 1))
    x[np.arange(HOURS), kind * DAY + hour] = 1
    x[:, -1] = heating(announced) / 10
    for t in midnights(2 * WEEK):
        if t == 2 * WEEK or weekday[t] == 0:
            past = slice(max(0, t - 6 * WEEK), t)
            mean = load[past].mean()
            weights = ridge(x[past], load[past] - mean, 0.1)
        said[t : t + DAY] = mean + x[t : t + DAY] @ weights
    return said


def vendor():
    said = np.full(HOURS, np.nan)
    warmth = heating(announced)
    for t in midnights(2 * WEEK):
        like = [d for d in range(t - DAY, -1, -DAY) if kind[d] == kind[t]][:4]
        usual = np.mean([load[d : d + DAY] for d in like], axis=0)
        then = np.mean([warmth[d : d + DAY] for d in like], axis=0)
        said[t : t + DAY] = 1.03 * (usual + 4 * (warmth[t : t + DAY] - then))
    return said


def nn():
    said = np.full(HOURS, np.nan)
    x = np.column_stack([
        np.sin(2 * np.pi * hour / DAY), np.cos(2 * np.pi * hour / DAY),
        np.sin(4 * np.pi * hour / DAY), np.cos(4 * np.pi * hour / DAY),
        kind == 0, kind == 1, kind == 2, (announced - 5) / 5,
        (np.roll(load, DAY) - 500) / 100, (np.roll(load, WEEK) - 500) / 100,
    ]).astype(float)
    units = np.tanh(x @ (random.standard_normal((x.shape[1], 60)) * 0.6) + random.standard_normal(60))
    inputs = np.column_stack([np.ones(HOURS), x, units])
    trained = [FIRST, int((np.datetime64("2026-03-16T00", "h") - START).astype(int))]
    for t in midnights(FIRST):
        if t in trained:
            weights = ridge(inputs[WEEK:t], (load[WEEK:t] - 500) / 100, 0.3)
        said[t : t + DAY] = 500 + 100 * inputs[t : t + DAY] @ weights
    return said


def main(path):
    models = {f.__name__: f() for f in (naive, ets, arx, weather, vendor, nn)}
    # What did not come.
    days_of = {"vendor": [12, 13, 57, 96], "nn": [40, 41, 42]}
    for name, gone in days_of.items():
        for day in gone:
            models[name][FIRST + day * DAY : FIRST + (day + 1) * DAY] = np.nan
    for day in (5, 23, 24, 61, 88, 109):
        models["weather"][FIRST + day * DAY + 12 : FIRST + (day + 1) * DAY] = np.nan

    def text(number):
        return "" if np.isnan(number) else f"{number:.1f}"

    lines = ["ds,load," + ",".join(models)]
    for t in range(FIRST, HOURS):
        when = str(times[t].astype("datetime64[m]")).replace("T", " ")
        lines.append(",".join([when, text(load[t])] + [text(m[t]) for m in models.values()]))
    pathlib.Path(path).write_bytes(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).with_name("load.csv"))
