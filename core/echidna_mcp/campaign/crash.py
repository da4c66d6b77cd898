"""Defects: exceptions of ours, where only an EVM may fail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from echidna_mcp.errors import DefectError

if TYPE_CHECKING:
    from pathlib import Path

    from echidna_mcp.rounds.confirmation import Claim
    from echidna_mcp.rounds.tasks import RoundTask

_MOST_CHARACTERS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """Work of a round that failed, in a fresh process as well if that was tried.

    Attributes:
        round: the open round; nothing of it is stored.
        worker: whose work it was; None for that of the round itself.
        job: the task, or what the reference EVM was to confirm; None for what is done
            with their results.
        failures: tracebacks, or how processes ended, in the order of the attempts.
        blame: what is wrong, as a sentence without a full stop.
    """

    round: int
    worker: int | None = None
    job: RoundTask | Claim | None = None
    failures: tuple[str, ...] = ()
    blame: str = "This is a defect of echidna-mcp, not of the contract"

    @property
    def sentence(self) -> str:
        """What failed and why, without a full stop."""
        what = f"Round {self.round}"
        if self.worker is not None:
            what += f", worker {self.worker},"
        again = ", in a fresh process as well" if len(self.failures) > 1 else ""
        lines = self.failures[-1].strip().splitlines() if self.failures else []
        why = lines[-1] if lines else "no reason is known"
        return f"{what} failed{again}: {why[:_MOST_CHARACTERS].rstrip('.')}"


class CrashError(DefectError):
    """Work of a round has failed.

    Attributes:
        crash: what failed.
        bundle: the file that replays it; None if there is none (yet).
    """

    def __init__(self, crash: Crash, bundle: Path | None = None) -> None:
        text = f"{crash.sentence}. {crash.blame}"
        if bundle is not None:
            text += (
                f"; please report it with {bundle}, which replays the failure"
                f" (`echidna-mcp replay {bundle.name}`)"
            )
        details: dict[str, Any] = {"round": crash.round, "worker": crash.worker}
        super().__init__(
            f"{text}. The campaign is stored up to round {crash.round - 1}.", **details
        )
        self.crash = crash
        self.bundle = bundle
