"""Pages from the public headers: what stands in their comments is the text, declarations are the
code.

A header of include/pcgs begins with what it promises, and what follows in `namespace pcgs` are
declarations with a comment before each. What is private is left out.
"""

import pathlib
import re
from typing import Iterator, List, NamedTuple


class Declaration(NamedTuple):
    name: str
    kind: str  # class, struct, function, ...
    comment: List[str]
    code: List[str]


def as_markdown(comment: List[str]) -> str:
    """The text of a comment. What is indented in it is code, or a formula, and becomes a block."""
    out: List[str] = []
    code: List[str] = []
    for line in [*comment, ""]:
        if line.startswith("    ") or (code and not line):
            code.append(line[4:])
            continue
        if code:
            while not code[-1]:
                code.pop()
            language = "cpp" if any(line.rstrip().endswith((";", "{")) for line in code) else "text"
            out += [f"```{language}", *code, "```", ""]
            code = []
        # No word of a comment is markup, but names and formulas hold signs that are.
        out.append(re.sub(r"(?<!`)([<*_])(?!`)", r"\\\1", line))
    return "\n".join(out).strip() + "\n"


def uncommented(lines: List[str]) -> List[str]:
    return [re.sub(r"^\s*// ?", "", line) for line in lines]


def depth_after(depth: int, line: str) -> int:
    code = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)'", "", line.split("//")[0])
    return depth + sum(code.count(c) for c in "{(") - sum(code.count(c) for c in "})")


def named(code: List[str]) -> "tuple[str, str]":
    """Kind and name of a declaration."""
    text = " ".join(line.split("//")[0].strip() for line in code)
    text = re.sub(r"^template <[^>]*> ", "", text)
    found = re.match(r"(class|struct|enum class|enum|union|using) (?:\[\[\w+\]\] )?(\w+)", text)
    if found:
        return found[1], found[2]
    found = re.search(r"(operator\W+|[\w~]+)\(", text)
    if found:
        return "function", found[1]
    found = re.search(r"(\w+)(?:\[\])?(?: =|;|\{)", text)
    return "constant", found[1] if found else text


def public_part(code: List[str]) -> List[str]:
    """Without what is private, in a class and in those inside it, up to its end."""
    out: List[str] = []
    hidden = None  # the indentation of the class whose private part this is
    for line in code:
        access = re.match(r"^( *) (public|private|protected):", line)
        if access and (hidden is None or len(access[1]) <= len(hidden)):
            hidden = access[1] if access[2] == "private" else None
        if hidden is not None and line.startswith(f"{hidden}}}"):
            hidden = None
            while not out[-1].strip():
                out.pop()
        if hidden is None:
            out.append(line)
    return out


def declarations(body: List[str]) -> Iterator[Declaration]:
    comment: List[str] = []
    code: List[str] = []
    depth = 0
    for line in body:
        if not code and not line.strip():
            comment = []  # a comment that stands alone belongs to nothing
        elif not code and line.startswith("//"):
            comment.append(line)
        else:
            code.append(line)
            depth = depth_after(depth, line)
            if depth == 0 and re.search(r"[;}]\s*(//.*)?$", line):
                kind, name = named(code)
                if code != [line] or not re.match(r"(class|struct) \w+;", line):  # more than a name
                    yield Declaration(name, kind, uncommented(comment), public_part(code))
                comment, code = [], []
    if code:
        raise ValueError(f"a declaration does not end: {code[0]}")


def page(path: pathlib.Path) -> str:
    lines = path.read_text(encoding="utf-8").split("\n")
    top = next((n for n, line in enumerate(lines) if not line.startswith("//")), 0)
    begin = (
        next(n for n, line in enumerate(lines) if line.startswith("namespace pcgs"))
        if any(line.startswith("namespace pcgs") for line in lines)
        else len(lines)
    )
    end = max(
        (n for n, line in enumerate(lines) if line.startswith("}  // namespace pcgs")),
        default=begin,
    )
    out = [
        f"# {path.name}",
        "",
        f"```cpp\n#include <pcgs/{path.name}>\n```",
        "",
        as_markdown(uncommented(lines[:top])),
    ]
    for one in declarations(lines[begin + 1 : end]):
        out += [
            f"## {one.name}",
            "",
            as_markdown(one.comment) if one.comment else "",
            "```cpp",
            *one.code,
            "```",
            "",
        ]
    return "\n".join(out)


def pages(include: pathlib.Path) -> Iterator["tuple[str, str]"]:
    """Name and content of the page of each header, and of index, which says what each is about."""
    headers = [path for path in sorted(include.glob("*.h")) if path.stem != "pcgs"]
    about = []
    for path in headers:
        first = re.split(r"(?<=\.) ", " ".join(opening(path)).strip())[0].rstrip(":.")
        about.append(f"| [{path.name}]({path.stem}.md) | {first} |")
    everything = as_markdown(uncommented(opening(include / "pcgs.h", raw=True)))
    yield "index", "\n".join(
        [
            "# C++",
            "",
            "```cpp",
            "#include <pcgs/pcgs.h>",
            "```",
            "",
            everything,
            "",
            "| header | what is in it |",
            "|---|---|",
            *about,
            "",
        ]
    )
    for path in headers:
        yield path.stem, page(path)


def opening(path: pathlib.Path, raw: bool = False) -> List[str]:
    """The first paragraph of the comment that a header begins with; raw: all of it, as it stands."""
    out: List[str] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if not line.startswith("//") or (not raw and line == "//"):
            break
        out.append(line if raw else line[3:])
    return out
