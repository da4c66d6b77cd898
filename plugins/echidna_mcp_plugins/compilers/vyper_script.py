"""Runs in a process of its own: compiles Vyper and prints JSON.

Usage: `python -P -m echidna_mcp_plugins.compilers.vyper_script ELSEWHERE ROOT FILE…`
in the directory ROOT, with files relative to it. Imports that ROOT does not have are
looked for in ELSEWHERE. Vyper keeps state in its process, so it does not share ours.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

FORMATS = (
    "bytecode",
    "bytecode_runtime",
    "abi",
    "source_map",
    "source_map_runtime",
    "annotated_ast",
    "layout",
)


def compile_file(elsewhere: str, root: str, file: str) -> dict[str, Any]:
    """Return the outputs of one file, or `{"error": [type, text]}`."""
    from vyper.cli.vyper_compile import (  # type: ignore[import-untyped] # noqa: PLC0415
        compile_files,
    )

    try:
        outputs = compile_files([file], list(FORMATS), paths=[elsewhere, root])
    except Exception as error:  # noqa: BLE001 - every failure is an answer
        return {"error": [type(error).__name__, str(error)]}
    (output,) = outputs.values()
    tree = output.pop("annotated_ast_dict", None) or output.pop("annotated_ast")
    roots = [root, elsewhere, *sys.path]
    output["modules"] = [_module(tree["ast"], roots)] + [
        _module(module, roots)
        for module in tree.get("imports", ())
        if module.get("resolved_path") and not module.get("is_interface")
    ]
    return dict(output)


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
    """Compile the files named on the command line."""
    import vyper  # type: ignore[import-untyped] # noqa: PLC0415

    elsewhere, root, *files = sys.argv[1:]
    with contextlib.redirect_stdout(sys.stderr):
        results = {file: compile_file(elsewhere, root, file) for file in files}
    answer = {"version": vyper.__version__, "files": results}
    json.dump(answer, sys.stdout, default=str)


if __name__ == "__main__":
    main()
