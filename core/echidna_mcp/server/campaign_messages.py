"""Messages between the server and the campaign process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.errors import EchidnaMcpError
from echidna_mcp.program.model import Program
from echidna_mcp.program.world import World
from echidna_mcp.reports.machines import ExecutorStatistics


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignSpec:
    """What a campaign process needs. Picklable.

    Attributes:
        store: of the campaign, or where it is to be.
        resume: take the store up where it stops.
        otherwise: where a new campaign begins if another process takes `store` first;
            None if that is an error.
        ancestors, corpus: what may be taken over, as for `new_campaign`.
        program, config: of a new campaign; None if none may begin.
        world: what is called in it, and what its deployment has been told; None if
            nobody has looked yet.
        executor: name with an optional `:N`.
        keep_going: go on fuzzing when every test is decided.
        nice: `WorkerSetup.nice`.
        root: directory of the project, as for `new_campaign`.
    """

    store: Path
    plugins: str
    backend: str
    executor: str
    keep_going: bool
    nice: int = 0
    resume: bool = False
    otherwise: Path | None = None
    ancestors: tuple[Path, ...] = ()
    corpus: Path | None = None
    program: Program | None = None
    config: CampaignConfig | None = None
    world: World | None = None
    root: Path | None = None


@dataclass(frozen=True, slots=True)
class SubmitCommand:
    """Server to campaign: accept a command and answer with its key.

    With the key of a command that is stored it is the same command, so that sending it
    again does nothing twice.
    """

    key: str
    tool: str
    args: Mapping[str, Any]
    message: str


@dataclass(frozen=True, slots=True)
class RecordRefusal:
    """Server to campaign: a control tool was called and failed; store that (FR-010).

    Attributes:
        key: names the call, so that it is stored once.
        args: what was sent, as JSON values.
        code: of the error.
    """

    key: str
    tool: str
    args: Any
    code: str
    message: str

    @property
    def payload(self) -> dict[str, Any]:
        """The payload of the event."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RequestStop:
    """Server to campaign: end, for a reason named as in `StopReason`.

    Attributes:
        at_once: don't wait for the open round.
    """

    reason: str
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """Campaign to server: where its store lies; comes before all else."""

    store: Path


@dataclass(frozen=True, slots=True)
class Accepted:
    """Campaign to server: the command is stored, and the store has grown to `seq`."""

    key: str
    seq: int
    round: int


@dataclass(frozen=True, slots=True)
class Refused:
    """Campaign to server: the command has no effect, or the campaign can't start.

    Attributes:
        kind: what the server raises.
    """

    key: str | None
    message: str
    kind: type[EchidnaMcpError]


@dataclass(frozen=True, slots=True)
class Committed:
    """Campaign to server: the store has grown to `seq`."""

    seq: int


@dataclass(frozen=True, slots=True)
class AtWork:
    """Campaign to server: what its machines have done, if there are several."""

    statistics: ExecutorStatistics


@dataclass(frozen=True, slots=True)
class Crashed:
    """Campaign to server: it has a defect, and stops; what is stored stands."""

    message: str


ToCampaign: TypeAlias = SubmitCommand | RecordRefusal | RequestStop
FromCampaign: TypeAlias = Opened | Accepted | Refused | Committed | AtWork | Crashed
