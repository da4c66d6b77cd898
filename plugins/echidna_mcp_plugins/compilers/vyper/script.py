"""Runs in a process of its own: compiles Vyper and prints JSON.

Usage: `python -P -m echidna_mcp_plugins.compilers.vyper.script` in the directory of the
sources, with a `Question` as JSON on standard input. Vyper keeps state in its process,
so it does not share ours.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict

from echidna_mcp.errors import TargetError
from echidna_mcp_plugins.compilers.cache import Lookup
from echidna_mcp_plugins.compilers.fence import refusal

FORMATS = (
    "bytecode",
    "bytecode_runtime",
    "abi",
    "source_map",
    "source_map_runtime",
    "annotated_ast",
    "layout",
    "settings_dict",
)
_PRAGMA = re.compile(r"^\s*#\s*pragma\s+evm-version\s", re.MULTILINE)


class Question(TypedDict):
    """What is to be compiled.

    `fork` is what to compile for, unless a file says another one or Vyper does not know
    it; it may be empty. `files` are relative to `root`. Imports that `root` does not
    have are looked for in `elsewhere`, then among the packages of Python. They must lie
    in one of `places`, or among those packages; `project` is what a message calls them.
    """

    fork: str
    root: str
    elsewhere: str
    files: list[str]
    places: list[str]
    project: str


class _Refused(BaseException):
    """An import leads to something that is not read.

    No `Exception`: Vyper makes those a panic of its own.
    """


class _Outside(_Refused):
    """It leads out of the project."""

    def __init__(self, real: Path) -> None:
        super().__init__(real)
        self.real = real


def confine(question: Question, lookups: dict[str, Lookup]) -> None:
    """Let Vyper read nothing but what it may, and collect what it looks for."""
    from vyper.cli import (  # type: ignore[import-untyped] # noqa: PLC0415
        vyper_compile,
    )

    packages = [str(Path(place).resolve()) for place in sys.path]
    places = [*question["places"], *packages]

    class Confined(vyper_compile.FilesystemInputBundle):  # type: ignore[misc]
        """Files of the project and of packages."""

        def _normalize_path(self, path: Path) -> Path:
            asked = str(Path.cwd() / path)
            with contextlib.suppress(OSError, RuntimeError):
                real = Path(asked).resolve(strict=True)
                if not any(real.is_relative_to(place) for place in places):
                    raise _Outside(real)
            try:
                lookups[asked] = Lookup.now(asked)
            except TargetError as error:
                raise _Refused(error.message) from error
            normalized: Path = super()._normalize_path(path)
            return normalized

    vyper_compile.FilesystemInputBundle = Confined


def compile_file(question: Question, file: str) -> dict[str, Any]:
    """Return the outputs of one file, or `{"error": [type, text]}`.

    An import that must not be read gives `{"refused": sentence}`.
    """
    from vyper.cli.vyper_compile import (  # type: ignore[import-untyped] # noqa: PLC0415
        compile_files,
    )
    from vyper.compiler.settings import (  # type: ignore[import-untyped] # noqa: PLC0415
        Settings,
    )
    from vyper.evm.opcodes import (  # type: ignore[import-untyped] # noqa: PLC0415
        DEFAULT_EVM_VERSION,
        EVM_VERSIONS,
    )

    roots = [question["elsewhere"], question["root"]]
    fork = question["fork"]
    asked = fork if fork in EVM_VERSIONS else None
    if _PRAGMA.search(Path(file).read_text("utf-8", errors="replace")):
        asked = None
    try:
        outputs = compile_files(
            [file],
            list(FORMATS),
            paths=roots,
            settings=Settings(evm_version=asked),
        )
    except _Outside as outside:
        named = _statement(outside) or file
        refused = refusal(outside.real, named, Path(question["project"]))
        return {"refused": refused.message}
    except _Refused as error:
        return {"refused": str(error)}
    except Exception as error:  # noqa: BLE001 - every failure is an answer
        return {"error": [type(error).__name__, str(error)]}
    (output,) = outputs.values()
    compiled_for = output.pop("settings_dict").get("evm_version")
    output["evm_version"] = compiled_for or DEFAULT_EVM_VERSION
    tree = output.pop("annotated_ast_dict", None) or output.pop("annotated_ast")
    roots = [question["root"], question["elsewhere"], *sys.path]
    output["modules"] = [_module(tree["ast"], roots)] + [
        _module(module, roots)
        for module in tree.get("imports", ())
        if module.get("resolved_path") and not module.get("is_interface")
    ]
    return dict(output)


def _statement(error: _Refused) -> str | None:
    """Return the import that Vyper was following, with its place, if it is known."""
    found = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        names = frame.f_locals
        module: Any = names.get("module_ast")
        node: Any = names.get("node")
        with contextlib.suppress(AttributeError, LookupError):
            line = module.full_source_code.splitlines()[node.lineno - 1].strip()
            found = f"{module.path}:{node.lineno}: the import `{line}`"
    return found


def _module(module: Mapping[str, Any], roots: Iterable[str]) -> dict[str, Any]:
    path = Path(module["resolved_path"])
    return {
        "id": module["source_id"],
        "path": next(_names(path, roots), path.name),
        "text": path.read_bytes().decode(),
        "ast": module,
    }


def _names(path: Path, roots: Iterable[str]) -> Iterator[str]:
    for root in roots:
        base = Path(root).resolve()
        if path.is_relative_to(base):
            yield path.relative_to(base).as_posix()


def main() -> None:
    """Compile what standard input asks for."""
    import vyper  # type: ignore[import-untyped] # noqa: PLC0415

    question: Question = json.load(sys.stdin)
    lookups: dict[str, Lookup] = {}
    with contextlib.redirect_stdout(sys.stderr):
        try:
            confine(question, lookups)
        except (ImportError, AttributeError):
            old = {"error": ["VersionException", "it can't be confined to a directory"]}
            results = dict.fromkeys(question["files"], old)
        else:
            results = {file: compile_file(question, file) for file in question["files"]}
    answer = {
        "version": vyper.__version__,
        "files": results,
        "lookups": list(lookups.values()),
    }
    json.dump(answer, sys.stdout, default=str)


if __name__ == "__main__":
    main()
