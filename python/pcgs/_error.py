"""What is raised for input that cannot be used."""

from __future__ import annotations

from typing import Optional


class Error(ValueError):
    """Input that cannot be used. The message is a sentence that says where, what was found, and what
    would be accepted; the attributes say the same as values, None where nothing is known.

    kind : "file", "format", "value", "missing", "unknown", "duplicate", "mismatch" (two things that do
        not belong together), "request" (arguments that contradict each other), "limit" or "call" (in an
        order that makes no sense).
    file, row, line, column : where it is wrong; rows and lines count from 1. What a run was called is
        its file.
    field : the argument that is wrong.
    """

    kind: str
    file: Optional[str]
    row: Optional[int]
    line: Optional[int]
    column: Optional[str]
    field: Optional[str]

    def __init__(
        self,
        sentence: str,
        *,
        kind: str = "value",
        row: Optional[int] = None,
        column: Optional[str] = None,
        field: Optional[str] = None,
    ) -> None:
        super().__init__(sentence)
        self.kind, self.row, self.column, self.field = kind, row, column, field
        self.file = self.line = None  # which the library alone knows


Error.__module__ = "pcgs"
