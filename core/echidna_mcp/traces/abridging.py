"""Traces that fit into an answer: what is left out is counted where it stood."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

_LONG_TEXT: Final = 2_000
_SHORT_TEXT: Final = 120
"""Characters of a value."""
_DEPTHS: Final = (64, 16, 8, 5, 3, 2, 1)
"""Levels of calls that are tried to be kept, most first."""
_MOST_INNER: Final = 40
"""Things that one call did, of which no more are kept once something has to go."""
_LEAST: Final = 40
"""No thing that a call did takes less bytes of JSON."""
_LEAVES: Final = ("log", "storage", "selfdestruct", "omitted")


def abridged(
    document: dict[str, Any], room: int, size: Callable[[object], int]
) -> dict[str, Any]:
    """Return a trace that takes no more than `room`.

    What is too much goes in this order: the ends of long values; calls below a depth,
    and the middle of what one call did; the middle of the sequence, for what fails does
    so at its end.

    Args:
        document: as `trace_document` makes it.
        room: bytes of it as JSON.
        size: measures JSON values.

    Returns:
        The same form. Where something is missing in what a call did, there is instead
        `{"kind": "omitted", "count": n}`; `leftOut` is a sentence on all that is
        missing, null if nothing is.
    """
    attempts: list[tuple[int, int | None, int]]
    attempts = [(_DEPTHS[0], None, _LONG_TEXT), (_DEPTHS[0], None, _SHORT_TEXT)]
    attempts += [(depth, _MOST_INNER, _SHORT_TEXT) for depth in _DEPTHS]
    for depth, most, text in attempts:
        # To measure what is far too large would take long.
        if most is None and sum(1 for _ in _things(document)) * _LEAST > room:
            continue
        found = _cut(document, depth, most, text)
        if size(found) <= room:
            return {**found, "leftOut": _sentence(found) or None}
    found = _cut(document, 1, 2, _SHORT_TEXT)
    calls, kept = found["calls"], len(found["calls"])
    while kept > 1 and size(found) > room:
        kept //= 2
        found["calls"] = [*calls[: kept // 2], *calls[len(calls) - kept + kept // 2 :]]
    gone = len(calls) - len(found["calls"])
    return {
        **found,
        "leftOut": f"{gone} calls of the sequence are left out. {_sentence(found)}",
    }


def _cut(
    document: dict[str, Any], depth: int, most: int | None, text: int
) -> dict[str, Any]:
    def message(each: dict[str, Any] | None) -> dict[str, Any] | None:
        if each is None or each["trace"] is None:
            return each
        return {**each, "trace": _call(each["trace"], depth, most, text)}

    return {
        **document,
        "calls": [message(each) for each in document["calls"]],
        "question": message(document["question"]),
    }


def _call(
    call: dict[str, Any], depth: int, most: int | None, text: int
) -> dict[str, Any]:
    everything = call["inner"]
    inner = everything
    if depth <= 1:
        inner = [each for each in inner if each["kind"] in _LEAVES]
    if most is not None and len(inner) > most:
        half = most // 2
        inner = [*inner[:half], None, *inner[len(inner) - half :]]
    elif len(inner) < len(everything):
        inner = [*inner, None]
    gone = len(everything) - sum(each is not None for each in inner)
    marker = {"kind": "omitted", "count": gone}
    return {
        **call,
        "arguments": _values(call["arguments"], text),
        "results": _values(call["results"], text),
        "inner": [
            marker if each is None else _inner(each, depth - 1, most, text)
            for each in inner
        ],
    }


def _inner(
    each: dict[str, Any], depth: int, most: int | None, text: int
) -> dict[str, Any]:
    match each["kind"]:
        case "omitted" | "selfdestruct":
            return each
        case "log":
            return {**each, "arguments": _values(each["arguments"], text)}
        case "storage":
            before, after = _short(each["before"], text), _short(each["after"], text)
            return {**each, "before": before, "after": after}
        case _:
            return _call(each, depth, most, text)


def _values(values: list[dict[str, str]], most: int) -> list[dict[str, str]]:
    return [{**each, "value": _short(each["value"], most)} for each in values]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _sentence(document: dict[str, Any]) -> str:
    """Return what is missing in what calls did; empty if nothing is."""
    gone = sum(
        each["count"] if each["kind"] == "omitted" else each.get("hidden", 0)
        for each in _things(document)
    )
    things = "1 thing" if gone == 1 else f"{gone} things"
    return f"{things} that calls did {_are(gone)} left out." if gone else ""


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _things(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all calls, and all else that they did."""
    messages = [*document["calls"], document["question"]]
    pending = [each["trace"] for each in messages if each and each["trace"]]
    while pending:
        each = pending.pop()
        yield each
        pending += each.get("inner", ())
