"""A run that writes seven files, where files may not grow beyond a limit, and on a disk that is full.

full_disk.py PROGRAM [--page]"""

import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile

from written_set import WrittenSet


def limited(written, size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return subprocess.run(written.arguments("new"), cwd=written.here, preexec_fn=limit, capture_output=True, check=False)


def refused(written, done, where):
    assert done.returncode == 2, (where, done)
    assert done.stderr.count(b"\n") == 1 and b"cannot be written" in done.stderr, (where, done.stderr)
    assert written.which() == "old", where
    assert not written.others(), (where, written.others())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        written = WrittenSet(options.program, folder, options.page)
        largest = max(len(text) for text in written.raw["new"].values())
        size = 1
        while size < largest:
            written.put("old")
            refused(written, limited(written, size), f"at most {size} bytes")
            size *= 2
        done = limited(written, 2 * largest)
        assert done.returncode == 0 and written.which() == "new", done.stderr
        print(f"files of at most 1 to {size // 2} bytes")
        full = mount_small_disk(pathlib.Path(folder) / "disk", largest)
        if full is None:
            print("no disk can be mounted here")
            return
        try:
            written.here = full / "set"
            shutil.copy(written.folder / "new.csv", full)
            for room in (0, 1, 4, 16):
                written.put("old")
                fill(full, room)
                refused(written, written.run("new"), f"{room} KiB left")
            (full / "filling").unlink()
        finally:
            subprocess.run(["umount", str(full)], check=True)
        print("a full disk")


def mount_small_disk(folder, largest):
    """A file system in memory with room for the set and half another; None where we may not."""
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={3 * largest // 2 + 262144}", "tmpfs", str(folder)],
                             capture_output=True, check=False)
    return folder if mounted.returncode == 0 else None


def fill(disk, room):
    """Leaves this many KiB."""
    filling = disk / "filling"
    filling.unlink(missing_ok=True)
    free = os.statvfs(disk)
    with open(filling, "wb") as file:
        file.write(bytes(max(0, free.f_bavail * free.f_frsize - 1024 * room)))


if __name__ == "__main__":
    main()
