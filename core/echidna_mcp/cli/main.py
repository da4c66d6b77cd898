"""`echidna-mcp`: the commands, and how their failures are told.

Exit codes: 0 done; 1 a test was falsified (`run`, `doctor`) or a replay diverged
(`replay`); 2 bad input, or EVMs that disagree on a test (`run`, `doctor`), with one
sentence on stderr; 3 a defect of this program, with a sentence that names the file that
replays it; 4 no test was falsified, but something was not tested (`run`, `doctor`).
"""

from __future__ import annotations

import logging
import platform
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click

from echidna_mcp import __version__
from echidna_mcp.cli.commands.table import COMMANDS
from echidna_mcp.cli.console.output import open_streams, show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.request.options import campaign_defaults
from echidna_mcp.cli.shell.command import COMPLETION_VARIABLE
from echidna_mcp.config.project_files import is_project
from echidna_mcp.errors import DefectError, EchidnaMcpError
from echidna_mcp.tracebacks import traceback_text

HELP = {"help_option_names": ["-h", "--help"]}


@click.group(context_settings=HELP, invoke_without_command=True)
@click.version_option(__version__, prog_name="echidna-mcp")
@click.pass_context
def cli(context: click.Context) -> None:
    """Fuzz smart contracts; let AI agents watch and steer over MCP.

    Without a command, in a project: what run would fuzz there, and how.
    """
    if context.invoked_subcommand is not None:
        return
    if not is_project(Path.cwd()):
        show(context.get_help())
        return
    from echidna_mcp.cli.project.overview import show_overview  # noqa: PLC0415

    show_overview(campaign_defaults())


for command in COMMANDS:
    # On each command, too: click keeps the help option of the first use, which may be
    # one without the group.
    command.context_settings.update(HELP)
    cli.add_command(command)


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM end a command as ctrl-C does, so that it can clear up."""

    def terminate(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def main() -> None:
    """Run the command line and leave with its exit code."""
    open_streams()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    try:
        with _terminable():
            cli(standalone_mode=False, complete_var=COMPLETION_VARIABLE)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except (click.Abort, KeyboardInterrupt):
        show("Interrupted.", err=True)
        sys.exit(130)
    except EchidnaMcpError as error:
        # What it quotes may come from a project that somebody else has made.
        lines = map(printable, f"Error: {error.message}".split("\n"))
        show("\n".join(lines), err=True)
        sys.exit(3 if isinstance(error, DefectError) else 2)
    except OSError as error:
        show(f"Error: {error}.", err=True)
        sys.exit(2)
    except Exception as error:  # noqa: BLE001 - no traceback reaches a user
        show(f"Error: {_defect(error)}", err=True)
        sys.exit(3)


def _defect(error: Exception) -> str:
    """Write what nobody has foreseen to a file; return the sentence that names it."""
    told = f"{type(error).__name__}: {error}".rstrip(".")
    sentence = f"{told}. This is a defect of echidna-mcp"
    text = (
        f"echidna-mcp {__version__}, Python {sys.version}, {platform.platform()}\n"
        f"{' '.join(sys.argv)}\n\n{traceback_text(error)}"
    )
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix="echidna-mcp-crash-",
            suffix=".txt",
            delete=False,
            errors="backslashreplace",
        ) as file:
            file.write(text)
    except OSError:
        return f"{sentence}; please report it."
    return f"{sentence}; please report it with {file.name}, which says where it failed."
