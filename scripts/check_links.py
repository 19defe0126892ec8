#!/usr/bin/env python3
"""Checks the links of the repository's markdown: every file and every heading that one names is
there.

    scripts/check_links.py [FILE.md ...]

Without arguments all markdown that git lists. Looks at nothing outside the repository: links to
other hosts are counted and not followed. Ends with 1 if a link leads nowhere, and says where each
of them is.
"""

import pathlib
import re
import subprocess
import sys
from collections import Counter
from typing import Dict, Iterator, List, NamedTuple, Set, Tuple

ROOT = pathlib.Path(__file__).resolve().parents[1]

FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
LINK = re.compile(
    r"!?\[(?:[^][]|\[[^][]*\])*\]\((?P<inline>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?: \"[^\"]*\")?\)"
)
REFERENCE = re.compile(r"^ {0,3}\[[^]]+\]: +(?P<reference>\S+)")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")


class Link(NamedTuple):
    line: int
    start: int  # of the target in that line
    target: str


def prose(text: str) -> Iterator[Tuple[int, str]]:
    """Number and content of the lines that are no code; spans of code are blanked out."""
    fence, before, indented = "", "", False
    for number, line in enumerate(text.split("\n"), 1):
        found = FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence):
                fence = ""
        elif found:
            fence = found[1]
        else:
            indented = line.startswith("    ") and (indented or not before.strip())
            if not indented:
                yield number, SPAN.sub(lambda span: " " * len(span[0]), line)
        before = line


def links(text: str) -> Iterator[Link]:
    for number, line in prose(text):
        for found in LINK.finditer(line):
            yield Link(number, found.start("inline"), found["inline"])
        found = REFERENCE.match(line)
        if found:
            yield Link(number, found.start("reference"), found["reference"])


def headings(text: str) -> Iterator[Tuple[int, str]]:
    """Line and title of each heading, as it is written."""
    lines = text.split("\n")
    for number, line in prose(text):
        found = re.match(r" {0,3}#{1,6} +(.*?)(?: +#+)?$", line)
        if found:
            yield number, lines[number - 1].lstrip(" #").rstrip()


def slug(title: str) -> str:
    """The anchor of a heading: letters, digits and hyphens, where spaces are hyphens."""
    title = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", title).lower()
    return re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-")


def anchors(text: str) -> Set[str]:
    seen: "Counter[str]" = Counter()
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for _, title in headings(text):
        name = slug(title)
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def broken(path: pathlib.Path, known: Dict[pathlib.Path, Set[str]]) -> Iterator[str]:
    """One sentence for each link of this file that leads nowhere."""
    text = path.read_text(encoding="utf-8")
    for link in links(text):
        if ELSEWHERE.match(link.target):
            continue
        name, _, anchor = link.target.partition("#")
        target = (path.parent / name).resolve() if name else path.resolve()
        place = f"{path.relative_to(ROOT) if ROOT in path.parents else path}:{link.line}"
        if not link.target or not target.exists():
            yield f"{place}: there is no {link.target or 'target'}"
        elif ROOT in path.resolve().parents and ROOT not in target.parents:
            yield f"{place}: {link.target} is outside the repository"
        elif anchor and target.suffix == ".md":
            if target not in known:
                known[target] = anchors(target.read_text(encoding="utf-8"))
            if anchor not in known[target]:
                yield f"{place}: {name or path.name} has no heading #{anchor}"
        elif anchor:
            yield f"{place}: {name} is no markdown and has no heading #{anchor}"


def markdown_of_the_repository() -> List[pathlib.Path]:
    """All that git lists; all of the usual places in a source tree without git."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        listed = [
            str(path)
            for where in ("*.md", "docs/*.md", "examples/**/*.md")
            for path in ROOT.glob(where)
        ]
    return sorted(ROOT / name for name in listed if name and (ROOT / name).exists())


def main(arguments: List[str]) -> int:
    files = [pathlib.Path(name) for name in arguments] or markdown_of_the_repository()
    known: Dict[pathlib.Path, Set[str]] = {}
    wrong = [sentence for path in files for sentence in broken(path, known)]
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    count = sum(1 for path in files for _ in links(path.read_text(encoding="utf-8")))
    print(f"{count} links in {len(files)} files, {len(wrong)} of which lead nowhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
