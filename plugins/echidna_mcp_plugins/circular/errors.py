"""The ten ways in which a tool of this family fails, and what a caller should do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from echidna_mcp.errors import EchidnaMcpError


class ErrorType(StrEnum):
    """What went wrong, as agents see it in `type`."""

    API_UNAVAILABLE = "API_UNAVAILABLE"
    NETWORK_ERROR = "NETWORK_ERROR"
    INVALID_INPUT = "INVALID_INPUT"
    INVALID_ADDRESS = "INVALID_ADDRESS"
    INVALID_SIGNATURE = "INVALID_SIGNATURE"
    INSUFFICIENT_BALANCE = "INSUFFICIENT_BALANCE"
    NONCE_MISMATCH = "NONCE_MISMATCH"
    RATE_LIMIT = "RATE_LIMIT"
    TRANSACTION_TIMEOUT = "TRANSACTION_TIMEOUT"
    TRANSACTION_FAILED = "TRANSACTION_FAILED"


@dataclass(frozen=True, slots=True)
class Rule:
    """What goes with a type.

    Attributes:
        status_code: an HTTP status (RFC 9110, RFC 6585).
        retry_suggestion: what to do before the same call is made again; None if it
            would only fail again.
    """

    status_code: int
    retry_suggestion: str | None = None


RULES: Final = MappingProxyType(
    {
        ErrorType.API_UNAVAILABLE: Rule(503, "Retry in 30 seconds."),
        ErrorType.NETWORK_ERROR: Rule(503, "Retry in 30 seconds."),
        ErrorType.INVALID_INPUT: Rule(400),
        ErrorType.INVALID_ADDRESS: Rule(400),
        ErrorType.INVALID_SIGNATURE: Rule(400),
        ErrorType.INSUFFICIENT_BALANCE: Rule(402),
        ErrorType.NONCE_MISMATCH: Rule(400, "Fetch fresh nonce and retry transaction."),
        ErrorType.RATE_LIMIT: Rule(429, "Retry in 60 seconds."),
        ErrorType.TRANSACTION_TIMEOUT: Rule(
            504, "The transaction may still be executed: check its status later."
        ),
        ErrorType.TRANSACTION_FAILED: Rule(400),
    }
)
"""Status and advice of each type, from the table of the requirement."""


class CircularError(EchidnaMcpError):
    """A tool of this family can't do what it was asked.

    Attributes:
        type: which of the ten failures it is.
        status_code: the HTTP status of that type.
        retry_suggestion: what to do before the call is repeated; None if repeating it
            is of no use.
        result: the code with which the node refused, None if none was involved.
    """

    def __init__(
        self,
        type_: ErrorType,
        message: str,
        *,
        retry_suggestion: str | None = None,
        result: int | None = None,
    ) -> None:
        super().__init__(message)
        self.type = type_
        self.result = result
        self.status_code = RULES[type_].status_code
        self.retry_suggestion = retry_suggestion or RULES[type_].retry_suggestion

    def __reduce__(self) -> tuple[Any, ...]:
        state = {"result": self.result, "retry_suggestion": self.retry_suggestion}
        return _again, (self.type, self.message, state)

    @property
    def retry(self) -> bool:
        """Whether the same call may succeed later."""
        return self.retry_suggestion is not None

    def body(self) -> dict[str, Any]:
        """Return the flat body of the answer: type, status_code, message, advice."""
        body: dict[str, Any] = {
            "type": self.type.value,
            "status_code": self.status_code,
            "message": self.message,
        }
        if self.retry_suggestion is not None:
            body["retry_suggestion"] = self.retry_suggestion
        return body

    def meta(self) -> dict[str, Any]:
        """Return what goes beside the body: the node's own code, if it gave one."""
        return {} if self.result is None else {"nag_result": self.result}


def _again(type_: ErrorType, message: str, state: dict[str, Any]) -> CircularError:
    return CircularError(type_, message, **state)


def invalid_input(
    message: str, *, retry_suggestion: str | None = None
) -> CircularError:
    """Return the failure of a call whose arguments or configuration are wrong."""
    return CircularError(
        ErrorType.INVALID_INPUT, message, retry_suggestion=retry_suggestion
    )


def unavailable(message: str) -> CircularError:
    """Return the failure of a service that answers, but not as it should."""
    return CircularError(ErrorType.API_UNAVAILABLE, message)
