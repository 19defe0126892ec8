"""The reference of the site has what users import, with what its docstrings say."""

import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "site")]

import python_reference

pcgs = pytest.importorskip("pcgs")
PAGES = dict(python_reference.pages(ROOT / "python" / "pcgs"))


@pytest.mark.parametrize("name", [name for name in pcgs.__all__ if callable(getattr(pcgs, name))])
def test_every_name_of_the_package_is_there_with_its_docstring(name):
    page = PAGES["pcgs"]
    assert f"\n## {name}\n" in page
    doc = python_reference.without_signature(getattr(pcgs, name).__doc__.strip(), name)
    first = next(line for line in doc.strip().split("\n") if line)
    assert first in page


def test_every_method_of_the_aggregator_is_there():
    for name, member in vars(pcgs.Aggregator).items():
        if not name.startswith("_"):
            assert f"\n### Aggregator.{name}\n" in PAGES["pcgs"], name


def test_modules_that_users_import_have_pages():
    assert {"pcgs", "sklearn", "river"} <= set(PAGES)


def test_examples_are_code():
    for name, page in PAGES.items():
        outside = re.sub(r"^```(\w+)\n.*?^```$", "", page, flags=re.M | re.S)
        assert "```" not in outside and ">>> " not in outside, name
    assert PAGES["pcgs"].count("```pycon") > 10


def test_a_docstring_becomes_text_code_and_a_list():
    doc = """Does it.

    >>> it()
    1

    Parameters
    ----------
    a : what it takes,
        and no more.
    b, c : others.

    Then it ends."""
    assert python_reference.as_markdown(doc) == (
        "Does it.\n\n\n```pycon\n>>> it()\n1\n```\n\n**Parameters**\n\n"
        "- `a`: what it takes, and no more.\n- `b, c`: others.\n\nThen it ends.\n"
    )
