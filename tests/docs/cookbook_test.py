"""Every recipe of docs/cookbook.md runs and prints what is shown there, and so does README.md's.

A recipe is a section. Its blocks of sh and python run in their order, in one shell and in a folder of
their own where examples/ is; a block of text is what the block before it prints. Numbers may differ by
a thousandth, because sums differ in their last digits between registers; timings are not compared; a
line of three dots stands for any lines.
"""

import csv
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COOKBOOK = ROOT / "docs" / "cookbook.md"
SERVICE = ROOT / "examples" / "python" / "service.py"
END = "=== end of block ==="
LIMIT = 300  # seconds that a recipe may take before it is stopped; none takes ten


def blocks(section):
    """Language and content of each fenced block."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", section, re.M | re.S)


def recipes():
    for section in re.split(r"^## ", COOKBOOK.read_text(), flags=re.M)[1:]:
        title = section.splitlines()[0]
        yield pytest.param(section, id=title)


def folder_of_a_reader(path):
    """A folder with examples/ in it, and an environment that finds `pcgs`."""
    program = os.environ["PCGS_PROGRAM"]
    (path / "examples").symlink_to(ROOT / "examples")
    (path / "bin").mkdir()
    (path / "bin" / "pcgs").symlink_to(pathlib.Path(program).resolve())
    return {**os.environ, "PATH": f"{path / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}


def play(section, path):
    """What each block of sh or python printed, and what is shown for it (None: nothing is)."""
    environment = folder_of_a_reader(path)
    script, shown = ["set -euo pipefail"], []
    for language, content in blocks(section):
        if language == "text":
            shown[-1] = content
        elif language in ("sh", "python"):
            if language == "python":
                file = path / f"block{len(shown)}.py"
                file.write_text(content)
                content = f"{shlex.quote(sys.executable)} {shlex.quote(str(file))}\n"
            script += [content, f"echo '{END}'"]
            shown.append(None)
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    printed = done.stdout.split(END + "\n")[:-1]
    assert len(printed) == len(shown)
    return list(zip(printed, shown))


NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TIMING = re.compile(r"\d+(?:\.\d+)? (?:ns|us|ms|s)\b")


def same_line(shown, printed):
    shown, printed = (" ".join(TIMING.sub("TIME", line).split()) for line in (shown, printed))
    if NUMBER.sub("#", shown) != NUMBER.sub("#", printed):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed))
    return all(abs(float(a) - float(b)) <= 1e-3 * max(abs(float(a)), abs(float(b))) for a, b in pairs)


def same_text(shown, printed):
    """Whether the lines are the same, where ... among the shown ones stands for any lines."""
    reached = {0}  # how many printed lines the shown ones so far may have used
    for line in shown:
        if line.strip() == "...":
            reached = set(range(min(reached), len(printed) + 1)) if reached else reached
        else:
            reached = {n + 1 for n in reached if n < len(printed) and same_line(line, printed[n])}
    return len(printed) in reached


def lines(text):
    return text.rstrip("\n").split("\n")


@pytest.mark.parametrize("section", list(recipes()))
def test_recipes_print_what_is_shown(section, tmp_path):
    if "import pandas" in section and not os.environ.get("PCGS_SKIP_NOTHING"):
        pytest.importorskip("pandas")
    for printed, shown in play(section, tmp_path):
        if shown is not None:
            assert same_text(lines(shown), lines(printed)), f"shown:\n{shown}\nprinted:\n{printed}"


def test_the_readme_shows_what_is_printed(tmp_path):
    pattern = r"^    build/release/(pcgs run examples.*\n)\n```text\n(.*?)^```$"
    [(command, shown)] = re.findall(pattern, (ROOT / "README.md").read_text(), re.M | re.S)
    [(printed, shown)] = play(f"```sh\n{command}```\n```text\n{shown}```\n", tmp_path)
    assert same_text(lines(shown), lines(printed)), f"shown:\n{shown}\nprinted:\n{printed}"


def test_the_comparison_finds_what_differs():
    table = ["error 13.56  -2.5 %", "blend   69 us", "end"]
    assert same_text(["error  13.561 -2.5 %", "...", "end"], table)
    assert same_text(["...", "blend 70 us", "end"], table)
    assert not same_text(["error 13.66 -2.5 %", "...", "end"], table)
    assert not same_text(["error 13.56 2.5 %", "...", "end"], table)
    assert not same_text(["error 13.56 -2.5 %", "blend 69 us"], table)
    assert not same_text(["...", "other"], table)


def test_there_are_ten_recipes_and_every_one_shows_something():
    found = [param.values[0] for param in recipes()]
    assert len(found) == 11  # and other files
    for section in found:
        assert {"text", "console"} & {language for language, _ in blocks(section)}
        assert f"(#{section.splitlines()[0].lower().replace(' ', '-')})" in COOKBOOK.read_text()


class Service:
    """The service of the last recipe, in a process of its own."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [sys.executable, SERVICE, "--experts", "naive,ets,weather", "--season", "24,168", "--state", "state"],
            cwd=folder, stdout=subprocess.PIPE, text=True,
        )
        said = self.process.stdout.readline()  # it says so when it listens
        self.address = re.fullmatch(r"listening on (http://127\.0\.0\.1:\d+)\n", said)[1]

    def post(self, path, body):
        """Status and answer; body is text, or what becomes JSON."""
        text = body if isinstance(body, str) else json.dumps(body)
        request = urllib.request.Request(self.address + path, text.encode())
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def hours(count):
    with open(ROOT / "examples" / "load.csv", newline="") as file:
        for _, row in zip(range(count), csv.DictReader(file)):
            names = [name for name in ("naive", "ets", "weather") if row[name]]
            yield {name: float(row[name]) for name in names}, float(row["load"])


def test_the_service_answers_what_is_shown(tmp_path):
    [(_, talk)] = [b for b in blocks(COOKBOOK.read_text()) if b[0] == "console"]
    asked = re.findall(r"^\$ curl -s 127\.0\.0\.1:8080(/\w+) -d '(.*)'\n(.*)\n", talk, re.M)
    assert len(asked) == talk.count("$ ") == 4
    with Service(tmp_path) as service:
        for path, body, shown in asked:
            assert same_line(shown, json.dumps(service.post(path, body)[1]))


def test_a_service_that_is_killed_goes_on_to_the_bit(tmp_path):
    def ask(service, rows, first):
        answers = []
        for number, (forecasts, y) in enumerate(rows, first):
            status, answer = service.post("/forecast", {"forecasts": forecasts})
            assert (status, answer["round"]) == (200, number)
            answers.append(answer)
            assert service.post("/outcome", {"round": number, "y": y}) == (200, {"learned": number})
        return answers

    rows = list(hours(60))
    for folder in ("whole", "killed"):
        (tmp_path / folder).mkdir()
    with Service(tmp_path / "whole") as service:
        whole = ask(service, rows, 1)
    with Service(tmp_path / "killed") as service:
        parts = ask(service, rows[:30], 1)
        parts.append(service.post("/forecast", {"forecasts": rows[30][0]})[1])  # and is killed before y comes
    with Service(tmp_path / "killed") as service:
        assert service.post("/outcome", {"round": 31, "y": rows[30][1]}) == (200, {"learned": 31})
        parts += ask(service, rows[31:], 32)
    assert parts == whole
    assert (tmp_path / "killed" / "state").read_bytes() == (tmp_path / "whole" / "state").read_bytes()


def test_the_service_answers_nonsense_with_a_sentence_and_goes_on(tmp_path):
    with Service(tmp_path) as service:
        for path, body, sentence in [
            ("/forecast", {"forecasts": {"gbm": 1}}, "there is no expert gbm; there are naive, ets, weather"),
            ("/forecast", {"forecast": {}}, "'forecasts' is missing"),
            ("/forecast", "{", "Expecting property name"),
            ("/forecast", [1], "list indices must be"),
            ("/outcome", {"round": 7, "y": 1}, "round 7 is not open"),
            ("/weights", {}, "post JSON to /forecast or /outcome"),
        ]:
            status, answer = service.post(path, body)
            assert status == 400 and answer["error"].startswith(sentence), answer
        assert service.post("/forecast", {"forecasts": {"ets": 2.5}})[1]["forecast"] == 2.5
