"""A page from a notebook that was played: text, code, and what the code showed."""

import base64
import json
import pathlib
import re
from typing import Any, Dict, List, Tuple

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def shown(output: Dict[str, Any], name: str, folder: pathlib.Path) -> List[str]:
    """What an output looks like on the page; a picture becomes a file of that name."""
    if output["output_type"] == "error":
        raise ValueError(f"{name}: {output['ename']}: {output['evalue']}")
    if output["output_type"] == "stream":
        return ["```text", ANSI.sub("", "".join(output["text"])).rstrip("\n"), "```"]
    data = output["data"]
    if "image/png" in data:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.png").write_bytes(base64.b64decode("".join(data["image/png"])))
        return [f"![What the code above draws]({name}.png)"]
    if "text/html" in data:
        # One block of HTML: an empty line would end it.
        html = re.sub(r"\n\s*\n", "\n", "".join(data["text/html"]))
        return [f'<div class="output">\n{html}\n</div>']
    return ["```text", "".join(data["text/plain"]).rstrip("\n"), "```"]


def page(path: pathlib.Path, folder: pathlib.Path) -> Tuple[str, str]:
    """Title and content; pictures go into the folder."""
    out: List[str] = []
    pictures = 0
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            out += [source, ""]
            continue
        out += ["```python", source, "```", ""]
        for output in cell["outputs"]:
            pictures += "image/png" in output.get("data", {})
            out += [*shown(output, f"{path.stem}-{pictures}", folder), ""]
    if not pictures:
        raise ValueError(f"{path.name} shows no picture")
    title = next(line for line in out if line.startswith("# "))[2:].split("\n")[0]
    return title, "\n".join(out)
