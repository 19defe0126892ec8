"""Runs pcgs as tests of hostile input need it: with little memory and time, and everything it says kept."""

import os
import resource
import subprocess

MEMORY = 4 << 30
SECONDS = 20


class Wrong(Exception):
    """What the program must never do."""


class Program:
    def __init__(self):
        self.path = os.environ.get("PCGS_PROGRAM", "build/release/pcgs")
        self.path = os.path.abspath(self.path)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # which the program inherits
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def __call__(self, *arguments, folder):
        """True if the program is content, False if it refuses in one line; anything else is Wrong."""
        try:
            done = subprocess.run([self.path, *map(str, arguments)], cwd=folder, capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Wrong(f"takes longer than {SECONDS} s") from None
        self.output = done.stdout
        self.complaint = done.stderr.decode("utf-8", "replace")
        if done.returncode not in (0, 2):
            raise Wrong(f"exits with {done.returncode}: {self.complaint[-500:]}")
        if done.returncode == 2 and (self.complaint.count("\n") != 1 or not self.complaint.endswith("\n")):
            raise Wrong(f"complains in other than one line: {self.complaint[:500]!r}")
        return done.returncode == 0
