"""The examples of a page in docs/, blocks of Python with the block of text that each prints, and those of
docstrings."""

import contextlib
import doctest
import io
import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def blocks(page):
    """Line, code and what is said to be printed (None: nothing is said) of each block of Python."""
    text = page.read_text()
    for found in re.finditer(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", text, re.M | re.S):
        yield text.count("\n", 0, found.start()) + 1, found[1], found[2]


def printed_as_written(printed, said):
    """Three dots stand for anything."""
    return doctest.OutputChecker().check_output(printed, said, doctest.ELLIPSIS)


def run_page(page):
    """Runs the blocks of a page one after the other, each knowing the names of those before."""
    names, ran = {}, 0
    for line, code, printed in blocks(page):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile("\n" * line + code, str(page), "exec"), names)
        if printed is not None:
            assert printed_as_written(printed, said.getvalue()), said.getvalue()
        ran += 1
    return ran


def run_example(where, text):
    test = doctest.DocTestParser().get_doctest(text, {}, where, None, 0)
    runner = doctest.DocTestRunner(verbose=False)
    said = []
    runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
