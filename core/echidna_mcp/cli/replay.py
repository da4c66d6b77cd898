"""`echidna-mcp replay`: run a campaign again and compare every round."""

from __future__ import annotations

import sys
from pathlib import Path

from echidna_mcp.campaign.replay import ReplayedCommand, read_recording, replay
from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.cli.output import show
from echidna_mcp.cli.printable import counted
from echidna_mcp.errors import InvalidInputError, ReplayDivergedError, UsageError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.select import (
    make_executor,
    pick_backend,
    suitable_executor,
)
from echidna_mcp.tools.validation import ArgumentValidator
from echidna_mcp.views.command_log import read_command_lines


def replay_campaign(
    commands: Path, backend: str | None, executor: str, plugins: str
) -> None:
    """Run the command.

    Args:
        commands: a command log beside a store, or the directory of both.
        backend: None for that of the recorded campaign.
        executor: where the rounds run.
        plugins: as in `--plugins`.
    """
    directory = commands if commands.is_dir() else commands.parent
    if not commands.exists():
        raise UsageError(f"There is no command log {commands}; name an existing one.")
    path = store_path(directory)
    verify_campaign(path, other_log=True)
    with EventStore.read_only(path) as store:
        recording = read_recording(store.read())
    manager = PluginManager.load(plugins)
    given = recording.commands if commands.is_dir() else _read(commands, manager)
    name = backend or recording.started.payload["backend"]
    backend_plugin = pick_backend(manager, name)
    runner = make_executor(manager, suitable_executor(backend_plugin, executor))
    rounds = 0

    def count(number: int) -> None:
        nonlocal rounds
        rounds = number

    try:
        views = replay(recording, given, backend_plugin, runner, count)
    except ReplayDivergedError as error:
        show(f"{counted(rounds, 'round')} verified.")
        show(f"Diverged: {error.message}", err=True)
        sys.exit(1)
    finally:
        runner.close()
    show(
        f"Reproduced: {counted(rounds, 'round')} verified, "
        f"{counted(len(given), 'command')}, "
        f"{counted(views.progress.calls, 'call')}, "
        f"state digest {views.progress.state_digest}"
    )


def _read(path: Path, plugins: PluginManager) -> list[ReplayedCommand]:
    """Return the commands of a log; one without rounds is given one a round."""
    given = []
    for number, line in enumerate(read_command_lines(path), start=1):
        tool = plugins.tools.get(line.tool)
        try:
            if tool is not None:  # Anybody may have edited the log.
                ArgumentValidator(tool.spec).check(line.args)
        except InvalidInputError as error:
            raise UsageError(
                f"Command {number} of {path} can't be given: {error.message}"
            ) from error
        number_of_round = number if line.round is None else line.round
        given.append(
            ReplayedCommand(round=number_of_round, tool=line.tool, args=line.args)
        )
    return given
