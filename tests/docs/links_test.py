"""Links of the repository's markdown lead somewhere, and the site has a place for every page."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "site")]

import check_links
import cpp_reference
import navigation


def test_every_link_of_the_repository_leads_somewhere():
    known = {}
    files = check_links.markdown_of_the_repository()
    assert {"README.md", "python.md"} <= {path.name for path in files}
    assert [sentence for path in files for sentence in check_links.broken(path, known)] == []


@pytest.mark.parametrize(
    "link, sentence",
    [
        ("[a](other.md)", None),
        ("[a](other.md#the-first-one)", None),
        ("[a](other.md#twice-1)", None),
        ("[a](#here)", None),
        ("![a](https://example.org/none.png)", None),
        ("`[a](none.md)`", None),
        ("    [a](none.md)", None),
        ("[a](none.md)", "there is no none.md"),
        ("![a](none.png)", "there is no none.png"),
        ("[a]: none.md", "there is no none.md"),
        ("[a](other.md#the-second-one)", "other.md has no heading #the-second-one"),
        ("[a](#there)", "page.md has no heading #there"),
        ("[a](data.csv#x)", "data.csv is no markdown"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(tmp_path, link, sentence):
    (tmp_path / "other.md").write_text("# The `first` one!\n\n## Twice\n\n## Twice\n")
    (tmp_path / "data.csv").write_text("1\n")
    page = tmp_path / "page.md"
    page.write_text(f"# Here\n\n{link}\n")
    found = list(check_links.broken(page, {}))
    if sentence is None:
        assert found == []
    else:
        [said] = found
        assert f"page.md:3: {sentence}" in said


def entries(sections):
    for _, where in sections:
        yield from entries(where) if isinstance(where, list) else [where]


def test_every_page_of_docs_has_a_place_on_the_site():
    places = list(entries(navigation.NAVIGATION))
    assert len(places) == len(set(places))
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages <= set(places), f"site/navigation.py does not name {sorted(pages - set(places))}"


@pytest.mark.parametrize(
    "header", sorted((ROOT / "include" / "pcgs").glob("*.h")), ids=lambda path: path.name
)
def test_the_page_of_a_header_says_what_is_public(header):
    text = header.read_text()
    page = cpp_reference.page(header)
    classes = [
        line.split()[1]
        for line in text.split("\n")
        if line.startswith(("class ", "struct ")) and "{" in line
    ]
    for name in classes:
        assert f"## {name}\n" in page
    private = text.count("\n private:\n")
    assert " private:" not in page and page.count(";") <= text.count(";") - private
