"""Write typed stubs for contract documents, or check that they are up to date."""

from __future__ import annotations

import argparse
import difflib
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from echidna_mcp.contracts.dialect import Dialect
from echidna_mcp.errors import EchidnaMcpError, UsageError
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import DIALECT_PLUGINS
from echidna_mcp.wording import not_offered
from echidna_mcp_codegen.generate import generate, stale, write

_CONTRACTS = "contracts"
_DIALECT = "echidna"
_OUTPUT = "core/echidna_mcp/_generated"
_PACKAGE = "echidna_mcp._generated"
_EVENTS = "core/echidna_mcp/events/payloads.py"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns:
        0 if the files are written or up to date, 1 if `--check` finds a difference, 2
        if the documents or the options are wrong.
    """
    options = _parser().parse_args(argv)
    output, events = Path(options.output), _events_of(options)
    try:
        if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", options.package):
            raise UsageError(f"{options.package!r} is no dotted package name.")
        dialect = _dialect(options.dialect, options.plugins)
        contracts = Path(options.contracts)
        files = generate(contracts, options.package, output, events, dialect)
    except EchidnaMcpError as error:
        sys.stderr.write(f"echidna_mcp_codegen: {error.message}\n")
        return 2
    if not options.check:
        write(files, output, events)
        return 0
    diff = _diff(files, output, events)
    if not diff:
        return 0
    sys.stdout.write(diff)
    sys.stderr.write(
        f"{output} does not fit the contract documents. "
        f"To repair it, run: {_repair(options)}\n"
    )
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m echidna_mcp_codegen", description=__doc__
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; print a diff and exit with 1 if a file would change",
    )
    parser.add_argument(
        "--contracts",
        metavar="DIR",
        default=_CONTRACTS,
        help="contract documents (default: %(default)s)",
    )
    parser.add_argument(
        "--dialect",
        metavar="NAME",
        default=_DIALECT,
        help="dialect of the documents of tools (default: %(default)s)",
    )
    parser.add_argument(
        "--plugins",
        metavar="SELECTION",
        default=DIALECT_PLUGINS,
        help="plugins that offer dialects (default: %(default)s)",
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        default=_OUTPUT,
        help="directory of the generated package (default: %(default)s)",
    )
    parser.add_argument(
        "--package",
        metavar="NAME",
        default=_PACKAGE,
        help="dotted name of that package (default: %(default)s)",
    )
    parser.add_argument(
        "--events",
        metavar="FILE",
        help="module of the payloads of events (default: events.py in the directory"
        f" that --output names, else {_EVENTS})",
    )
    return parser


def _dialect(name: str, plugins: str) -> Dialect:
    dialects = PluginManager.load(plugins).dialects
    if name not in dialects:
        raise UsageError(not_offered("--dialect", name, dialects))
    return dialects[name]


def _events_of(options: argparse.Namespace) -> Path:
    if options.events is not None:
        return Path(options.events)
    return (
        Path(_EVENTS)
        if options.output == _OUTPUT
        else Path(options.output, "events.py")
    )


def _diff(files: Mapping[Path, str], output: Path, events: Path) -> str:
    """Return a unified diff from what is on disk to what should be."""
    wanted = {**files, **dict.fromkeys(stale(files, output, events), "")}
    parts: list[str] = []
    for path, text in wanted.items():
        present = path.read_text(encoding="utf-8") if path.exists() else ""
        parts += difflib.unified_diff(
            present.splitlines(keepends=True),
            text.splitlines(keepends=True),
            fromfile=str(path),
            tofile=f"{path} (generated)",
        )
        if not path.exists() and not text:
            parts.append(f"{path} is missing\n")
    return "".join(parts)


def _repair(options: argparse.Namespace) -> str:
    command = ["python", "-m", "echidna_mcp_codegen"]
    for name, default in (
        ("contracts", _CONTRACTS),
        ("dialect", _DIALECT),
        ("plugins", DIALECT_PLUGINS),
        ("output", _OUTPUT),
        ("package", _PACKAGE),
        ("events", None),
    ):
        if getattr(options, name) != default:
            command += [f"--{name}", getattr(options, name)]
    return shlex.join(command)


if __name__ == "__main__":
    sys.exit(main())
