"""Lets every operation of a run that writes seven files fail, one after the other.

faults.py PROGRAM LIBRARY calls|memory [--page]

calls: every open, write, fsync, rename, unlink, close and so on fails once; fails for good, as on a full disk; or is
never reached, because the process is killed before it. memory: allocations fail. However it ends, the files are all
old or all new, at the latest when the next command has looked at them, and whoever fails says why in one sentence."""

import argparse
import errno
import os
import tempfile

from written_set import FOLDERS, Mixed, WrittenSet

UNFINISHED = "the next command there tries again"


class Faults:
    def __init__(self, written, library):
        self.written, self.library = written, library
        self.mark = str(written.folder / "mark")

    def run(self, kind, number, how):
        """Exit code, what was said, and whether the fault happened."""
        done = self.written.run("new", LD_PRELOAD=self.library, PCGS_FAULT=f"{kind} {number} {how} {self.mark}")
        happened = os.path.exists(self.mark)
        if happened:
            os.unlink(self.mark)
        return done.returncode, done.stderr.decode(), happened

    def check(self, kind, number, how):
        """Whether there was such an operation."""
        written = self.written
        written.put("old")
        code, said, happened = self.run(kind, number, how)
        where = f"{kind} {number} {how}: exit {code}, {said!r}"
        if how == "kill-before":
            assert code == (137 if happened else 0), where
        else:
            assert code in (0, 2), where
            assert said.count("\n") == (1 if code == 2 else 0) and said[:6] in ("pcgs: ", ""), where
            self.check_failed(code, said, where)
        # Whoever comes next, in whichever of the folders.
        told = written.next_command(FOLDERS[number % len(FOLDERS)])
        try:
            which = written.which()
        except Mixed as mixed:
            raise AssertionError(f"{where}, then {told!r}: {mixed}") from mixed
        assert code != 0 or which == "new", where
        if written.others():
            self.check_in_no_way(where)
        return happened

    def check_in_no_way(self, where):
        """Whatever was left, it goes or does not matter."""
        written = self.written
        for folder in FOLDERS:
            written.next_command(folder)
        assert not [name for name in written.others() if ".partial-" not in name], (where, written.others())
        done = written.run("new")
        assert done.returncode == 0 and written.which() == "new", (where, done.stderr)

    def check_failed(self, code, said, where):
        """The files before anybody else comes."""
        others = self.written.others()
        try:
            which = self.written.which()
        except Mixed:
            assert UNFINISHED in said and any("pcgs-unfinished" in name for name in others), where
            return
        if "unchanged" in said:
            assert which == "old", where
        if code == 0:
            assert which == "new", where


def calls(faults):
    ways = (f"{errno.EIO}", f"{errno.ENOSPC}+", "kill-before")
    for how in ways:
        number = 1
        while faults.check("calls", number, how):
            number += 1
        print(f"{number - 1} operations, {how}", flush=True)
        assert number > 50, "too few operations were seen"


def memory(faults):
    number, tried = 1, 0
    while faults.check("memory", number, f"{errno.ENOMEM}"):
        tried += 1
        number += 1 if number < 300 else 1 + number // 60
    print(f"{tried} of about {number} allocations", flush=True)
    assert tried > 100, "too few allocations were seen"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("kind", choices=("calls", "memory"))
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    # Where syncing costs nothing.
    fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=fast) as folder:
        faults = Faults(WrittenSet(options.program, folder, options.page), os.path.abspath(options.library))
        {"calls": calls, "memory": memory}[options.kind](faults)


if __name__ == "__main__":
    main()
