#!/usr/bin/env python3
"""Puts tables of `pcgs suite --study all --out DIR` and of real.py into a Markdown page.

usage: results.py DIR PAGE

A table stands between <!-- table NAME --> and <!-- end -->. Where NAME.csv is in DIR it is written
anew; all others stay.
"""
import csv
import os
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
    written = []

    def filled(place):
        path = f"{folder}/{place[2]}.csv"
        if not os.path.exists(path):
            return place[0]
        written.append(path)
        return f"{place[1]}{table(path)}\n{place[3]}"

    text = re.sub(r"(<!-- table (\S+) -->\n).*?(<!-- end -->)", filled, text, flags=re.S)
    if not written:
        sys.exit(f"{folder} has no table that {page} has a place for")
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)


main()
