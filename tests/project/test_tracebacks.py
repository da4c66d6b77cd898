"""Tracebacks of failures say what Python's say, and parse nothing for it."""

from __future__ import annotations

import ast
import sys
import traceback
from typing import Any

import pytest

from echidna_mcp.tracebacks import traceback_text


def failing() -> None:
    try:
        int("first")
    except ValueError as error:
        try:
            fail(error)
        except KeyError:
            {}["third"]


def fail(cause: Exception) -> None:
    raise KeyError("second") from cause


def failure() -> BaseException:
    with pytest.raises(KeyError) as raised:
        failing()
    return raised.value


def test_all_exceptions_of_a_chain_are_told_with_their_lines():
    lines = traceback_text(failure()).splitlines()
    first, second, third = (
        next(number for number, line in enumerate(lines) if line.startswith(end))
        for end in ("ValueError: invalid literal", "KeyError: 'second'", "KeyError: 't")
    )
    assert first < second < third == len(lines) - 1
    assert '    raise KeyError("second") from cause' in lines


def test_nothing_is_parsed():
    error, parsed = failure(), []

    def watched(*args: Any, **options: Any) -> ast.AST:
        parsed.append(args)
        return parse(*args, **options)

    parse = ast.parse
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ast, "parse", watched)
        traceback_text(error)
        assert not parsed
        traceback.format_exception(error)
    assert parsed or sys.version_info >= (3, 13)  # what Python itself does


def test_an_exception_that_is_its_own_cause_ends():
    error = ValueError("round")
    other = ValueError("and round")
    error.__cause__, other.__cause__ = other, error
    assert traceback_text(error).count("Traceback") == 2
