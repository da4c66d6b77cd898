"""`echidna-mcp replay`: run a campaign again and compare every round."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

from echidna_mcp import __version__
from echidna_mcp.campaign.crash_bundle import read_bundle
from echidna_mcp.campaign.crash_replay import fail_again
from echidna_mcp.campaign.replay import (
    Recording,
    ReplayedCommand,
    read_recording,
    replay,
)
from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.display.replay_progress import ReplayProgress
from echidna_mcp.cli.request.executors import check_ray_address
from echidna_mcp.cli.request.place import newest_campaign
from echidna_mcp.errors import (
    InvalidInputError,
    NotReproducibleError,
    ReplayDivergedError,
    UsageError,
)
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor, pick_backend, suitable_executor
from echidna_mcp.tools.validation import ArgumentValidator
from echidna_mcp.views.command_log import ERROR, read_command_lines
from echidna_mcp.wording import counted

_RANGE = re.compile(r"(\d{0,9}):(\d{0,9})")


def replay_campaign(
    commands: Path,
    backend: str | None,
    executor: str,
    plugins: str,
    rounds: str | None = None,
) -> None:
    """Run the command.

    Args:
        commands: a command log beside a store, the store, a directory of campaigns,
            or a crash bundle.
        backend: None for that of the recorded campaign.
        executor: where the rounds run.
        plugins: as in `--plugins`.
        rounds: `A:B`, the rounds to run again; None for all.
    """
    if commands.suffix == ".zip":
        _replay_bundle(commands, backend, plugins)
        return
    first, last = _range(rounds)
    if not commands.exists():
        raise UsageError(
            f"There is no {commands}; name the directory of a campaign, its store, or "
            "its command log."
        )
    directory = newest_campaign(commands) if commands.is_dir() else commands.parent
    path = store_path(directory)
    verify_campaign(path, other_log=True)
    with EventStore.read_only(path) as store:
        recording = read_recording(store.read(), first, last)
    if rounds is not None and not recording.digests:
        raise UsageError(
            f"--rounds {rounds} names no round of {directory}; leave it out to replay "
            "all there are."
        )
    manager = PluginManager.load(plugins)
    stored = commands.is_dir() or commands.name == path.name
    given = recording.commands if stored else _read(commands, manager)
    told = _other_versions(recording)
    if told:
        show(told, err=True)
    name = backend or recording.started.payload["backend"]
    backend_plugin = pick_backend(manager.backends, name)
    suitable = suitable_executor(backend_plugin, executor)
    check_ray_address(suitable)
    runner = make_executor(manager.executors, suitable)
    # What was given for earlier rounds is in the events that are folded.
    if rounds is not None:
        given = [one for one in given if first <= one.round <= (last or one.round)]
    progress = ReplayProgress(recording.calls, sys.stderr, time.monotonic)
    try:
        views = replay(recording, given, backend_plugin, runner, progress)
    except ReplayDivergedError as error:
        progress.close()
        show(f"{counted(progress.rounds, 'round')} verified.")
        show(f"Diverged: {error.message}", err=True)
        sys.exit(1)
    except NotReproducibleError as error:
        progress.close()
        show(f"{counted(progress.rounds, 'round')} verified.")
        show(f"Not reproduced: {error.message}", err=True)
        sys.exit(1)
    finally:
        progress.close()
        runner.close()
    which = f" ({min(recording.digests)} to {max(recording.digests)})" if rounds else ""
    show(
        f"Reproduced: {counted(progress.rounds, 'round')} verified{which}, "
        f"{counted(len(given), 'command')}, "
        f"{counted(views.progress.calls, 'call')}, "
        f"state digest {views.progress.state_digest}"
    )


def _other_versions(recording: Recording) -> str:
    """Return what is to be said if another version made a campaign."""
    engines = list(recording.engines)
    if engines == [__version__]:
        return ""
    if len(engines) == 1:
        return (
            f"Version {engines[0]} made this campaign, and this is {__version__}: what "
            f"differs may be due to that. echidna-mcp=={engines[0]} reproduces it."
        )
    parts = ", ".join(
        f"{engine} from round {number} on"
        for engine, number in recording.engines.items()
    )
    return (
        f"Several versions made this campaign ({parts}), and this is {__version__}: "
        "each reproduces its own rounds, none need reproduce all."
    )


def _replay_bundle(path: Path, backend: str | None, plugins: str) -> None:
    """Let what has crashed fail again, and show how."""
    bundle = read_bundle(path)
    if bundle.engine != __version__:
        show(
            f"Version {bundle.engine} crashed, and this is {__version__}; "
            f"echidna-mcp=={bundle.engine} is what fails for sure.",
            err=True,
        )
    manager = PluginManager.load(plugins)
    os.environ.update(bundle.environment)
    failure = fail_again(
        bundle, pick_backend(manager.backends, backend or bundle.backend)
    )
    what = f"the {bundle.job} of round {bundle.round}"
    if bundle.worker is not None:
        what += f", worker {bundle.worker},"
    if failure is None:
        show(f"Not reproduced: {what} does not fail here.", err=True)
        sys.exit(1)
    show(failure.rstrip())
    show(f"Reproduced: {what} fails.")


def _range(text: str | None) -> tuple[int, int | None]:
    """Return the first and last round of `A:B`; either may be left out."""
    if text is None:
        return 1, None
    match = _RANGE.fullmatch(text)
    first, last = (
        (int(one) if one else None for one in match.groups()) if match else (0, 0)
    )
    if first == 0 or (last is not None and last < (first or 1)):
        raise UsageError(
            f"--rounds {text!r} is no range of rounds; write it as 5:9, 5: or :9, with "
            "the first round being 1."
        )
    return first or 1, last


def _read(path: Path, plugins: PluginManager) -> list[ReplayedCommand]:
    """Return the commands of a log; one without rounds is given one a round.

    What failed when it was called is none.
    """
    given = []
    lines = [line for line in read_command_lines(path) if line.result != ERROR]
    for number, line in enumerate(lines, start=1):
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
