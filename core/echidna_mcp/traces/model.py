"""A trace: the calls of a sequence, each as a tree of what it did, in words.

Values are as `abi.render` writes them, but for addresses: those that have a name are
shown by it (`traces.names`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from echidna_mcp.evm.backend import Status
from echidna_mcp.evm.frames import FrameKind, StorageWrite


@dataclass(frozen=True, slots=True)
class Named:
    """A value of an argument or result; its name may be empty."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogTrace:
    """A log.

    Attributes:
        name: of the event; empty if no ABI has it.
        arguments: topics and data, if it has no name.
        topics: as they were emitted, 32 bytes each.
        data: likewise, what is not indexed.
    """

    name: str
    arguments: tuple[Named, ...]
    topics: tuple[bytes, ...]
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageChange:
    """A word of storage, or a variable in it, before and after a frame.

    Attributes:
        name: of the variable, as it would be written in the source; else the slot.
        before, after: values.
        write: the word in which it is.
    """

    name: str
    before: str
    after: str
    write: StorageWrite


@dataclass(frozen=True, slots=True, kw_only=True)
class DestructionTrace:
    """A self-destruct.

    Attributes:
        heir: name of who gets the money, or its address.
        address: of who that is.
        amount: wei.
    """

    heir: str
    address: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTrace:
    """A call or creation, and all that it did.

    Attributes:
        kind: what it was begun with.
        contract: name of what is called or created, or its address.
        address: of the account in whose name it runs.
        callee: of the account whose code it runs.
        caller: who sends.
        function: name of the function; `constructor` of a creation.
        arguments: what it is given.
        data: its calldata; empty for a creation.
        value: wei that come with it.
        gas_used: by it and all below, before refunds and without intrinsic gas.
        static: whether it may change nothing.
        mocked: whether a cheatcode has answered in place of what is called.
        console: what a call of the console prints, line by line; None of others.
        status: how it ended by itself.
        results: what it returned.
        output: return data or revert data; of a creation the runtime code.
        reason: why it failed; empty if it did not.
        overruled: what a cheatcode that expected something has made of that; empty if
            it has changed nothing.
        inner: what it did, in order; the storage that it changed comes last, each word
            once, and no words that have their old value again.
        hidden: frames that are too deep to be told.
    """

    kind: FrameKind
    contract: str
    address: int
    callee: int
    caller: int
    function: str
    arguments: tuple[Named, ...]
    data: bytes
    value: int
    gas_used: int
    static: bool
    mocked: bool
    console: tuple[str, ...] | None
    status: Status
    results: tuple[Named, ...]
    output: bytes
    reason: str
    overruled: str
    inner: tuple[Inner, ...] = ()
    hidden: int = 0

    @property
    def creates(self) -> bool:
        """Whether it is a creation."""
        return self.kind in ("create", "create2")


Inner: TypeAlias = CallTrace | LogTrace | StorageChange | DestructionTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """Where in the source something is: path and number of the line, from 1.

    Attributes:
        around: (number, text) of the line and its neighbours.
    """

    path: str
    line: int
    around: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageTrace:
    """A message of a trace.

    Attributes:
        call: what it did; None if no frame ran.
        sender: who sends it.
        time_delay, block_delay: seconds and blocks that pass before.
        status: how it ended.
        gas_used: with intrinsic gas, and after refunds.
        failure: where it failed, and from where that was called, the innermost place
            first; empty if it did not, or if nothing is known of that.
    """

    call: CallTrace | None
    sender: int
    time_delay: int
    block_delay: int
    status: Status
    gas_used: int
    failure: tuple[SourceLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What a sequence does, and the test that is judged at its end.

    Attributes:
        subject: the test, or which sequence of the corpus it is.
        reason: why the test fails, as the reference says; empty if it does not.
        confirmation: what the reference has said when the sequence was found, and is
            stored with it; empty if nothing is.
        deployment: what came before: constructors, `setUp()`, steps.
        messages: the calls of the sequence; None for one that is for a contract that
            the sequence has not created, so that it is left out.
        question: the call by which the test is judged, if it is judged by one.
    """

    subject: str
    reason: str
    deployment: tuple[MessageTrace, ...]
    messages: tuple[MessageTrace | None, ...]
    question: MessageTrace | None
    confirmation: str = ""
