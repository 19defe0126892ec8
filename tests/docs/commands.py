"""What a command line of the documentation names must be there: program, subcommand, options,
targets, files.

Nothing is run here but `pcgs ... --help` and `make -n`.
"""

import functools
import json
import os
import re
import shlex
import subprocess
from typing import List

from blocks import ROOT

# Programs of a system. What they are given is not looked at.
OF_A_SYSTEM = {
    "apt", "cat", "cd", "cp", "curl", "cut", "docker", "echo", "export", "grep", "gunzip", "gzip", "head",
    "install", "journalctl", "nginx", "openssl", "pip", "R", "sed", "sort", "systemctl", "tail",
    "tar", "umask",
}  # fmt: skip
# What may stand where a command begins.
GRAMMAR = {"for", "do", "done", "if", "then", "fi", "while", "in", "{", "}", "!"}
CRONTAB = re.compile(r"^(?:[\d*/,-]+ +){5}")
OURS = {"pcgs", "pcgs-train"}


class Wrong(AssertionError):
    """The sentence says what is not there."""


def logical_lines(text: str) -> List[str]:
    """Lines as a shell reads them: continued ones in one, without comments and prompts."""
    joined = re.sub(r"\\\n\s*", "", text)
    lines = [CRONTAB.sub("", re.sub(r"^\$ ", "", line)) for line in joined.split("\n")]
    without = [re.sub(r"(^|\s)#.*$", "", line).rstrip() for line in lines]
    return [line for line in without if line.strip()]


def simple_commands(line: str) -> List[List[str]]:
    """The commands of a line: what stands between pipes, semicolons, brackets and their like."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";|&()<>")
    lexer.whitespace_split = True
    commands: List[List[str]] = [[]]
    redirected = False
    for token in lexer:
        if set(token) <= set(";|&()"):
            commands.append([])
        elif set(token) <= set("<>&"):
            redirected = True
        elif redirected:
            redirected = False
        elif not commands[-1] and (token in GRAMMAR or re.fullmatch(r"\w+=.*", token)):
            continue
        else:
            commands[-1].append(token)
    return [command for command in commands if command]


def is_command(line: str) -> bool:
    """Whether the line begins as a command of ours or of a system does."""
    try:
        commands = simple_commands(line)
    except ValueError:  # an open quote
        return False
    word = commands[0][0].split("/")[-1] if commands else ""
    return word in OURS | OF_A_SYSTEM | {"make", "cmake", "ctest", "python3"} or word.endswith(
        "_test"
    )


@functools.lru_cache(maxsize=None)
def help_of(subcommand: str) -> str:
    command = [os.environ["PCGS_PROGRAM"], *subcommand.split(), "--help"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@functools.lru_cache(maxsize=None)
def options_of_the_trainer() -> str:
    """pcgs-train needs libtorch and is seldom built: its sources name its options."""
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "train").rglob("*.cc"))


def check_options(words: List[str], known: str, program: str) -> None:
    for word in words:
        option = word.split("=")[0]
        if re.fullmatch(r"--[a-z][a-z0-9-]*", option) and not re.search(
            rf"{option}(?![\w-])", known
        ):
            raise Wrong(f"{program} has no {option}")


def check_make(words: List[str]) -> None:
    done = subprocess.run(
        ["make", "-n", *(word for word in words if word != "-n")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Wrong(f"make {' '.join(words)}: {done.stderr.strip()}")


def check_preset(command: List[str]) -> None:
    presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
    names = {one["name"] for one in presets["configurePresets"]}
    for option, name in zip(command, command[1:]):
        if option == "--preset" and name not in names:
            raise Wrong(f"there is no preset {name}")


def check_test(command: List[str]) -> None:
    program = command[0].split("/")[-1]
    if not list((ROOT / "tests").rglob(f"{program}.cc")) and f"({program}" not in (
        ROOT / "tests" / "CMakeLists.txt"
    ).read_text(encoding="utf-8"):
        raise Wrong(f"there is no test {program}")
    for word in command[1:]:
        suite = re.fullmatch(r"--gtest_filter=(\w+)\..*", word)
        if suite and not any(
            f"TEST({suite[1]}," in path.read_text(encoding="utf-8")
            for path in (ROOT / "tests").rglob("*.cc")
        ):
            raise Wrong(f"there is no suite {suite[1]}")


def check(command: List[str]) -> None:
    """Raises Wrong for what is not there."""
    program, words = command[0], command[1:]
    if program.startswith("build/release/"):
        program = program[len("build/release/") :]
    if program == "pcgs" and words and not words[0].startswith("-"):
        if not re.search(rf"^ +{words[0]}\b", help_of("").replace("\t", " "), re.M):
            raise Wrong(f"pcgs has no {words[0]}")
        check_options(words[1:], help_of(words[0]), f"pcgs {words[0]}")
    elif program == "pcgs":
        check_options(words, help_of(""), "pcgs")
    elif program == "pcgs-train":
        check_options(words, options_of_the_trainer(), "pcgs-train")
    elif program == "make":
        check_make(words)
    elif program in ("cmake", "ctest"):
        check_preset(command)
    elif program.endswith("_test"):
        check_test(command)
    elif program == "python3":
        script = ROOT / words[0]
        if not script.exists():
            raise Wrong(f"there is no {words[0]}")
        check_options(words[1:], script.read_text(encoding="utf-8"), words[0])
    elif program not in OF_A_SYSTEM:
        raise Wrong(f"{program} is no command that tests/docs/commands.py knows")
