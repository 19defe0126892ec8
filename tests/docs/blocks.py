"""The blocks of code in the documentation, fenced ones and those indented by four spaces."""

import pathlib
import re
from typing import List, NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUTSIDE_DOCS = ["README.md", "CONTRIBUTING.md", "examples/serve/README.md", "models/README.md"]
PAGES = sorted([*(ROOT / name for name in OUTSIDE_DOCS), *(ROOT / "docs").rglob("*.md")])


class Block(NamedTuple):
    page: str  # docs/python.md
    line: int
    language: str  # of a fence; "indented" without one
    text: str
    section: str  # the title above it

    def __str__(self):
        return f"{self.page}:{self.line}"


def blocks(path: pathlib.Path) -> List[Block]:
    page = path.relative_to(ROOT).as_posix()
    found: List[Block] = []
    section = ""
    lines = path.read_text(encoding="utf-8").split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        fence = re.match(r"(`{3,})(\S*)", line)
        if fence:
            end = lines.index(fence[1], at + 1)
            found.append(
                Block(page, at + 1, fence[2], "\n".join(lines[at + 1 : end]) + "\n", section)
            )
            at = end
        elif line.startswith("    ") and not lines[at - 1].strip():
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            text = "\n".join(one[4:] for one in lines[at:end]).rstrip("\n") + "\n"
            found.append(Block(page, at + 1, "indented", text, section))
            at = end - 1
        elif line.startswith("#"):
            section = line.lstrip("# ")
        at += 1
    return found
