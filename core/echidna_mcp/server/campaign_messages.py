"""What goes through the pipe between the server and the campaign process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.program.model import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignSpec:
    """What a campaign process needs. Picklable.

    Attributes:
        program, config: None to take up the store where it stops.
        executor: name with an optional `:N`.
        keep_going: go on fuzzing when every test is decided.
    """

    store: Path
    plugins: str
    backend: str
    executor: str
    keep_going: bool
    program: Program | None = None
    config: CampaignConfig | None = None


@dataclass(frozen=True, slots=True)
class SubmitCommand:
    """Server to campaign: accept a command and answer with `ticket`."""

    ticket: int
    tool: str
    args: Mapping[str, Any]
    message: str


@dataclass(frozen=True, slots=True)
class RequestStop:
    """Server to campaign: end, for a reason named as in `StopReason`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """Campaign to server: the command is stored, and the store has grown to `seq`."""

    ticket: int
    seq: int
    round: int


@dataclass(frozen=True, slots=True)
class Refused:
    """Campaign to server: the command has no effect, or the campaign can't start."""

    ticket: int | None
    message: str
    terminated: bool = False


@dataclass(frozen=True, slots=True)
class Committed:
    """Campaign to server: the store has grown to `seq`."""

    seq: int


ToCampaign: TypeAlias = SubmitCommand | RequestStop
FromCampaign: TypeAlias = Accepted | Refused | Committed
