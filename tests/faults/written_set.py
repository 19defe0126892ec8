"""A run of pcgs that writes seven files into three folders, and whether they are of one run."""

import os
import pathlib
import random
import re
import shutil
import subprocess

FILES = ("trace.csv", "certificate.json", "out/results.json", "out/forecasts.csv", "out/intervals.csv",
         "states/state", "states/page.html")
FOLDERS = ("", "out", "states")  # of the files
TIMES = (re.compile(rb'"ns_per_round":[-+.e0-9]+'), re.compile(rb'data-value="[.0-9]+">[.0-9]+ (ns|us|ms|s)</td></tr>'))


class Mixed(AssertionError):
    pass


class WrittenSet:
    """Two inputs, old and new, and the files that a run on either of them makes."""

    def __init__(self, program, folder, with_page):
        self.program, self.folder = os.path.abspath(program), pathlib.Path(folder)
        self.files = [name for name in FILES if with_page or not name.endswith(".html")]
        self.here = self.folder / "set"
        for seed, which in enumerate(("old", "new")):
            draw = random.Random(seed)
            rows = [[10 + draw.random()] for _ in range(30 + seed)]
            for row in rows:
                row += [row[0] + draw.gauss(0, 0.5) for _ in range(3)]
            text = "".join(",".join(f"{value:.4f}" for value in row) + "\n" for row in rows)
            (self.folder / f"{which}.csv").write_text("y,a,b,c\n" + text)
        self.reference, self.raw = {}, {}
        for which in ("old", "new"):
            self.empty()
            done = self.run(which)
            assert done.returncode == 0, done.stderr
            self.raw[which] = {name: (self.here / name).read_bytes() for name in self.files}
            self.reference[which] = {name: timeless(text) for name, text in self.raw[which].items()}
        for name in self.files:
            assert self.reference["old"][name] != self.reference["new"][name], name

    def arguments(self, which):
        page = ["--report", "states/page.html"] if "states/page.html" in self.files else []
        return [self.program, "run", f"../{which}.csv", "--y", "y", "--method", "fixed-share", "--trace", "trace.csv",
                "--certificate", "certificate.json", "--save", "states/state", "--out", "out", "--quiet"] + page

    def run(self, which, **environment):
        return self.command(self.arguments(which), **environment)

    def command(self, arguments, **environment):
        return subprocess.run(arguments, cwd=self.here, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, check=False)

    def next_command(self, folder):
        """Any command that has to do with one of the folders."""
        (self.here / folder / "losses.csv").write_text("a,b\n0.1,0.2\n0.3,0.1\n")
        done = self.command([self.program, "oracle", os.path.join(folder, "losses.csv"), "--switches", "1", "--losses"])
        (self.here / folder / "losses.csv").unlink()
        assert done.returncode == 0, done.stderr
        return done.stderr.decode()

    def empty(self):
        shutil.rmtree(self.here, ignore_errors=True)
        for folder in FOLDERS:
            (self.here / folder).mkdir(exist_ok=True)

    def put(self, which):
        self.empty()
        for name, text in self.raw[which].items():
            (self.here / name).write_bytes(text)

    def which(self):
        """old or new; raises Mixed if the files are not all of one run."""
        found = {}
        for name in self.files:
            path = self.here / name
            text = timeless(path.read_bytes()) if path.exists() else None
            found[name] = next((which for which in ("old", "new") if self.reference[which][name] == text), "neither")
        if len(set(found.values())) != 1 or "neither" in found.values():
            raise Mixed(f"{found}")
        return found[self.files[0]]

    def others(self):
        """What else lies in the folders."""
        return sorted(str(path.relative_to(self.here)) for path in self.here.rglob("*")
                      if path.is_file() and str(path.relative_to(self.here)) not in self.files)


def timeless(text):
    for pattern in TIMES:
        text = pattern.sub(b"", text)
    return text
