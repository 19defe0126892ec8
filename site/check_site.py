#!/usr/bin/env python3
"""Checks a site that was built: it loads nothing from other hosts, links and anchors are there.

    site/check_site.py FOLDER

Links that a reader may click, to other hosts, are counted and not followed.
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse
from typing import Dict, List, Set, Tuple

LOADS = {
    "script": "src",
    "link": "href",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
}


class Page(html.parser.HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: List[str] = []
        self.links: List[str] = []
        self.anchors: Set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: "List[Tuple[str, str | None]]") -> None:
        given = {name: value or "" for name, value in attributes}
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if given.get(LOADS.get(tag, "")):
            self.loads.append(given[LOADS[tag]])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])


def is_elsewhere(target: str) -> bool:
    return bool(urllib.parse.urlsplit(target).scheme) or target.startswith("//")


def main(folder: str) -> None:
    pages: Dict[pathlib.Path, Page] = {}
    for path in pathlib.Path(folder).resolve().rglob("*.html"):
        pages[path] = Page(path.read_text(encoding="utf-8"))
    wrong, count, elsewhere = [], 0, set()
    for path, page in sorted(pages.items()):
        name = path.relative_to(pathlib.Path(folder).resolve())
        for target in [*page.loads, *page.links]:
            count += 1
            if is_elsewhere(target):
                elsewhere.add(target)
                if target in page.loads and not target.startswith("data:"):
                    wrong.append(f"{name} loads {target}")
                continue
            place, _, anchor = target.partition("#")
            there = (path.parent / urllib.parse.unquote(place)).resolve() if place else path
            anchor = urllib.parse.unquote(anchor)
            if not there.exists():
                wrong.append(f"{name}: there is no {target}")
            elif anchor and there in pages and anchor not in pages[there].anchors:
                wrong.append(f"{name}: {place or name} has no #{anchor}")
    for css in pathlib.Path(folder).rglob("*.css"):
        if re.search(r"url\(['\"]?(https?:)?//", css.read_text(encoding="utf-8")):
            wrong.append(f"{css.name} loads from another host")
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    print(f"{len(pages)} pages, {count} links, {len(wrong)} wrong; {len(elsewhere)} to other hosts")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1])
