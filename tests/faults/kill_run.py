"""Kills a run that writes seven files at random moments: never a mixed set, never a leftover that blocks.

kill_run.py PROGRAM [--kills N] [--seed N] [--page]

Counted are those that the signal ended; some runs are faster."""

import argparse
import random
import signal
import subprocess
import tempfile
import time

from written_set import FOLDERS, WrittenSet


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    for name, usual in (("--kills", 500), ("--seed", 7)):
        parser.add_argument(name, type=int, default=usual)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        written = WrittenSet(options.program, folder, options.page)
        written.put("old")
        counts = dict.fromkeys(("died", "journals", "old", "new"), 0)
        left = set()
        number = 0
        usual = 1.0
        while counts["died"] < options.kills:
            number += 1
            before = written.which()
            after = "new" if before == "old" else "old"
            process = subprocess.Popen(written.arguments(after), cwd=written.here, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            # How long a run takes depends on what else the machine does, from one run to the next: one that
            # finishes says so, and while none does, the signal comes later and later.
            start = time.perf_counter()
            try:
                process.wait(draw.uniform(0, 1.2 * usual))
                usual = time.perf_counter() - start
            except subprocess.TimeoutExpired:
                usual *= 1.05
            # Other signals than SIGKILL clean up.
            how = draw.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
            process.send_signal(how)
            code = process.wait()
            assert code in (0, -how), f"kill {number}: exit {code} after {how!r}"
            others = set(written.others()) - left
            journals = [name for name in others if "pcgs-unfinished" in name]
            if code != -signal.SIGKILL:
                assert not others, f"kill {number}, {how!r}: left {others}"
            said = written.next_command(draw.choice(FOLDERS))
            now = written.which()
            left = set(written.others())
            copies = [name for name in left if ".partial-" not in name]
            # Nothing changed: a copy of a journal waits for a command that has to do with its folder.
            assert now == before or not copies, f"kill {number}: left {copies}"
            counts["died"] += code != 0
            counts["journals"] += bool(journals)
            counts["old" if now == before else "new"] += 1
            if code == 0:
                assert now == after, f"kill {number}: finished, but the files are the old ones; {said}"
        # However much was left, nothing stands in the way.
        for which in ("new", "old"):
            done = written.run(which)
            assert done.returncode == 0 and written.which() == which, done.stderr
        for folder in FOLDERS:
            written.next_command(folder)
        assert not [name for name in written.others() if ".partial-" not in name], written.others()
    print(f"{number} runs, {counts['died']} killed, {counts['journals']} of them while files got "
          f"their names; afterwards {counts['old']} old sets, {counts['new']} new ones, none mixed; "
          f"{len(left)} temporaries left")


if __name__ == "__main__":
    main()
