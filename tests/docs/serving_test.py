"""docs/serving.md: the service answers every curl of the interface, and as it is shown."""

import json
import os
import re
import shlex
import subprocess
import urllib.error
import urllib.request

import pytest

from commands import logical_lines
from cookbook_test import same_line
from blocks import ROOT, blocks

PAGE = ROOT / "docs" / "serving.md"


@pytest.fixture
def service(tmp_path):
    """The address of `pcgs serve` with an empty store."""
    program = os.environ["PCGS_PROGRAM"]
    if subprocess.run([program, "serve", "--help"], capture_output=True).returncode:
        pytest.skip("this build has no service")
    process = subprocess.Popen(
        [program, "serve", "--store", tmp_path / "streams", "--listen", "127.0.0.1:0"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        # The log says where it listens; if it ends before, so does the log.
        events = (json.loads(line) for line in process.stderr)
        port = next(one["port"] for one in events if one["event"] == "listening")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.stderr.close()
        process.wait()


def asked(command, address, events):
    """What a curl of the page is answered: the lines of the body."""
    words, method, body, url = shlex.split(command)[1:], None, None, None
    while words:
        word = words.pop(0)
        if word == "-X":
            method = words.pop(0)
        elif word == "-d":
            body = words.pop(0)
        elif word == "--data-binary":
            assert words.pop(0) == "@events"
            body = events
        else:
            url = word.replace("localhost:8080", address)
    request = urllib.request.Request(url, None if body is None else body.encode(), method=method)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            request, timeout=60
        ) as answer:
            return answer.read().decode().split("\n")
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{command}: {error.code} {error.read().decode()}") from error


def same_answer(shown, said):
    """Three dots stand for a value, or for what is in brackets."""
    parts = [re.escape(part) for part in re.split(r"\.\.\.", shown)]
    return same_line(shown, said) or bool(re.fullmatch(".*".join(parts), said))


def test_the_interface_answers_what_is_shown(service):
    [section] = re.findall(r"^## The interface\n.*?(?=^## )", PAGE.read_text(), re.M | re.S)
    events, compared, curls = "", 0, 0
    for block in blocks(PAGE):
        if block.section != "The interface":
            continue
        said = None
        for line in logical_lines(block.text):
            if line.startswith("curl "):
                said, curls = asked(line, service, events), curls + 1
            elif said is not None and line != "...":
                assert same_answer(line, said[0]), f"{block} shows\n{line}\nand not\n{said[0]}"
                compared += 1
            elif line.startswith('{"stream"'):
                json.loads(line)
                events += line + "\n"
    assert curls == section.count("    curl ") == 4 and compared == 2
