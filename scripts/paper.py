#!/usr/bin/env python3
"""Tables for docs/internals/paper.md: what the paper reports beside what is measured here, as CSV files.

usage: paper.py studies RESULTS OUT
       paper.py electricity PCGS DATA OUT

RESULTS is what `make results` wrote. DATA holds the series of real.py and
household_power_10min_2006-12-16_2007-01-19.csv.gz; where it has household_power_consumption.txt, as
UCI publishes it, that is one more column. The figures of the paper are those of its Tables 1 to 5.
"""
import csv
import gzip
import json
import os
import statistics
import subprocess
import sys

ORACLE, REGRET = "pcgs-tf:oracle", "pcgs-tf"  # the paper's recipe, and ours
FAMILIES = ["switch", "drift", "hetero", "heavy-tail", "mix", "predictive", "adversarial"]
BASELINES = {"hedge": "Hedge", "fixed-share": "FixedShare", "genshare": "GenShare"}

TABLE_1 = {  # Hedge, FixedShare, GenShare, Ours
    "switch": ["25.70 ± 2.46", "19.58 ± 0.56", "19.38 ± 0.59", "18.93 ± 0.64"],
    "drift": ["23.71 ± 2.39", "19.59 ± 0.66", "19.09 ± 0.63", "18.64 ± 0.70"],
    "hetero": ["28.95 ± 2.12", "21.36 ± 0.43", "21.16 ± 0.45", "20.73 ± 0.47"],
    "heavy-tail": ["27.04 ± 3.03", "21.82 ± 0.56", "21.69 ± 0.59", "21.17 ± 0.68"],
    "mix": ["23.09 ± 2.57", "19.55 ± 0.44", "19.52 ± 0.47", "19.39 ± 0.53"],
    "predictive": ["21.04 ± 1.85", "16.86 ± 0.51", "16.63 ± 0.51", "16.14 ± 0.59"],
    "adversarial": ["31.31 ± 2.19", "21.39 ± 0.41", "21.19 ± 0.42", "20.64 ± 0.46"],
}
TABLE_2 = {  # sequences won and mean improvement: against GenShare, against FixedShare
    "switch": [(100, 0.44), (100, 0.65)],
    "drift": [(100, 0.45), (100, 0.95)],
    "hetero": [(100, 0.43), (100, 0.63)],
    "heavy-tail": [(100, 0.52), (100, 0.65)],
    "mix": [(75, 0.13), (80, 0.16)],
    "predictive": [(100, 0.49), (100, 0.72)],
    "adversarial": [(100, 0.56), (100, 0.75)],
}
TABLE_3 = {  # degrees of freedom, jump probability: improvement over GenShare
    (2, 0.00): 0.40, (2, 0.03): 0.49, (2, 0.06): 0.53,
    (3, 0.00): 0.45, (3, 0.03): 0.53, (3, 0.06): 0.56,
    (5, 0.00): 0.43, (5, 0.03): 0.52, (5, 0.06): 0.57,
}
TABLE_4 = {  # FixedShare, GenShare, Ours
    64: ["60.95 ± 1.54", "60.41 ± 1.56", "59.54 ± 1.87"],
    256: ["65.23 ± 1.76", "64.73 ± 1.77", "62.57 ± 2.05"],
    1024: ["67.49 ± 2.84", "66.98 ± 2.83", "63.30 ± 3.47"],
}
TABLE_5 = {  # S = 5, 10, 20
    "hedge": [0.01756, 0.01928, 0.02144],
    "fixed-share": [0.01684, 0.01856, 0.02072],
    "genshare": [0.00813, 0.00985, 0.01202],
    ORACLE: [0.00630, 0.00802, 0.01018],
}
BUDGETS = ["5", "10", "20"]


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(out, name, rows):
    with open(f"{out}/{name}.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def by(rows, *keys):
    return {tuple(row[k] for k in keys): row for row in rows}


def against(played, other):
    """{method: how it compares with the other}, of methods on the same sequences."""
    return {pair["a"]: pair for pair in played["comparisons"] if pair["b"] == other}


def mean(text):
    """12.34 of "12.34 ± 0.56"."""
    return float(text.split()[0])


# The studies.


def main_study(results, out):
    regret = by(read(f"{results}/main.csv"), "method")
    head = ["family"]
    for name in [*BASELINES.values(), "Ours"]:
        head += [f"{name}: paper", "here"]
    rows = [head[:-1] + [f"{ORACLE} here", f"{REGRET} here"]]
    for family in FAMILIES:
        row = [family]
        for paper, method in zip(TABLE_1[family], [*BASELINES, ORACLE]):
            row += [paper, regret[method,][family]]
        rows.append(row + [regret[REGRET,][family]])
    write(out, "paper_1", rows)

    recipe = by(read(f"{results}/recipe.csv"), "family", "against")
    tests = ["won", "improvement", "t: p", "Wilcoxon: p", "Cohen's d"]
    for column, other in enumerate(["genshare", "fixed-share"]):
        rows = [["family", "paper: won", "improvement", "here: won", *tests[1:]]]
        for family in FAMILIES:
            won, improvement = TABLE_2[family][column]
            rows.append([family, f"{won} %", f"+{improvement:.2f}",
                         *(recipe[family, other][one] for one in tests)])
        write(out, f"paper_2_{other}", rows)


def heavy_tail_study(results, out):
    with open(f"{results}/heavy-tail.json", encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    rows = [["df", "jumps", "paper", f"{ORACLE} here", "sequences won", f"{REGRET} here",
             "sequences won"]]
    for cell in cells:
        pairs = against(cell, "genshare")
        df, jumps = round(cell["df"]), cell["jump_probability"]
        row = [df, f"{jumps:.2f}", f"+{TABLE_3[df, jumps]:.2f}"]
        for method in [ORACLE, REGRET]:
            row += [f"{pairs[method]['mean_improvement']:+.2f}",
                    f"{100 * pairs[method]['win_rate']:.0f} %"]
        rows.append(row)
    write(out, "paper_3", rows)


def scaling_study(results, out):
    regret = by(read(f"{results}/scaling-generating-path.csv"), "method")
    with open(f"{results}/scaling.json", encoding="utf-8") as file:
        pools = {pool["experts"]: pool for pool in json.load(file)["pools"]}
    rows = [["K", "FixedShare: paper", "here", "GenShare: paper", "here", "Ours: paper",
             f"{ORACLE} here", f"{REGRET} here", "Ours below GenShare: paper", f"{ORACLE} here",
             f"{REGRET} here"]]
    for experts, paper in TABLE_4.items():
        here = {method: regret[method,][f"K = {experts}"]
                for method in ["fixed-share", "genshare", ORACLE, REGRET]}
        row = [experts]
        for figure, method in zip(paper, ["fixed-share", "genshare", ORACLE]):
            row += [figure, here[method]]
        row += [here[REGRET], f"{mean(paper[1]) - mean(paper[2]):.2f}"]
        # Whatever regrets are measured against, they differ by the same.
        pairs = against(pools[experts], "genshare")
        row += [f"{pairs[m]['mean_improvement']:.2f}" for m in [ORACLE, REGRET]]
        rows.append(row)
    write(out, "paper_4", rows)


def mechanism_study(results, out):
    found = by(read(f"{results}/mechanism.csv"), "family", "method")
    rows = [["family"]]
    for what in ["rho after / elsewhere", "q on next", "C_eff"]:
        rows[0] += [f"{what}: {ORACLE}", f"{REGRET}"]
    rows[0].append("C_eff of uniform q")
    for family in FAMILIES:
        two = [found[family, m] for m in [ORACLE, REGRET]]
        cells = [one[what] for what in ["ratio", "q on next", "C_eff"] for one in two]
        rows.append([family, *cells, two[0]["uniform"]])
    write(out, "paper_mechanism", rows)


def recipe_ablation(results, out):
    rows = [["recipe", *FAMILIES]]
    names = {ORACLE: "as it is", f"{ORACLE}{{rho=0.01}}": "rho = 0.01",
             f"{ORACLE}{{uniform=1}}": "uniform q",
             f"{ORACLE}{{rho=0.01,uniform=1}}": "both: Fixed Share"}
    regret = by(read(f"{results}/oracle-recipe/main.csv"), "method")
    for method, name in names.items():
        rows.append([name] + [regret[method,][family] for family in FAMILIES])
    write(out, "paper_ablation", rows)


# Electricity.

METHODS = ["hedge", "fixed-share", "genshare", ORACLE, REGRET, "guard"]
POOL = "examples/paper_pool.json"
MINUTES, HOURS = "household_power_10min_2006-12-16_2007-01-19.csv", "household_power_hourly.csv"
TETOUAN, PUBLISHED = "tetuan_power_10min_last20000.csv", "household_power_consumption.txt"
POWER, ZONE = ["--column", "global_active_power"], ["--column", "zone1_power"]
FIGURE = "{:.5f}".format


def series_file(data, out, name):
    """The series as a file that can be read as it is; none if DATA has none."""
    if os.path.exists(f"{data}/{name}"):
        return f"{data}/{name}"
    if not os.path.exists(f"{data}/{name}.gz"):
        return None
    with gzip.open(f"{data}/{name}.gz", "rb") as packed, open(f"{out}/{name}", "wb") as file:
        file.write(packed.read())
    return f"{out}/{name}"


def regrets(pcgs, path, options, methods):
    """{method: regret per round for each budget}"""
    command = [pcgs, "electricity", path, *options, "--method", ",".join(methods)]
    print("+ " + " ".join(command), file=sys.stderr)
    played = json.loads(subprocess.run(command + ["--quiet", "--json"], check=True,
                                       stdout=subprocess.PIPE).stdout)
    return {m["name"]: [m["regret_per_round"][s] for s in BUDGETS] for m in played["methods"]}


def electricity(pcgs, data, out):
    files = {name: series_file(data, out, name) for name in [MINUTES, HOURS, TETOUAN, PUBLISHED]}
    for name in [MINUTES, HOURS, TETOUAN]:
        if files[name] is None:
            sys.exit(f"{data} has no {name}.gz")
    paper = ["--pool", POOL]
    runs = {
        "10 min": (MINUTES, POWER + paper),
        "by the hour": (HOURS, POWER + paper),
        "by the hour, the paper's months": (HOURS, POWER + paper + ["--observations", "3333"]),
        "Tetouan, 10 min": (TETOUAN, ZONE + paper),
        "with seasons: 10 min": (MINUTES, POWER + ["--season", "144,1008"]),
        "by the hour with seasons": (HOURS, POWER + ["--season", "24,168"]),
        "Tetouan with seasons": (TETOUAN, ZONE + ["--season", "144,1008"]),
    }
    if files[PUBLISHED]:
        runs = {"the paper's observations": (PUBLISHED, paper), **runs}
    found = {"paper": TABLE_5}
    for name, (file, options) in runs.items():
        found[name] = regrets(pcgs, files[file], options, METHODS)
    methods = [*METHODS, "hedge*", "fixed-share*"]

    full = [name for name in found if name in ["paper", "the paper's observations", "10 min",
                                               "by the hour"]]
    rows = [["method"] + [f"{name}: S = {s}" if s == "5" else s for name in full for s in BUDGETS]]
    for m in methods:
        cells = [map(FIGURE, found[name][m]) if m in found[name] else "---" for name in full]
        rows.append([m] + [c for three in cells for c in three])
    write(out, "paper_5", rows)

    rows = [["method", *found]]
    for m in methods:
        rows.append([m] + [FIGURE(statistics.mean(one[m])) if m in one else "-"
                           for one in found.values()])
    for other in ["genshare", "hedge"]:
        row = [f"{ORACLE} below {other}"]
        for one in found.values():
            gain = statistics.mean(1 - x / y for x, y in zip(one[ORACLE], one[other]))
            row.append(f"{100 * gain:.1f} %")
        rows.append(row)
    write(out, "paper_5_averages", rows)

    kinds = ["hedge{{eta={}}}", "fixed-share{{eta={},rho=0.01}}", "fixed-share{{eta={},rho=0.001}}",
             "genshare{{eta={}}}", ORACLE + "{{eta={}}}"]
    rates = ["0.1", "0.25", "0.5", "1", "2", "4", "8", "16"]
    tried = {name: regrets(pcgs, files[file], POWER + paper,
                           [kind.format(eta) for eta in rates for kind in kinds])
             for name, file in [("10 min", MINUTES), ("by the hour", HOURS)]}
    names = ["hedge", "fixed-share, rho = 0.01", "rho = 0.001", "genshare", ORACLE]
    rows = [["eta"] + [f"{series}: {name}" if name == "hedge" else name
                       for series in tried for name in names]]
    for eta in rates:
        rows.append([eta] + [FIGURE(statistics.mean(one[kind.format(eta)]))
                             for one in tried.values() for kind in kinds])
    write(out, "paper_5_rates", rows)


def main():
    what, *arguments = sys.argv[1:]
    out = arguments[-1]
    os.makedirs(out, exist_ok=True)
    if what == "electricity":
        electricity(*arguments)
        return
    for study in [main_study, heavy_tail_study, scaling_study, mechanism_study, recipe_ablation]:
        study(*arguments)


main()
