"""`echidna-mcp run --watch`: again whenever sources change, until ctrl-C.

Files are polled: that works on network drives and in containers, and needs nothing of
the operating system. What a poll finds ends the campaign that runs after its round;
the next one takes over its findings and runs them before anything else.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.project.sources import Snapshot, changed, snapshot
from echidna_mcp.cli.request.campaign import read_settings
from echidna_mcp.cli.request.options import DEFAULT_DIRECTORY
from echidna_mcp.config.project_files import project_root
from echidna_mcp.errors import DefectError, EchidnaMcpError, UsageError
from echidna_mcp.wording import counted, some

if TYPE_CHECKING:
    from echidna_mcp.cli.request.campaign import Request
    from echidna_mcp.corpora.earlier import EarlierVerdict
    from echidna_mcp.views.campaign import CampaignViews

POLL_SECONDS: Final = 0.5
_COLOURS: Final = {
    "Fixed": "green",
    "Still broken": "red",
    "Broken again": "red",
    "New": "red",
}
"""What may be told of findings, in this order."""
_SHARE: Final = 20
"""A poll is followed by a pause of at least so many times as long."""


class Watch:
    """The sources of a project while campaigns run on them.

    Attributes:
        interrupted: the user has ended a campaign; nothing is run again.
    """

    def __init__(self, look: Callable[[], Snapshot]) -> None:
        self._look = look
        self._before = look()
        self._next = 0.0
        self.interrupted = False
        self._all_fixed: set[str] = set()
        self._told: dict[str, list[str]] = {title: [] for title in _COLOURS}

    @property
    def files(self) -> int:
        """How many files are watched."""
        return len(self._before)

    def has_news(self) -> bool:
        """Whether sources have changed since `take_news`; looks twice a second."""
        if time.monotonic() < self._next:
            return False
        begun = time.monotonic()
        found = bool(changed(self._before, self._look()))
        spent = time.monotonic() - begun
        self._next = begun + spent + max(POLL_SECONDS, _SHARE * spent)
        return found

    def take_news(self) -> list[str]:
        """Wait until sources have changed, and then until nobody writes any more.

        Returns:
            The paths of those that have.
        """
        while not self.has_news():
            time.sleep(POLL_SECONDS)
        after = self._look()
        while True:
            time.sleep(POLL_SECONDS)
            if not changed(after, latest := self._look()):
                break
            after = latest
        news = changed(self._before, after)
        self._before = after
        self._told = {title: [] for title in _COLOURS}
        return news

    def ended(
        self,
        request: Request,
        views: CampaignViews,
        earlier: Sequence[EarlierVerdict],
    ) -> None:
        """Take note of what became of earlier findings when a campaign has ended."""
        if views.progress.stopped == "Killed":
            self._next = 0.0
            self.interrupted |= not self.has_news()
        contract = request.program.main_contract.name
        known: set[str] = set()
        for each in earlier:
            known.update(each.breaks)
            if each.status != "not replayed":
                self._note(f"{contract}.{each.subject}", fixed=each.status == "fixed")
        self._told["New"] += [
            f"{contract}.{record.name}"
            for record in views.properties.falsified
            if record.name not in known
        ]

    def _note(self, finding: str, *, fixed: bool) -> None:
        """Take note of an earlier finding; one that stays fixed is told once."""
        was_fixed = finding in self._all_fixed
        if fixed and not was_fixed:
            self._all_fixed.add(finding)
            self._told["Fixed"].append(finding)
        elif not fixed:
            self._all_fixed.discard(finding)
            title = "Broken again" if was_fixed else "Still broken"
            self._told[title].append(finding)

    def summary(self) -> str:
        """Return what is fixed, broken and new since the last call of `take_news`."""
        return "\n".join(
            click.style(
                printable(f"{title}: {some(sorted(set(names)))}"), fg=_COLOURS[title]
            )
            for title, names in self._told.items()
            if names
        )


def run_watching(
    parameters: Mapping[str, Any], run: Callable[[dict[str, Any], Watch], None]
) -> None:
    """Run a command again and again; leave with the exit code of its last run.

    Args:
        parameters: of the command line.
        run: the command; it may take some of them out.

    Raises:
        UsageError: there is nothing to watch.
        EchidnaMcpError: the configuration is wrong at the beginning.
    """
    with redirect_stderr(io.StringIO()):  # The run says it again.
        settings = read_settings(parameters)
    if settings.path is None:
        raise UsageError(
            "There is no project here whose sources --watch could watch; name a target."
        )
    if settings.home is None:
        # What a run has found is where the next one begins.
        parameters = {**parameters, "campaigns": DEFAULT_DIRECTORY}
    root = project_root(settings.path)
    named = {"target": settings.path, "config": parameters["config_file"]}
    watch = Watch(lambda: snapshot(root, named))
    while True:
        code = _exit_code(partial(run, dict(parameters), watch))
        if watch.interrupted:
            sys.exit(code)
        if text := watch.summary():
            show(text, err=True)
        files = counted(watch.files, "file")
        show(f"Watching {files} in {printable(str(root))}; ctrl-C ends.", err=True)
        try:
            news = watch.take_news()
        except KeyboardInterrupt:
            show("No longer watching.", err=True)
            sys.exit(code)
        names = [os.path.relpath(path, root) for path in news]
        show(printable(f"Changed: {some(names)}. Running again."), err=True)


def _exit_code(run: Callable[[], None]) -> int:
    """Run a command; return its exit code.

    What is wrong with a project is mended while it is watched: it is told, and the next
    change tries again.
    """
    try:
        run()
    except SystemExit as leave:
        return int(leave.code or 0)
    except DefectError:
        raise
    except EchidnaMcpError as error:
        lines = map(printable, f"Error: {error.message}".split("\n"))
        show("\n".join(lines), err=True)
        return 2
    return 0
