"""What stands behind a call in a reproducer: who sends it, with what, and when.

`Vault.deposit(1) from: 0x… Value: 5 Time delay: 86400 seconds Block delay: 12`: what
reports print can be given back. Gas and gas price, which Echidna prints as well, are
those of the campaign, so they are read and mean nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from echidna_mcp.abi.signatures import syntax_error

_LABELS: Final = ("from", "Gas", "Gas price", "Value", "Time delay", "Block delay")
_PART: Final = re.compile(
    r"\s+(?P<label>[A-Za-z]+(?: [a-z]+)?):\s*(?P<value>\S+)(?: seconds?| blocks?)?",
)
_BEHIND: Final = re.compile(r"(?P<call>[\s\S]*\))(?P<rest>[^()]*)")
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{1,40}")
_NUMBER: Final = re.compile(r"0x[0-9a-fA-F]{1,64}|[0-9]{1,78}")
_MOST_VALUE: Final = (1 << 256) - 1
_MOST_DELAY: Final = (1 << 48) - 1
"""`fuzz.tables.MAX_DELAY`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What stands behind a call; None for what does not.

    Attributes:
        sender: who sends it.
        value: wei.
        time_delay, block_delay: seconds and blocks that pass before.
    """

    sender: int | None = None
    value: int | None = None
    time_delay: int | None = None
    block_delay: int | None = None


def split_circumstances(text: str) -> tuple[str, Circumstances]:
    """Return a call, and what stands behind it.

    Raises:
        CallSyntaxError: what stands behind it can't be read.
    """
    found = _BEHIND.fullmatch(text)
    if found is None or not found["rest"].strip():
        return text.rstrip(), Circumstances()
    rest = found["rest"].rstrip()
    known: dict[str, int] = {}
    at = 0
    while at < len(rest):
        part = _PART.match(rest, at)
        if part is None or part["label"] not in _LABELS:
            shown = rest[at:].strip()
            raise syntax_error(
                text,
                f"`{shown}` cannot stand behind a call; there can be `from: 0x…`, "
                "`Value: 5` (wei), `Time delay: 60 seconds` and `Block delay: 1`.",
            )
        known[part["label"]] = _read(text, part["label"], part["value"])
        at = part.end()
    return found["call"], Circumstances(
        sender=known.get("from"),
        value=known.get("Value"),
        time_delay=known.get("Time delay"),
        block_delay=known.get("Block delay"),
    )


def _read(text: str, label: str, written: str) -> int:
    pattern, most = _NUMBER, _MOST_VALUE
    meant = "a whole number"
    if label == "from":
        pattern, meant = _ADDRESS, "an address, 0x and up to 40 hex digits"
    elif label.endswith("delay"):
        most, meant = _MOST_DELAY, f"a whole number up to {_MOST_DELAY}"
    number = int(written, 0) if pattern.fullmatch(written) else most + 1
    if number > most:
        raise syntax_error(text, f"`{label}:` must be {meant}, not `{written}`.")
    return number
