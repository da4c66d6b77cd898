"""Crash bundles: a file from which anybody can see a failure again.

A zip archive. `campaign.db` is the store up to the last committed round; program,
configuration, seed and commands are in it, so it decides what the open round does.
`about.json` says which work of that round failed, and who ran it; `job.json` is that
work, `traceback.txt` what went wrong; `answers.json` is what the outside had answered
in that round, if it was asked, `solved.json` what the solver had. `program.json` and
`config.json` are for readers.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any, Final

from echidna_mcp import __version__
from echidna_mcp.campaign.crash import Crash, CrashError
from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.errors import UsageError
from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.events.payloads import SolverAnswered
from echidna_mcp.events.store import EventStore
from echidna_mcp.evm.outside import MOST_BYTES, Reply, Request
from echidna_mcp.rounds.tasks import RoundTask

BUNDLE_PREFIX: Final = "echidna-mcp-crash-"
_STORE = "campaign.db"
_ABOUT = "about.json"
_ANSWERS = "answers.json"
_SOLVED = "solved.json"
_FORMAT = 1
_MOST_ABOUT = 1_000_000
_PRIVATE: Final = frozenset(["ECHIDNA_MCP_TOKEN", "ECHIDNA_MCP_CACHE"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """What a crash bundle holds.

    Attributes:
        events: the campaign, up to the last committed round.
        engine: version of the program that failed.
        backend: what it was run with.
        environment: variables of ours that say how it ran, and no others: a bundle may
            come from anybody.
        round: the round that failed.
        job: `task`, `confirmation` or `round`: what of it.
        worker: whose task or finding; None for the round itself.
        claim: test and sequence that were to be confirmed, if they were.
        drain: the reason why no new sequences were fuzzed from this round on, if any.
        answers: what the outside had answered in that round.
        solved: what the solver had.
    """

    events: tuple[Event, ...]
    engine: str
    backend: str
    environment: Mapping[str, str]
    round: int
    job: str
    worker: int | None
    claim: tuple[int, bytes] | None
    drain: str | None
    answers: tuple[tuple[Request, Reply], ...]
    solved: tuple[SolverAnswered, ...] = ()


def with_bundle(
    crash: Crash,
    store: EventStore,
    drain: str | None,
    answers: Sequence[NewEvent] = (),
) -> CrashError:
    """Return what to raise; there is a bundle if one can be written."""
    try:
        bundle = write_bundle(crash, store, drain, answers)
    except Exception:  # noqa: BLE001 - the disk may be full; the failure is told
        bundle = None
    return CrashError(crash, bundle)


def write_bundle(
    crash: Crash,
    store: EventStore,
    drain: str | None,
    answers: Sequence[NewEvent] = (),
) -> Path:
    """Write the bundle of a crash beside the store; return where it is.

    Args:
        crash: what has failed.
        store: of the campaign.
        drain: as in `Bundle`.
        answers: of the outside and of the solver, in the round that failed.

    Raises:
        OSError, StoreError: it can't be written.
    """
    path = _free_name(store.path.parent, crash.round)
    started = next(store.read(limit=1)).payload
    run = next(
        (e.payload for e in reversed([*store.read(types=("CampaignResumed",))])),
        started,
    )
    job = "round"
    if crash.job is not None:
        job = "task" if isinstance(crash.job, RoundTask) else "confirmation"
    about = {
        "format": _FORMAT,
        "engine": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "backend": run["backend"],
        "executor": run["executor"],
        "plugins": started["plugins"],
        "environment": _ours(os.environ),
        "round": crash.round,
        "worker": crash.worker,
        "job": job,
        "drain": drain,
    }
    with (
        tempfile.TemporaryDirectory() as scratch,
        zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive,
    ):
        copy = Path(scratch, _STORE)
        store.copy_to(copy)
        archive.write(copy, _STORE)
        archive.writestr(_ABOUT, _text(about))
        archive.writestr("job.json", _text(crash.job))
        for name, kind in ((_ANSWERS, "OutsideAnswered"), (_SOLVED, "SolverAnswered")):
            told = [each.payload for each in answers if each.type == kind]
            if told:
                archive.writestr(name, _text(told))
        archive.writestr("program.json", _text(started["program"]))
        archive.writestr("config.json", _text(started["config"]))
        archive.writestr("traceback.txt", "\n\n".join(crash.failures) + "\n")
    return path


def _ours(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that may say how a campaign ran."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if name.startswith("ECHIDNA_MCP_") and name not in _PRIVATE
    }


def _free_name(directory: Path, number: int) -> Path:
    path = directory / f"{BUNDLE_PREFIX}round-{number}.zip"
    again = 1
    while path.exists():
        again += 1
        path = directory / f"{BUNDLE_PREFIX}round-{number}-{again}.zip"
    return path


def _text(value: object) -> str:
    """Return JSON of a value; bytes are written as hexadecimal digits."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    return json.dumps(value, indent=2, default=_plain) + "\n"


def _plain(value: object) -> object:
    if isinstance(value, bytes | bytearray):
        return f"0x{value.hex()}"
    return list(value) if isinstance(value, range) else repr(value)


def read_bundle(path: Path) -> Bundle:
    """Read a crash bundle; its store is checked row by row.

    Raises:
        UsageError: it is no such file, or a part of it is missing.
        StoreError: the store in it can't be read, or was changed.
    """
    try:
        with (
            zipfile.ZipFile(path) as archive,
            tempfile.TemporaryDirectory() as scratch,
        ):
            about = _document(archive, _ABOUT)
            if about["format"] != _FORMAT:
                raise UsageError(
                    f"{path} was written by echidna-mcp {about['engine']}, which this "
                    "version can't read; replay it with that one."
                )
            copy = Path(archive.extract(_STORE, scratch))
            verify_campaign(copy, other_log=True)
            with EventStore.read_only(copy) as store:
                events = tuple(store.read())
            claim = None
            if about["job"] == "confirmation":
                job = _document(archive, "job.json")
                claim = job["test"], bytes.fromhex(job["sequence"][2:])
            return Bundle(
                events=events,
                engine=about["engine"],
                backend=about["backend"],
                environment=_ours(about["environment"]),
                round=about["round"],
                job=about["job"],
                worker=about["worker"],
                claim=claim,
                drain=about["drain"],
                answers=_answers(archive),
                solved=_solved(archive),
            )
    except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{path} is no crash bundle of echidna-mcp that can be read: {error}."
        ) from error


def _answers(archive: zipfile.ZipFile) -> tuple[tuple[Request, Reply], ...]:
    if _ANSWERS not in archive.namelist():
        return ()
    told = _document(archive, _ANSWERS, 4 * MOST_BYTES)
    return tuple((Request.from_json(each), Reply.from_json(each)) for each in told)


def _solved(archive: zipfile.ZipFile) -> tuple[SolverAnswered, ...]:
    if _SOLVED not in archive.namelist():
        return ()
    return tuple(_document(archive, _SOLVED, 4 * MOST_BYTES))


def _document(archive: zipfile.ZipFile, name: str, most: int = _MOST_ABOUT) -> Any:
    with archive.open(name) as file:
        return json.loads(file.read(most))
