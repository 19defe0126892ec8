"""The version is that of CMakeLists.txt, wherever it is written."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"^project\(pcgs VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


def test_the_r_package_has_it():
    # R installs from this folder too, and reads nothing else.
    assert f"\nVersion: {VERSION}\n" in (ROOT / "r" / "DESCRIPTION").read_text()


def test_commands_of_the_documentation_name_files_of_it():
    for page in ("docs/install.md", "docs/r.md"):
        named = re.findall(r"\bpcgs[-_](\d[0-9.]*\d)", (ROOT / page).read_text())
        assert named and set(named) == {VERSION}, page
