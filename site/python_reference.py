"""Pages from the docstrings of the Python package.

Signatures and types stand in the sources and, for what is compiled, in _pcgs.pyi; both are read and
not imported, so that no page needs scikit-learn or another library to be there. The docstrings of
what is compiled are asked of the module.
"""

import ast
import inspect
import pathlib
import re
from typing import Any, Dict, Iterator, List, Optional, Set, Union

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]
LONG = 88  # characters of a signature in one line


def as_markdown(text: str) -> str:
    """A docstring for a page: examples and what is indented as code, parameters as a list."""
    out: List[str] = []
    lines = inspect.cleandoc(text).split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if at + 1 < len(lines) and line and re.fullmatch(r"-{3,}", lines[at + 1]):
            out += [f"**{line}**", ""]
            at += 2
            while at < len(lines) and lines[at]:
                name, _, said = lines[at].partition(" : ")
                if not lines[at].startswith(" "):
                    said = " ".join(part.strip() for part in (said, *continued(lines, at)))
                    out.append(
                        "- " + (f"`{name}`: {said.strip()}" if said.strip() else f"`{name}`")
                    )
                at += 1
        elif line.startswith((">>> ", "    ")):
            code = []
            while at < len(lines) and (
                lines[at] or (at + 1 < len(lines) and lines[at + 1].startswith("    "))
            ):
                code.append(lines[at])
                at += 1
            language = "pycon" if line.startswith(">>>") else "python"
            out += ["", f"```{language}", *inspect.cleandoc("\n".join(code)).split("\n"), "```"]
        else:
            out.append(line)
            at += 1
    return "\n".join(out).strip() + "\n"


def continued(lines: List[str], at: int) -> Iterator[str]:
    """The indented lines that belong to line `at`."""
    for line in lines[at + 1 :]:
        if not line.startswith(" "):
            return
        yield line


def signature(name: str, function: Function, bound: bool) -> str:
    """As one would write the call, with types; an argument on each line where it is long."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: List[Optional[ast.expr]] = [None] * (len(positional) - len(arguments.defaults))
    defaults += arguments.defaults
    parts = [written(a, d) for a, d in zip(positional, defaults)][1 if bound else 0 :]
    if arguments.vararg:
        parts.append("*" + written(arguments.vararg, None))
    elif arguments.kwonlyargs:
        parts.append("*")
    parts += [written(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    if arguments.kwarg:
        parts.append("**" + written(arguments.kwarg, None))
    returns = (
        f" -> {ast.unparse(function.returns)}"
        if function.returns and function.name != "__init__"
        else ""
    )
    one = f"{name}({', '.join(parts)}){returns}"
    long = f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"
    return (one if len(one) <= LONG else long).replace("SequenceOf[", "Sequence[")


def written(argument: ast.arg, default: Optional[ast.expr]) -> str:
    kind = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    value = (
        ""
        if default is None
        else (f" = {ast.unparse(default)}" if kind else f"={ast.unparse(default)}")
    )
    return argument.arg + kind + value


def decorated(node: Function, name: str) -> bool:
    return any(ast.unparse(one).split(".")[-1] == name for one in node.decorator_list)


def without_signature(doc: str, name: str) -> str:
    """What is compiled begins its docstring with its signature, which the stub has with types."""
    first, _, rest = doc.partition("\n")
    return rest.strip("\n") if first.startswith(f"{name}(") else doc


def described(node: ast.AST, compiled: Any, name: str) -> str:
    doc = ast.get_docstring(node) or ""  # type: ignore[arg-type]
    if not doc and compiled is not None:
        doc = without_signature(inspect.getdoc(compiled) or "", name)
    return as_markdown(doc) if doc else ""


def function_text(node: Function, compiled: Any, owner: str = "", level: str = "##") -> str:
    name = f"{owner}.{node.name}" if owner else node.name
    bound = bool(owner) and not decorated(node, "staticmethod")
    if decorated(node, "property"):
        returns = f": {ast.unparse(node.returns)}" if node.returns else ""
        code = f"{node.name}{returns}"
    else:
        code = signature(node.name, node, bound)
    return f"{level} {name}\n\n```python\n{code}\n```\n\n{described(node, compiled, node.name)}"


def attribute_text(part: ast.AnnAssign, owner: str, compiled: Any) -> str:
    """An attribute of the stub, as `name: Final[int]`."""
    name = ast.unparse(part.target)
    kind = re.sub(r"^Final\[(.*)\]$", r"\1", ast.unparse(part.annotation))
    said = as_markdown(inspect.getdoc(getattr(compiled, name, None)) or "") if compiled else ""
    return f"### {owner}.{name}\n\n```python\n{name}: {kind}\n```\n\n{said}"


def class_text(node: ast.ClassDef, compiled: Any) -> str:
    functions = [
        part for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    out = [f"## {node.name}", ""]
    made = next((part for part in functions if part.name == "__init__"), None)
    documented = (ast.get_docstring(node) or inspect.getdoc(compiled) or "") if made else ""
    if made and documented and not node.name.endswith("Error"):
        out += ["```python", signature(node.name, made, True), "```", ""]
    out.append(described(node, compiled, node.name))
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and not ast.unparse(part.target).startswith("_"):
            out.append(attribute_text(part, node.name, compiled))
    shown = set()
    for part in functions:
        if part.name.startswith("_") or part.name in shown or decorated(part, "setter"):
            continue
        shown.add(part.name)
        text = function_text(part, getattr(compiled, part.name, None), node.name, "###")
        if not text.rstrip().endswith("```") or compiled is not None:
            out.append(text)
    return "\n".join(out)


def public_nodes(path: pathlib.Path) -> Dict[str, ast.AST]:
    """Classes and functions of a module, by name; of several signatures the first."""
    found: Dict[str, ast.AST] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            found.setdefault(node.name, node)
    return found


def text_of(node: ast.AST, compiled: Any) -> str:
    if isinstance(node, ast.ClassDef):
        return class_text(node, compiled)
    return function_text(node, compiled)  # type: ignore[arg-type]


def module_page(title: str, path: pathlib.Path, names: List[str]) -> str:
    """A module with what it defines, and with those names that it takes from the compiled part."""
    from pcgs import _pcgs

    tree = ast.parse(path.read_text(encoding="utf-8"))
    out = [f"# {title}", "", as_markdown(ast.get_docstring(tree) or "")]
    out += [text_of(node, None) for node in public_nodes(path).values()]
    compiled = public_nodes(path.with_name("_pcgs.pyi"))
    out += [text_of(compiled[name], getattr(_pcgs, name)) for name in names]
    return "\n".join(out)


def exported(path: pathlib.Path) -> Set[str]:
    """The names of `__all__`, if there is one."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def package_page(package: pathlib.Path) -> str:
    """What `import pcgs` brings, in the order of the alphabet, from wherever it is defined."""
    import pcgs
    from pcgs import _pcgs

    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    out = ["# pcgs", "", as_markdown(ast.get_docstring(tree) or "")]
    sources = {
        path.stem: public_nodes(path)
        for path in [package / "_pcgs.pyi", *sorted(package.glob("*.py"))]
    }
    for name in sorted(pcgs.__all__, key=str.lower):
        places = [stem for stem, nodes in sources.items() if name in nodes]
        if places:
            compiled = getattr(_pcgs, name, None) if places[0] == "_pcgs" else None
            out.append(text_of(sources[places[0]][name], compiled))
    return "\n".join(out)


def pages(package: pathlib.Path) -> Iterator["tuple[str, str]"]:
    """Name and content of each page: the package, and each module that users import by its name."""
    import pcgs

    yield "pcgs", package_page(package)
    for path in sorted(package.glob("*.py")):
        defined = set(public_nodes(path))
        elsewhere = sorted(exported(path) - defined)
        if not path.stem.startswith("_") and not defined | set(elsewhere) <= set(pcgs.__all__):
            yield path.stem, module_page(f"pcgs.{path.stem}", path, elsewhere)
