"""Tracebacks as text, made without parsing source code.

Python's own formatting parses each line to underline a part of it. Where threads parse
at once, CPython 3.11 fails in one of them ("AST constructor recursion depth mismatch"),
and the failure of one task must not become that of another.
"""

from __future__ import annotations

from traceback import StackSummary, format_exception_only, walk_tb


def traceback_text(error: BaseException) -> str:
    """Return the traceback of an exception, after those that it came from."""
    texts: list[str] = []
    shown: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in shown:
        shown.add(id(at))
        frames = StackSummary.extract(walk_tb(at.__traceback__)).format()
        parts = ("Traceback (most recent call last):\n", *frames)
        texts.insert(0, "".join((*parts, *format_exception_only(at))))
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return "\n".join(texts)
