#!/usr/bin/env python3
"""Plays notebooks from the first cell to the last and writes them with what they showed.

    site/notebooks.py FOLDER NOTEBOOK.ipynb ...

Ends with a sentence if a cell fails, and if a notebook shows no picture.
"""

import pathlib
import sys
from typing import List

import nbclient
import nbformat


def pictures(notebook: nbformat.NotebookNode) -> int:
    outputs = [one for cell in notebook.cells if cell.cell_type == "code" for one in cell.outputs]
    return sum("image/png" in one.get("data", {}) for one in outputs)


def main(folder: str, paths: List[str]) -> None:
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for path in map(pathlib.Path, paths):
        notebook = nbformat.read(path, as_version=4)
        # In its own folder, as somebody who opens it there.
        resources = {"metadata": {"path": str(path.parent)}}
        nbclient.NotebookClient(notebook, timeout=600, resources=resources).execute()
        if not pictures(notebook):
            sys.exit(f"{path} shows no picture")
        nbformat.write(notebook, pathlib.Path(folder) / path.name)
        print(f"{path}: {len(notebook.cells)} cells, {pictures(notebook)} pictures")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
