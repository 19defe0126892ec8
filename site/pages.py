#!/usr/bin/env python3
"""Gathers the pages of the site and their navigation for mkdocs (make docs).

    site/pages.py FOLDER NOTEBOOKS

README.md is the front page; beside it are docs/, the notebooks as NOTEBOOKS has them, played, and a
reference made from docstrings and headers. A link to another file of the repository leads to a page
that shows the file, or to a copy of it, so that the site is whole by itself.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
from typing import Dict, Iterator, List, Set, Tuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))

import cpp_reference
import notebook_pages
import python_reference
from check_links import ELSEWHERE, links
from navigation import NAVIGATION, Section

ROOT = pathlib.Path(__file__).resolve().parents[1]
COPIED = {".svg", ".png", ".csv", ".gz", ".safetensors"}
LANGUAGES = {
    ".cc": "cpp", ".h": "cpp", ".py": "python", ".json": "json", ".conf": "nginx",
    ".service": "ini", ".mjs": "js", ".js": "js", ".R": "r", "": "sh",
}  # fmt: skip
UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n"


def page_of(source: str) -> str:
    """Where a source file of the repository is on the site."""
    if source == "README.md":
        return "index.md"
    if source.startswith("docs/"):
        return source[len("docs/") :]
    if source.endswith(".ipynb"):
        return f"notebooks/{pathlib.Path(source).stem}.md"
    if source in ("CHANGELOG.md", "CONTRIBUTING.md"):
        return source.lower()
    return source


class Site:
    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.sources: Dict[str, str] = {}  # of each page that is made from a file: where it is
        self.titles: Dict[str, str] = {}  # and what it is called
        self.shown: Set[str] = (
            set()
        )  # files that got a page or a copy because somebody links to them

    def write(self, page: str, text: str) -> None:
        path = self.folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def add(self, source: str, title: str) -> None:
        self.sources[source] = page_of(source)
        self.titles[source] = title

    def write_sources(self) -> None:
        for source, page in self.sources.items():
            self.write(
                page, self.relinked((ROOT / source).read_text(encoding="utf-8"), source, page)
            )

    def relinked(self, text: str, source: str, page: str) -> str:
        """The text with its links as they are from the page."""
        lines = text.split("\n")
        for link in sorted(links(text), key=lambda one: (one.line, -one.start)):
            if ELSEWHERE.match(link.target) or link.target.startswith("#"):
                continue
            name, mark, anchor = link.target.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(source), name))
            if not (ROOT / target).exists():  # made for the page, or wrong: mkdocs says which
                continue
            there = os.path.relpath(self.place_of(target), os.path.dirname(page) or ".")
            line = lines[link.line - 1]
            before, after = line[: link.start], line[link.start + len(link.target) :]
            if (
                before.endswith(f"[{name}](") and target in self.titles
            ):  # a page has a name, not a path
                before = before[: -len(f"[{name}](")] + f"[{self.titles[target]}]("
            lines[link.line - 1] = before + there + mark + anchor + after
        return "\n".join(lines)

    def place_of(self, target: str) -> str:
        """Where a linked file is on the site; it is brought there if it is not."""
        if (ROOT / target).is_dir() and f"{target}/README.md" in self.sources:
            target = f"{target}/README.md"
        if target in self.sources:
            return self.sources[target]
        if target.endswith(".ipynb"):
            return page_of(target)
        path = ROOT / target
        if path.is_dir():
            place = f"files/{target}/index.md"
        elif path.suffix in COPIED:
            place = page_of(target) if target.startswith("docs/") else f"files/{target}"
        else:
            place = f"files/{target}.md"
        if target not in self.shown:
            self.shown.add(target)
            if path.is_dir():
                self.write(place, self.listing(target, place))
            elif path.suffix in COPIED:
                (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, self.folder / place)
            else:
                self.write(place, self.as_code(target))
        return place

    def listing(self, target: str, place: str) -> str:
        listed = subprocess.run(
            ["git", "ls-files", target], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split("\n")
        names = sorted({name[len(target) + 1 :].split("/")[0] for name in listed if name})
        out = [f"{UNSEARCHED}# {target}", ""]
        for name in names:
            if (ROOT / target / name).is_dir():
                out.append(f"- {name}/")
            else:
                there = os.path.relpath(self.place_of(f"{target}/{name}"), os.path.dirname(place))
                out.append(f"- [{name}]({there})")
        return "\n".join(out) + "\n"

    @staticmethod
    def as_code(target: str) -> str:
        path = ROOT / target
        fence = "````"
        text = path.read_text(encoding="utf-8").rstrip("\n")
        language = LANGUAGES.get(path.suffix, "text")
        return f"{UNSEARCHED}# {target}\n\n{fence}{language}\n{text}\n{fence}\n"


def navigation(
    entries: List[Section], generated: Dict[str, List[Dict[str, str]]], site: Site
) -> list:
    out = []
    for title, where in entries:
        if isinstance(where, list):
            inside = navigation(where, generated, site)
            out += [{title: inside}] if inside else []
        elif where in generated:
            out.append({title: generated[where]})
        elif where in site.sources:
            out.append({title: site.sources[where]})
    return out


def listed(entries: List[Section]) -> Iterator[Tuple[str, str]]:
    """The source files of the navigation, each with its title."""
    for title, where in entries:
        if isinstance(where, list):
            yield from listed(where)
        elif "." in where and (ROOT / where).exists():
            yield where, title


def main(folder: str, notebooks: str) -> None:
    pages = pathlib.Path(folder).resolve() / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    site = Site(pages)
    for name, title in listed(NAVIGATION):
        site.add(name, title)
    site.write_sources()

    generated: Dict[str, List[Dict[str, str]]] = {"notebooks": [], "python": [], "cpp": []}
    for path in sorted(
        pathlib.Path(notebooks).glob("*.ipynb"), key=lambda one: (one.stem != "tour", one)
    ):
        title, text = notebook_pages.page(path, pages / "notebooks")
        page = page_of(path.name)
        site.write(page, site.relinked(text, f"examples/python/{path.name}", page))
        generated["notebooks"].append({title: page})
    for name, text in python_reference.pages(ROOT / "python" / "pcgs"):
        site.write(f"reference/python/{name}.md", text)
        title = name if name == "pcgs" else f"pcgs.{name}"
        generated["python"].append({title: f"reference/python/{name}.md"})
    for name, text in cpp_reference.pages(ROOT / "include" / "pcgs"):
        site.write(f"reference/cpp/{name}.md", text)
        title = "Headers" if name == "index" else f"{name}.h"
        generated["cpp"].append({title: f"reference/cpp/{name}.md"})

    for path in sorted((ROOT / "site" / "assets").rglob("*")):
        if path.is_file():
            copy = pages / "assets" / path.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    config = {"INHERIT": str(ROOT / "site" / "mkdocs.yml"), "docs_dir": str(pages)}
    config["nav"] = navigation(NAVIGATION, generated, site)  # type: ignore[assignment]
    (pathlib.Path(folder) / "mkdocs.yml").write_text(json.dumps(config, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
