"""The one exception hierarchy.

Every error that a user or an agent can cause is an `EchidnaMcpError`. Its message is
one sentence that says what is wrong and what to do. `code` is what an agent sees in the
error envelope; a command-line program prints the message and exits with 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class EchidnaMcpError(Exception):
    """Root of all expected failures.

    Attributes:
        message: one sentence for a person or an agent.
        details: JSON values that help to repair the call.
    """

    code: str = "INTERNAL_ERROR"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, Any] = details


class InvalidInputError(EchidnaMcpError):
    """The arguments of a tool call break its contract document."""

    code = "INVALID_INPUT"


class ToolNotFoundError(EchidnaMcpError):
    """No enabled plugin offers a tool of that name."""

    code = "TOOL_NOT_FOUND"


class PermissionDeniedError(EchidnaMcpError):
    """A tool is not there for who called it; `details` name both tiers."""

    code = "PERMISSION_DENIED"


class EvidenceError(EchidnaMcpError):
    """Evidence does not hold; `details` name the `link` that broke."""

    code = "EVIDENCE_BROKEN"

    def __init__(self, link: str, message: str) -> None:
        super().__init__(message, link=link)
        self.link = link

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.link, self.message)


class ResourceNotFoundError(EchidnaMcpError):
    """There is nothing to read under a URI."""

    code = "RESOURCE_NOT_FOUND"


class PromptNotFoundError(EchidnaMcpError):
    """No enabled plugin offers a prompt of that name."""

    code = "PROMPT_NOT_FOUND"


class ToolTimeoutError(EchidnaMcpError):
    """A tool did not answer within the deadline of its contract document."""

    code = "EXECUTION_TIMEOUT"


class CallSyntaxError(EchidnaMcpError):
    """A Solidity-like call can't be read; `details` name position, argument, type."""

    code = "PARSE_ERROR"


class CampaignTerminatedError(EchidnaMcpError):
    """A control tool was called after the campaign had ended."""

    code = "CAMPAIGN_TERMINATED"

    def __init__(
        self,
        message: str = (
            "Campaign stopped: no worker is active, so nothing can be changed. "
            "Observing tools go on answering."
        ),
        **details: Any,
    ) -> None:
        super().__init__(message, **details)


class CampaignNotStartedError(CampaignTerminatedError):
    """There is no campaign, because it could not be started."""

    def __init__(self, reason: EchidnaMcpError) -> None:
        super().__init__(
            f"The campaign could not be started: {reason.message.rstrip('.')}. "
            "When that is mended, restart this server.",
            **reason.details,
        )


class UsageError(EchidnaMcpError):
    """The command line asks for something that does not exist."""


class ConfigError(EchidnaMcpError):
    """The configuration file is wrong; the message names file, line and key."""


class TargetError(EchidnaMcpError):
    """The target is missing, is no contract, or can't be fuzzed."""


class CompilerUnavailableError(EchidnaMcpError):
    """A compiler plugin can't run here; the message says how to install it."""


class SolverUnavailableError(EchidnaMcpError):
    """The solver that a campaign names is not enabled, or not installed."""

    def __init__(self, name: str) -> None:
        extra = "z3" if name == "z3" else "solver"
        super().__init__(
            f"The campaign needs the solver {name}, which is not here; install "
            f"`echidna-mcp[{extra}]`, or begin another "
            "campaign with --solver off."
        )


class CompilationError(EchidnaMcpError):
    """The compiler refused the source."""


class KernelBuildError(EchidnaMcpError):
    """LLVM can't compile for this machine, or refuses the code."""


class DeploymentError(EchidnaMcpError):
    """The constructor of the target failed."""


class SetUpSkippedError(DeploymentError):
    """The `setUp()` of a test contract skips its tests (`vm.skip`)."""


class StepFailedError(DeploymentError):
    """A step that a test of Foundry begins with has failed (`beforeTestSetup`)."""


class StoreError(EchidnaMcpError):
    """The event store can't be opened, read or written."""


class StoreInUseError(StoreError):
    """Another process writes the event store, or has made it meanwhile."""


class StoreTamperedError(StoreError):
    """The hash chain of the event store is broken; `details` name the row."""


class PluginError(EchidnaMcpError):
    """A plugin is missing, can't be imported, or clashes with another."""


class ContractDocumentError(EchidnaMcpError):
    """A contract document does not describe a tool."""


class CapacityError(EchidnaMcpError):
    """A limit of the EVM backend is reached; the message says which, and what to do."""


class DisputedTestsError(EchidnaMcpError):
    """Two EVMs disagree on whether tests pass; `details` have the names in `tests`."""


class ReplayDivergedError(EchidnaMcpError):
    """A replay gave another state; `details` name the first round and worker."""


class DefectError(EchidnaMcpError):
    """This program has a defect, or its machine is broken; no contract is to blame.

    The command line leaves with 3.
    """


class NotReproducibleError(EchidnaMcpError):
    """A recorded round holds what no replay can repeat; `details` have `round`."""
