"""Every block of code in README.md and docs is run, compiled, or read by what it is written for.

One of the rules below covers a block, or the test of its page fails and names the line:

- cookbook.md and the first example of README.md are played by cookbook_test.py, python.md by
  python/tests/test_documentation.py.
- Python of a page runs in order, in one namespace, in a folder with examples/ and the files that
  the documentation names (sample_files.py). Where a library is not installed, the rest is skipped.
- C++ is compiled. R is run where its package is installed and else parsed; so it is from a block on that
  reads a file of PCGS_DATA, opera's series, where that is not there. r/run_page.R runs it in make r-test.
- Command lines run if they are ours, end by themselves and take seconds (RUN); of the others every
  program, option, target and file must be there (commands.py). Text below commands that ran is what
  they print.
- JSON and tables of numbers are read. Formulas and drawings are known by their signs.
"""

import contextlib
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import commands
import sample_files
from cookbook_test import folder_of_a_reader, lines, same_text
from blocks import PAGES, ROOT, Block, blocks

# Shown and not run, by page and first line: what it is.
SHOWN = {
    ("CONTRIBUTING.md", "data  core  network"): "the rooms in their order",
    ("docs/internals/design.md", "file, frame, stream"): "how data flows",
    ("docs/serving.md", '"errors":{"measure"'): "a part of an answer",
    ("docs/serving.md", "200000 events of 2000 streams"): "what make kafka-test prints",
    ("docs/training.md", "method" + " " * 35 + "mean loss"): "what compare_shifts.py prints",
    ("docs/training.md", "as given     held out"): "what pcgs-train prints",
}  # fmt: skip

# What ends by itself, in seconds, and needs no more than the files of sample_files.py.
RUN = re.compile(
    r"(build/release/)?pcgs (run|oracle|certify|forecast|report|--help|--version)\b"
    r"|python3 examples/make_\w+\.py|(head|tail|cat|cut|grep|sed|sort|gzip|gunzip|echo)\b"
)
FORMULA = re.compile(r" (=|<=|<-|<|-->) |exp\(|-ln |sum_|^\w+\[")

PRELUDE = """
#include <pcgs/pcgs.h>

#include <array>
#include <optional>
#include <span>
#include <vector>

std::optional<std::array<double, 3>> next_forecasts();
double observe();
void publish(double combined);
void publish(std::span<const double> combined);
extern const std::vector<double> quantiles;
extern const double outcome;
extern const std::size_t experts;
"""


def played_elsewhere(block: Block) -> bool:
    if block.page == "docs/cookbook.md":
        return block.language != "indented" and block.section != "Cookbook"
    if block.page == "docs/python.md":
        return block.language in ("python", "text")
    return block.page == "README.md" and block.language == "text"


def is_table(text: str) -> bool:
    rows = list(csv.reader(text.strip().split("\n")))
    return len(rows) > 1 and len(rows[0]) > 2 and len({len(row) for row in rows}) == 1


def is_json_lines(text: str) -> bool:
    try:
        return all(isinstance(json.loads(line), dict) for line in text.strip().split("\n"))
    except ValueError:
        return False


def rule_of(block: Block) -> str:
    first = block.text.split("\n")[0]
    if played_elsewhere(block):
        return "elsewhere"
    if any(page == block.page and first.startswith(begin) for page, begin in SHOWN):
        return "shown"
    if block.language in ("python", "cpp", "json", "text"):
        return block.language
    if block.language in ("r", "R"):
        return "R"
    if block.language in ("sh", "console", "indented") and any(
        map(commands.is_command, commands.logical_lines(block.text))
    ):
        return "commands"
    if block.language == "indented":
        for rule, found in (
            ("json lines", is_json_lines(block.text)),
            ("table", is_table(block.text)),
        ):
            if found:
                return rule
        if FORMULA.search(block.text):
            return "formula"
    return "none"


def missing_library(refused: ImportError) -> str:
    """Which one is not installed; empty: all are, and one lacks what a page imports."""
    # An adapter says itself what it needs.
    cause = refused.__cause__ if isinstance(refused.__cause__, ImportError) else refused
    name = (isinstance(cause, ModuleNotFoundError) and cause.name) or ""
    return "" if "." in name or name == "pcgs" else name


class Reader:
    """Somebody who does what a page says, from its beginning to its end."""

    def __init__(self, folder: pathlib.Path, page: pathlib.Path) -> None:
        self.folder = folder
        self.program = os.path.abspath(os.environ["PCGS_PROGRAM"])
        self.environment = folder_of_a_reader(folder)
        (folder / "build").mkdir()
        (folder / "build" / "release").symlink_to(folder / "bin")
        (folder / "models").symlink_to(ROOT / "models")
        sample_files.write_all(folder, self.program)
        stream = [(row, row.mean()) for row in np.random.default_rng(1).random((60, 3))]
        self.names = {"np": np, "stream": stream}
        self.page = page
        self.has_no_page = os.environ.get("PCGS_REPORT_PAGE") in ("0", "OFF", "")
        self.printed = None  # by the block before; None: it did not run, or not all of it
        self.missing = ""  # the library without which nothing more of the page's Python runs

    def do(self, block: Block) -> None:
        rule = rule_of(block)
        if rule in ("python", "commands", "text", "cpp"):
            getattr(self, f"do_{rule}")(block)

    def do_python(self, block: Block) -> None:
        if self.missing:
            self.printed = None
            return
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said):
                exec(compile("\n" * block.line + block.text, block.page, "exec"), self.names)
        except ImportError as refused:
            if not missing_library(refused):
                raise
            self.missing = f"{block}: {refused}"
        self.printed = None if self.missing else said.getvalue()

    def do_commands(self, block: Block) -> None:
        self.printed = ""
        for line in commands.logical_lines(block.text):
            if not commands.is_command(line):  # an answer, below what was asked
                continue
            for command in commands.simple_commands(line):
                commands.check(command)
            without_page = self.has_no_page and re.search(r"--report|pcgs report", line)
            inside = (" ".join(command) for command in commands.simple_commands(line))
            if without_page or not all(map(RUN.match, inside)):
                self.stand_in(line)
                self.printed = None
                continue
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", line],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, f"{block}: {line}\n{done.stderr}"
            if self.printed is not None:
                self.printed += done.stdout

    def stand_in(self, line: str) -> None:
        """In the place of what training would leave: the model that it begins from."""
        found = re.search(r"pcgs-train .*--init (\S+).*--out (\S+)", line)
        if found:
            shutil.copyfile(ROOT / found[1], self.folder / found[2])

    def do_text(self, block: Block) -> None:
        if self.printed is not None:
            same = same_text(lines(block.text), lines(self.printed))
            assert same, f"{block} shows what is not printed:\n{self.printed}"

    def do_cpp(self, block: Block) -> None:
        compiler = shutil.which(os.environ.get("CXX", "c++"))
        if not compiler:
            pytest.skip("there is no C++ compiler")
        includes = "".join(
            line + "\n" for line in block.text.split("\n") if line.startswith("#include")
        )
        body = "".join(
            line + "\n" for line in block.text.split("\n") if not line.startswith("#include")
        )
        source = self.folder / "snippet.cc"
        source.write_text(
            f"{includes}{PRELUDE}\nvoid snippet() {{\nusing namespace pcgs;\n{body}}}\n",
            encoding="utf-8",
        )
        command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT / 'include'}", str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"{block}\n{done.stderr}"


def named(path: pathlib.Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_rule_covers_every_block(page):
    for block in blocks(page):
        rule = rule_of(block)
        assert rule != "none", f"no rule covers {block}: {block.text.splitlines()[0]}"
        if rule == "json":
            json.loads(block.text)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_what_a_page_says_can_be_done(page, tmp_path, monkeypatch):
    todo = [
        block for block in blocks(page) if rule_of(block) in ("python", "commands", "text", "cpp")
    ]
    if not todo:
        return
    reader = Reader(tmp_path, page)
    monkeypatch.chdir(tmp_path)
    for block in todo:
        reader.do(block)
    if reader.missing:
        pytest.skip(reader.missing)


def with_its_files(code: str, folder: pathlib.Path) -> str:
    """The code up to the first line that reads what is not in the repository and not in PCGS_DATA."""
    for read in re.finditer(r'^.*read\.csv\("([^"/]+)".*$', code, re.M):
        file = pathlib.Path(os.environ.get("PCGS_DATA", "")).resolve() / read[1]
        if not file.is_file():
            return code[: read.start()]
        (folder / read[1]).symlink_to(file)
    return code


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_r_of_a_page_is_r(page, tmp_path):
    code = "\n".join(block.text for block in blocks(page) if rule_of(block) == "R")
    if not code:
        return
    if not shutil.which("Rscript"):
        pytest.skip("R is not installed")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "page.R").write_text(code, encoding="utf-8")
    (tmp_path / "run.R").write_text(with_its_files(code, tmp_path), encoding="utf-8")
    run = 'invisible(parse("page.R"))'
    if "library(pcgs)" in code:
        run += '; if (requireNamespace("pcgs", quietly = TRUE)) source("run.R")'
    done = subprocess.run(["Rscript", "-e", run], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_is_only_shown_is_there():
    there = [(block.page, block.text) for page in PAGES for block in blocks(page)]
    for name, begin in SHOWN:
        assert any(page == name and text.startswith(begin) for page, text in there), (name, begin)


@pytest.mark.parametrize(
    "line, sentence",
    [
        ("pcgs run losses.csv --metod all", "pcgs run has no --metod"),
        ("pcgs rum losses.csv", "pcgs has no rum"),
        ("head -n 3 x | pcgs run - --y load --tome ds", "pcgs run has no --tome"),
        ("make kafka-tests", "No rule to make target"),
        ("cmake --preset devel", "there is no preset devel"),
        ("python3 examples/none.py", "there is no examples/none.py"),
        ("frobnicate now", "frobnicate is no command"),
        ("certify_test --gtest_filter='NoSuchTable.*'", "there is no suite NoSuchTable"),
        ("pcgs-train --loses past.csv", "pcgs-train has no --loses"),
    ],
)
def test_a_command_that_names_what_is_not_there_is_found(line, sentence):
    with pytest.raises(commands.Wrong, match=re.escape(sentence)):
        for command in commands.simple_commands(line):
            commands.check(command)


@pytest.mark.parametrize(
    "line, library",
    [
        ("import nobody_wrote_this", "nobody_wrote_this"),
        ("from nobody_wrote_this.part import name", "nobody_wrote_this"),
        ("from json import removed_name", ""),
        ("from json.removed_part import name", ""),
        ("from pcgs.removed_part import name", ""),
    ],
)
def test_a_name_that_a_library_lacks_is_no_library_that_is_missing(line, library):
    with pytest.raises(ImportError) as refused:
        exec(line, {})
    assert missing_library(refused.value) == library


def test_a_library_that_an_adapter_lacks_is_missing():
    with pytest.raises(ImportError) as refused:
        try:
            import nobody_wrote_this  # noqa: F401
        except ImportError as missing:
            raise ImportError("pcgs.adapter needs nobody_wrote_this") from missing
    assert missing_library(refused.value) == "nobody_wrote_this"


def test_a_block_that_is_nothing_is_found():
    stray = Block("docs/x.md", 1, "indented", "whatever this is\n", "")
    assert rule_of(stray) == "none"
    assert rule_of(stray._replace(language="haskell")) == "none"


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
