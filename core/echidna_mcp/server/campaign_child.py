"""The campaign process as its parent holds it.

It is started as early as possible, before the parent knows which campaign it is for:
while the parent reads its configuration and compiles the target, the child imports what
every campaign needs. So this module imports next to nothing itself.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Self

from echidna_mcp.campaign.interrupts import interrupts_blocked

if TYPE_CHECKING:
    from types import TracebackType

    from echidna_mcp.server.campaign_messages import CampaignSpec


class CampaignChild:
    """A process that runs one campaign when it is told which.

    As a context manager it ends the process, by force if it still runs.

    Attributes:
        process: the process; it has been started.
        connection: our end of the pipe to it.
    """

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=_main, args=(theirs,), name="echidna-mcp-campaign"
        )
        with interrupts_blocked():
            self.process.start()
        theirs.close()

    def begin(self, spec: CampaignSpec) -> None:
        """Tell the process which campaign to run; silence if it is dead by now."""
        with contextlib.suppress(OSError):
            self.connection.send(spec)

    def kill(self) -> None:
        """End the process at once; what it has not committed is lost."""
        self.process.kill()
        self.process.join()
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()


def _main(connection: Connection) -> None:
    """Run a campaign to its end. Runs in the campaign process."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # The server decides.
    from echidna_mcp.fuzz.kernels.loading import kernels_loading  # noqa: PLC0415 (slow import)

    with kernels_loading():
        from echidna_mcp.server.campaign_process import (  # noqa: PLC0415 (slow import)
            campaign_main,
        )

        campaign_main(connection)
