"""The order of the site: files of the repository by path; what is made for it, without a dot."""

from typing import List, Tuple, Union

Section = Tuple[str, Union[str, List["Section"]]]  # type: ignore[misc]

NAVIGATION: List[Section] = [
    ("Start", "README.md"),
    ("Guides", [
        ("Installing", "docs/install.md"),
        ("Cookbook", "docs/cookbook.md"),
        ("Python", "docs/python.md"),
        ("R", "docs/r.md"),
        ("Quantiles", "docs/quantiles.md"),
        ("Serving", "docs/serving.md"),
        ("Operation", "examples/serve/README.md"),
        ("Training", "docs/training.md"),
        ("Simple experts", "docs/experts.md"),
        ("The page of a run", "docs/report.md"),
    ]),
    ("Adapters", [
        ("scikit-learn", "docs/sklearn.md"),
        ("sktime", "docs/sktime.md"),
        ("Darts", "docs/darts.md"),
        ("Nixtla", "docs/nixtla.md"),
        ("river", "docs/river.md"),
    ]),
    ("Coming from", [
        ("opera", "docs/coming-from-opera.md"),
        ("profoc", "docs/coming-from-profoc.md"),
        ("river", "docs/coming-from-river.md"),
        ("sktime", "docs/coming-from-sktime.md"),
    ]),
    ("Notebooks", "notebooks"),
    ("How it works", [
        ("Design", "docs/internals/design.md"),
        ("Mathematics", "docs/internals/mathematics.md"),
        ("Certificates", "docs/certificates.md"),
        ("The learned controller", "docs/controller.md"),
        ("The oracle", "docs/oracle.md"),
        ("Made-up families", "docs/internals/families.md"),
        ("Shipped models", "models/README.md"),
    ]),
    ("Results", [
        ("Results", "docs/results.md"),
        ("Beside the paper", "docs/internals/paper.md"),
        ("Reliability", "docs/internals/reliability.md"),
    ]),
    ("Reference", [
        ("Python", "python"),
        ("C++", "cpp"),
    ]),
    ("Project", [
        ("Changes", "CHANGELOG.md"),
        ("Contributing", "CONTRIBUTING.md"),
    ]),
]  # fmt: skip
