from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from echidna_mcp.demo import load_demo
from echidna_mcp.errors import (
    CompilationError,
    CompilerUnavailableError,
    TargetError,
)
from echidna_mcp.program.compile import compile_target
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program


@dataclass
class Compiler:
    """A third-party compiler with a chosen behaviour."""

    name: str
    rank: int
    behaviour: Callable[[], Program]
    suffix: str = ".x"

    def accepts(self, request: CompileRequest) -> bool:
        return request.target.suffix == self.suffix

    def compile(self, request: CompileRequest) -> Program:
        assert self.accepts(request)
        return self.behaviour()


def failing(error: Exception) -> Callable[[], Program]:
    def fail() -> Program:
        raise error

    return fail


MISSING = failing(CompilerUnavailableError("Install me."))


@pytest.fixture
def request_x(tmp_path: Path) -> CompileRequest:
    (tmp_path / "a.x").write_text("contract")
    return CompileRequest(target=tmp_path / "a.x")


def test_the_first_available_compiler_by_rank_wins(request_x: CompileRequest):
    compilers = [
        Compiler("last", 3, failing(CompilationError("not reached"))),
        Compiler("second", 2, load_demo),
        Compiler("first", 1, MISSING),
        Compiler("other", 0, failing(CompilationError("not asked")), suffix=".y"),
    ]
    assert compile_target(request_x, compilers) == load_demo()


def test_a_refused_source_is_final(request_x: CompileRequest):
    compilers = [
        Compiler("first", 1, failing(CompilationError("a.x:1: no"))),
        Compiler("second", 2, load_demo),
    ]
    with pytest.raises(CompilationError, match=r"a\.x:1: no"):
        compile_target(request_x, compilers)


def test_all_missing_compilers_are_named(request_x: CompileRequest):
    compilers = [Compiler("two", 2, MISSING), Compiler("one", 1, MISSING)]
    with pytest.raises(
        CompilerUnavailableError, match=r"\[one\] Install me\. \[two\] Install me\."
    ) as caught:
        compile_target(request_x, compilers)
    assert caught.value.details == {
        "tried": {"one": "Install me.", "two": "Install me."}
    }


def test_missing_target():
    with pytest.raises(TargetError, match=r"No such file or directory: nowhere\.sol\."):
        compile_target(CompileRequest(target=Path("nowhere.sol")), [])


def test_text_file_that_is_no_contract(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(TargetError, match=r"notes\.txt is no contract; give"):
        compile_target(
            CompileRequest(target=tmp_path / "notes.txt"), [Compiler("x", 1, load_demo)]
        )


def test_directory_without_contracts(tmp_path: Path):
    with pytest.raises(TargetError, match=r"no \.sol or \.vy file in the directory"):
        compile_target(CompileRequest(target=tmp_path), [])
