#!/usr/bin/env python3
"""Puts the tables of `pcgs suite --study all --out DIR` into a Markdown page.

usage: results.py DIR PAGE

A table stands between <!-- table NAME --> and <!-- end -->, where NAME.csv is in DIR.
"""
import csv
import re
import sys


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    numeric = ["---:" if i else "---" for i in range(len(rows[0]))]
    lines = [rows[0], numeric] + rows[1:]
    return "\n".join("| " + " | ".join(c.replace("*", "\\*") for c in row) + " |" for row in lines)


def main():
    folder, page = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    text, count = re.subn(
        r"(<!-- table (\S+) -->\n).*?(<!-- end -->)",
        lambda m: f"{m[1]}{table(f'{folder}/{m[2]}.csv')}\n{m[3]}",
        text,
        flags=re.S,
    )
    if count == 0:
        sys.exit(f"{page} has no place for a table")
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)


main()
