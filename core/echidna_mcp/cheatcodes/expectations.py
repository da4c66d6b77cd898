"""`expectRevert` and `expectEmit`: what must still happen, and whether it did.

`assumeNoRevert` as well, which compares reverts by the same rules.

Source: Foundry, `crates/cheatcodes/src/test/expect.rs`, `test/assume.rs`,
`test/revert_handlers.rs`, and `inspector.rs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from echidna_mcp.abi.codec import CodecError, decode
from echidna_mcp.abi.foundry_text import address_text, hex_text, shown
from echidna_mcp.abi.types import parse_tuple, type_name
from echidna_mcp.cheatcodes.calls import unmade_call, unmade_creation
from echidna_mcp.cheatcodes.errors import (
    ASSUME,
    CHEATCODE_ERROR,
    ERROR,
    CheatError,
    encode_text,
)
from echidna_mcp.cheatcodes.held import (
    ExpectedEmit,
    ExpectedRevert,
    Held,
    PotentialRevert,
)
from echidna_mcp.cheatcodes.host import Answer, Ended
from echidna_mcp.evm.cheat_settings import CheatSettings

_BYTES: Final = parse_tuple("(bytes)")
DUMMY_OUTPUT: Final = bytes(8192)
"""What a call returns that has reverted as expected."""
DUMMY_ADDRESS: Final = 1
"""What a creation gives that has."""
_UNHAPPY: Final = (
    "expected an emit, but the call reverted instead. ensure you're testing the happy "
    "path when using `expectEmit`"
)


def failed(text: str) -> Answer:
    """Return a revert with a message of a cheatcode."""
    return Answer(ok=False, output=CheatError(text).output)


def failed_plainly(text: str) -> Answer:
    """Return a revert whose data are a string, without a selector."""
    return Answer(ok=False, output=encode_text(text))


# ---------------------------------------------------------------------- expectRevert


def check_revert(held: Held, settings: CheatSettings, end: Ended) -> Answer | None:
    """Compare the end of a call with the revert that is expected."""
    expected = held.expected_revert
    if expected is None:
        return None
    if end.depth and end.depth + 1 > expected.deepest:
        expected = held.expected_revert = replace(expected, deepest=end.depth + 1)
    if (
        not end.ok
        and expected.reverter is not None
        and (expected.reverted_by is None or expected.count > 1)
    ):
        expected = held.expected_revert = replace(expected, reverted_by=end.address)
    if end.depth > expected.depth:
        return None
    held.expected_revert = None
    try:
        _match_revert(expected, settings, end)
    except CheatError as error:
        return Answer(ok=False, output=error.output)
    seen = expected.seen + 1
    if seen < expected.count:
        held.expected_revert = replace(expected, seen=seen)
    return Answer(ok=True, output=b"" if end.creates else DUMMY_OUTPUT)


def _match_revert(
    expected: ExpectedRevert, settings: CheatSettings, end: Ended
) -> None:
    """Raise CheatError if a call has not ended as expected."""
    internal = settings.internal_expect_revert
    if not internal and expected.deepest <= expected.depth:
        raise CheatError(
            "call didn't revert at a lower depth than cheatcode call depth"
        )
    if expected.count == 0:
        _match_none(expected, settings, end)
        return
    if end.ok:
        raise CheatError("next call did not revert as expected")
    _compare_revert(expected, expected.reverted_by, end.output, settings)


def _compare_revert(
    wanted: ExpectedRevert | PotentialRevert,
    reverted_by: int | None,
    output: bytes,
    settings: CheatSettings,
) -> None:
    """Raise CheatError if a revert is another one than is wanted."""
    if None not in (wanted.reverter, reverted_by) and wanted.reverter != reverted_by:
        texts = address_text(reverted_by or 0), address_text(wanted.reverter or 0)
        raise CheatError(f"Reverter != expected reverter: {texts[0]} != {texts[1]}")
    data = wanted.data
    if data is None:
        return
    if data and not output:
        raise CheatError("call reverted as expected, but without data")
    if wanted.partial and output[:4] == data[:4]:
        return
    if _inner(output) != _inner(data):
        texts = _shown(output, settings), _shown(data, settings)
        raise CheatError(f"Error != expected error: {texts[0]} != {texts[1]}")


def _match_none(expected: ExpectedRevert, settings: CheatSettings, end: Ended) -> None:
    """Raise CheatError if a call has reverted that must not."""
    if end.ok:
        return
    how = ""
    if expected.data is not None:
        how = f" with '{_shown(end.output, settings)}'"
    elif expected.reverter is not None:
        if expected.reverter != expected.reverted_by:
            return
        how = f" from address {address_text(expected.reverter)}"
    raise CheatError(f"call reverted{how} when it was expected not to revert")


def _inner(output: bytes) -> bytes:
    """Return the text of an error that is one, else the revert data as they are."""
    if output[:4] in (ERROR, CHEATCODE_ERROR):
        try:
            (text,) = decode(_BYTES, output[4:])
        except CodecError:
            return output
        assert isinstance(text, bytes), "that is its type"
        return text
    return output


def _shown(data: bytes, settings: CheatSettings) -> str:
    """Return revert data as people read them."""
    inner = _inner(data)
    if inner != data:
        return inner.decode("utf-8", "replace")
    text = _error_text(data, settings)
    if text is not None:
        return text
    plain = data.decode("utf-8", "replace")
    return hex_text(data) if "\ufffd" in plain else plain


def _error_text(data: bytes, settings: CheatSettings) -> str | None:
    """Return the error of the project that revert data encode; None for none."""
    for selector, name, types in settings.errors:
        if data[:4] == selector:
            inputs = parse_tuple(types)
            try:
                values = decode(inputs, data[4:])
            except CodecError:
                continue
            texts = map(shown, values, map(type_name, inputs.members))
            return f"{name}({', '.join(texts)})"
    return None


# -------------------------------------------------------------------- assumeNoRevert


def check_assumption(held: Held, settings: CheatSettings, end: Ended) -> Answer | None:
    """Return how a call ends that was assumed not to revert, if it has.

    Creations may, and so may calls that halt; these end the assumption.
    """
    assumed = held.assumed_no_revert
    if assumed is None or end.creates:
        return None
    reverts = not (end.ok or end.halted)
    if reverts and assumed.reverted_by is None:
        assumed = held.assumed_no_revert = replace(assumed, reverted_by=end.address)
    if end.depth > assumed.depth:
        return None
    held.assumed_no_revert = None
    if not reverts:
        return None
    for each in assumed.potential:
        try:
            _compare_revert(each, assumed.reverted_by, end.output, settings)
        except CheatError:
            continue
        return Answer(ok=False, output=ASSUME)
    return None if assumed.potential else Answer(ok=False, output=ASSUME)


# ------------------------------------------------------------------------ expectEmit


def match_log(
    held: Held, address: int, topics: tuple[int, ...], data: bytes
) -> str | None:
    """Compare a log with those that are expected.

    Returns:
        Why the frame that emits it must revert; None if it need not.
    """
    queue = list(held.expected_emits)
    if not queue or all(each.found for each in queue):
        return None
    log = (topics, data)
    for each in queue:
        if each.count == 0 and not each.found and _matches(each, address, log):
            return "log emitted but expected 0 times"
    if any(each.log is None for each in queue):
        first_found = next((i for i, e in enumerate(queue) if e.found), len(queue))
        at = max(0, first_found - 1)
    else:
        waiting = (i for i, e in enumerate(queue) if not e.found and e.count)
        at = next(waiting, -1)
        if at < 0:
            return None
    expected = queue.pop(at)
    if expected.log is None:
        if not expected.anonymous and not topics:
            return "use vm.expectEmitAnonymous to match anonymous events"
        queue.insert(at, replace(expected, log=log))
    elif _fits(expected, log):
        seen = dict(expected.seen or {})
        seen[address] = seen.get(address, 0) + 1
        wanted = expected.address
        right = wanted is None or wanted == address
        found = right and seen[address if wanted is None else wanted] == expected.count
        mismatch = ""
        if not right:
            mismatch = (
                f"log emitter mismatch: expected=0x{wanted:040x}, got=0x{address:040x}"
            )
        expected = replace(expected, seen=seen, found=found, mismatch=mismatch)
        queue.insert(len(queue) if found else 0, expected)
    else:
        queue.insert(0, replace(expected, mismatch=_mismatch(expected, log)))
    held.expected_emits = tuple(queue)
    return None


def _matches(
    expected: ExpectedEmit, address: int, log: tuple[tuple[int, ...], bytes]
) -> bool:
    return (
        expected.log is not None
        and expected.address in (None, address)
        and _fits(expected, log)
    )


def _fits(expected: ExpectedEmit, log: tuple[tuple[int, ...], bytes]) -> bool:
    """Whether topics and data are as in the example, where that is checked."""
    assert expected.log is not None, "it is compared when it is known"
    topics, data = expected.log
    found, found_data = log
    if len(topics) != len(found):
        return False
    *checks, check_data = expected.checks
    same = all(
        a == b or not check for a, b, check in zip(topics, found, checks, strict=False)
    )
    return same and (data == found_data or not check_data)


def _mismatch(expected: ExpectedEmit, log: tuple[tuple[int, ...], bytes]) -> str:
    """Return in which parameter a log differs; nothing if it is of another kind."""
    assert expected.log is not None, "it is compared when it is known"
    topics, data = expected.log
    found, found_data = log
    if topics[:1] != found[:1] or len(topics) != len(found):
        return ""
    pairs = [*zip(topics[1:], found[1:], strict=True)]
    pairs += zip(_words(data), _words(found_data), strict=False)
    for number, (wanted, got) in enumerate(pairs):
        if wanted != got:
            return (
                f"log mismatch at param {number}: expected=0x{wanted:064x}, "
                f"got=0x{got:064x}"
            )
    return ""


def _words(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + 32], "big") for at in range(0, len(data), 32)]


def check_emits(held: Held, end: Ended) -> Answer | None:
    """Compare what a call has emitted with what its caller expects."""
    expected = held.expected_emits
    if end.static or not any(each.depth == end.depth for each in expected):
        return None
    unseen = _unseen(expected)
    if unseen is not None:
        return failed_plainly(_missing(unseen, end))
    held.expected_emits = ()
    return None


def _missing(expected: ExpectedEmit, end: Ended) -> str:
    if not end.ok:
        return _UNHAPPY
    return expected.mismatch or "log != expected log"


def check_rest(held: Held, end: Ended) -> Answer | None:
    """Say at the end of a message what has not happened."""
    calls, emits = held.expected_calls, held.expected_emits
    creations = held.expected_creates
    held.expected_calls, held.expected_emits = (), ()
    held.expected_creates = ()
    if not end.ok:
        return None
    unmade = unmade_call(calls)
    if unmade is not None:
        return failed(unmade)
    if _unseen(emits) is not None:
        return failed(
            "expected an emit, but no logs were emitted afterwards. you might have "
            "mismatched events or not enough events were emitted"
        )
    unmade = unmade_creation(creations)
    return None if unmade is None else failed(unmade)


def _unseen(emits: Sequence[ExpectedEmit]) -> ExpectedEmit | None:
    """Return the first one that must still be emitted."""
    return next((each for each in emits if each.count and not each.found), None)
