"""The seam between campaign and EVM, at call level.

A backend holds one world state. It deploys, calls, takes snapshots and goes back to
them. It knows nothing of campaigns: generation, mutation and judgement happen outside.
Two backends that are given the same messages must give the same results, gas, steps and
visited program counters included; a difference is a bug in one of them.

Code is accounted for in *blocks*. A block begins at byte 0, at each JUMPDEST, and after
JUMPI, CALL, CALLCODE, DELEGATECALL, STATICCALL, CREATE, CREATE2, GAS and SSTORE. It
ends before the next one begins, after STOP, JUMP, RETURN, REVERT, SELFDESTRUCT, INVALID
or an undefined opcode, or with the code. Where control reaches a block:

1. If the stack would under- or overflow anywhere in the block: `Status.HALT`.
2. If there is less gas than the static gas of all its instructions: OUT_OF_GAS.
3. Otherwise the block is *entered*: its static gas is charged and all its instructions
   count as steps and as visited.

A block that fails its check is not entered, and does nothing. An instruction in a block
that was entered charges its dynamic gas when it runs; with too little left the frame is
OUT_OF_GAS. An undefined opcode is an instruction without static gas, and
INVALID_OPCODE when it runs. The STOP past the end of the code is no instruction.
Whether a frame fails, what it leaves behind and what it costs is the same as if every
instruction were checked on its own.

On demand a backend tells what a message compared: EQ, LT, GT, SLT, SGT, and SUB or XOR
if its result decides a jump (compilers write `==` so). That is a matter of the code: a
SUB or XOR which is followed by any number of ISZERO, one PUSH, of whatever size, and
JUMPI. An ISZERO of more than 1 compares for equality with 0, unless it is right behind
a SUB or XOR: 0 and 1 are most often the outcome of a comparison that was told. Those of
reverted frames count.

On demand a backend tells which *edges* a message took: from a JUMP or JUMPI, taken or
not, to the block that is entered next in the same frame. If none is (the target is bad,
or that block fails its check), there is no edge.

On demand a backend tells which words of storage a message accessed: what SLOAD read and
what SSTORE wrote, be it the value that was there. An opcode that faults accesses
nothing; what reverted frames accessed counts. Transient storage does not. And it tells
which *states* a message has left that succeeded (`evm.states`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, NamedTuple, Protocol, TypeAlias

from echidna_mcp.evm.cheat_settings import CheatSettings
from echidna_mcp.evm.fork import ForkName
from echidna_mcp.evm.frames import FrameResult
from echidna_mcp.evm.outside import Outside


class Status(IntEnum):
    """How a top-level message ended. The numbers are stored in coverage events."""

    STOP = 0
    """Success; the return data is not one encoded bool."""
    RETURN_TRUE = 1
    RETURN_FALSE = 2
    REVERT = 3
    OUT_OF_GAS = 4
    """Too little gas, or code or creation code beyond the limit (EIP-170, EIP-3860)."""
    INVALID_OPCODE = 5
    """Opcode 0xfe or an undefined one."""
    HALT = 6
    """Any other exceptional halt: stack bounds, bad jump, static violation, return data
    read out of bounds, code that begins with 0xEF (EIP-3541), address taken."""

    @property
    def succeeded(self) -> bool:
        """Whether state changes were kept."""
        return self <= Status.RETURN_FALSE


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockContext:
    """Block and chain as the first message sees them (Echidna's defaults).

    Time in seconds since 1970. Number, time, gas limit and chain have 64 bits, the
    coinbase 160, the others 256. Delays of messages must not lead out of 64 bits.
    """

    timestamp: int = 1524785992
    number: int = 4370000
    gas_limit: int = 0xFFFFFFFF
    coinbase: int = 0
    base_fee: int = 0
    prev_randao: int = 42069
    chain_id: int = 1
    blob_base_fee: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorization:
    """A delegation of an account to code elsewhere (EIP-7702), signature checked.

    Attributes:
        authority: who signed it; None if the signature is invalid, so that the
            authorization costs gas and does nothing.
        address: whose code it is to run; 0 ends a delegation.
        nonce: the nonce that the authority must have.
        chain_id: the chain for which it holds; 0 for every chain.
    """

    authority: int | None
    address: int
    nonce: int
    chain_id: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A call that takes the place of one that a message makes: it reenters a contract.

    What a CALL may be replaced is for Foundry 1.7.1 to say (`invariant.call_override`):
    one by or to a contract that handlers are called of, but not by the test contract or
    by the sender of the message, and not to cheatcodes. It could be made: there is
    money for the value, and it is not too deep. Its value is paid if the gas is more
    than a stipend; then the other call is made in its stead, by its callee, with that
    gas and no value. No prank is for it, but it uses up one that is for one call.

    Attributes:
        to: who is called.
        data: with what.
        after: how many calls that it could replace are made before.
        targets: the contracts of handlers, by address.
        spared: the test contract.
    """

    to: int
    data: bytes
    after: int
    targets: tuple[int, ...]
    spared: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A top-level call or, with `to` None, a deployment.

    Addresses are 160-bit integers, value is in wei. The delays advance the clock before
    the message runs, and the clock stays advanced when the message reverts. The value
    is minted: it is added to the balance of the destination and never taken from the
    sender, and gas is never paid for, so that any sender can send (as in Echidna).

    Attributes:
        access_list: (address, slots) that are warm from the start (EIP-2930).
        blob_hashes: versioned hashes that BLOBHASH gives (EIP-4844), as words.
        authorizations: delegations that are set before the message runs, and stay when
            it fails (EIP-7702). For calls from Prague on; ignored otherwise.
        override: what replaces a call that it makes; ignored in a deployment.
    """

    sender: int
    to: int | None
    data: bytes
    value: int = 0
    gas: int = 12_500_000
    gas_price: int = 0
    time_delay: int = 0
    block_delay: int = 0
    access_list: tuple[tuple[int, tuple[int, ...]], ...] = ()
    blob_hashes: tuple[int, ...] = ()
    authorizations: tuple[Authorization, ...] = ()
    override: Override | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """An EVM log. Topics are 32 bytes each."""

    address: int
    topics: tuple[bytes, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class Visit:
    """The blocks that one message entered in one code at one call depth.

    `counters` has a byte for each byte of the code: 1 for each instruction of a block
    that was entered. Depth 0 is the top-level frame. Frames deeper than 63 are not
    recorded; precompiles and accounts without code have nothing to record.
    """

    code_hash: bytes
    depth: int
    counters: bytes


class Edge(NamedTuple):
    """A way through a code: a JUMP or JUMPI, and the block that was entered after it.

    Both are program counters; frames deeper than 63 are not recorded.
    """

    code_hash: bytes
    jump: int
    target: int


class TrailBlock(NamedTuple):
    """A block that was entered: its code, its last instruction, and the call depth."""

    code_hash: bytes
    last: int
    depth: int


MOST_TRAIL: Final = 32
"""Blocks of a message that are kept in order: the last ones."""

MOST_COMPARISONS = 256
"""Comparisons of a message that are kept: the last ones."""

MOST_SLOTS = 1024
"""Slots of a message whose accesses are kept: those that were accessed first."""


class SlotValue(NamedTuple):
    """What a message has left in a word of storage.

    Attributes:
        code_hash: of the account's code.
        slot, value: number of the word, or what stands for it, or for two, in
            `evm.states`; and what is in it, or in the first of two.
    """

    code_hash: bytes
    slot: int
    value: int


Slot: TypeAlias = tuple[int, int]
"""A word of storage: the address of the account, and the slot."""


class ComparisonKind(IntEnum):
    """What was asked of two words: whether the left one is so, of the right one."""

    EQUAL = 0
    LESS = 1
    GREATER = 2
    SIGNED_LESS = 3
    """As two's complement numbers, as the next one."""
    SIGNED_GREATER = 4


class Comparison(NamedTuple):
    """A comparison of two words; `left` was the top of the stack.

    Attributes:
        site: where it was made: the size of the code times 2^32, and the program
            counter where the block begins that was entered last, in whatever frame.
    """

    kind: ComparisonKind
    left: int
    right: int
    site: int


class Refusal(NamedTuple):
    """A cheatcode that does not work.

    Attributes:
        cheatcode: its signature.
        reason: why it does not, to follow its name in a sentence.
    """

    cheatcode: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """What one message did.

    Attributes:
        status: how the top frame ended.
        output: return data or revert data; for a deployment the runtime code.
        gas_used: gas after refunds (EIP-3529), intrinsic gas included, and no less than
            the floor of EIP-7623 from Prague on. All gas if the message failed without
            REVERT, apart from refunds for authorizations.
        steps: instructions of all blocks entered, in all frames.
        logs: logs of frames that were kept, in order.
        dropped_logs: logs of frames that were reverted, in order.
        created: address of the new contract; None if the message is no deployment.
        visits: blocks entered, in order of the first one by code and depth; empty
            unless coverage was asked for.
        last: (code hash, program counter) of the last instruction of the block entered
            last, in whatever frame; None unless coverage was asked for, or if none ran.
        trail: the blocks entered last, in whatever frame, at most `MOST_TRAIL`, the
            latest last; empty unless it was asked for, and if the message succeeded.
        comparisons: the last `MOST_COMPARISONS` comparisons of all frames, in the order
            of their execution; empty unless they were asked for.
        compared: how many comparisons there were; 0 unless they were asked for.
        edges: edges taken at whatever depth, in the order of their first time; empty
            unless they were asked for.
        reads: words of storage that were read, in the order of their first time, of the
            first `MOST_SLOTS` that were accessed; empty unless they were asked for.
        writes: the same of those that were written.
        states: what is left in storage, in any order; empty unless they were asked for.
        creations: addresses of the contracts that CREATE and CREATE2 made in frames
            that were kept, in the order in which they began; empty unless they were
            asked for. Some may have no code.
        destroyed: addresses of the accounts that were deleted at its end, ascending;
            empty unless they were asked for.
        frame: its first frame, with all that it began; None unless frames were asked
            for, and can be told (`rounds.backend.BackendPlugin.reference`), or if it
            had none, for want of gas or because its address is taken.
        preimages: what was hashed, of at least a word and at most `LONGEST_PREIMAGE`
            bytes, by its hash: keys of mappings are there. As `frame`.
        refused: cheatcodes that were called and do not work, each once: what the
            message shows is not what its author wanted to test.
        failed_assertion: whether it reverted because an assertion of a cheatcode has
            failed, or has told by a flag that a test failed.
        overridden: whether there was a call that the override of the message replaced.
        reverter: in whose name the first call ran that ended in REVERT, caught or not,
            as forge 1.7.1 has it: also one for which no frame ran, and the message
            itself, but no creation, and none whose end cheatcodes have changed. None if
            there was none, if it was not asked for, or without cheatcodes.
    """

    status: Status
    output: bytes
    gas_used: int
    steps: int
    logs: tuple[Log, ...] = ()
    dropped_logs: tuple[Log, ...] = ()
    created: int | None = None
    visits: Sequence[Visit] = ()
    last: tuple[bytes, int] | None = None
    trail: tuple[TrailBlock, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    compared: int = 0
    edges: tuple[Edge, ...] = ()
    reads: tuple[Slot, ...] = ()
    writes: tuple[Slot, ...] = ()
    states: tuple[SlotValue, ...] = ()
    creations: tuple[int, ...] = ()
    destroyed: tuple[int, ...] = ()
    frame: FrameResult | None = None
    preimages: Mapping[int, bytes] = field(default_factory=dict)
    refused: tuple[Refusal, ...] = ()
    failed_assertion: bool = False
    overridden: bool = False
    reverter: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendConfig:
    """What a backend needs to know before the first message.

    Attributes:
        max_code_size: limit for runtime code in bytes (EIP-170); creation code may have
            twice as much (EIP-3860).
        cheats: how cheatcodes act (`echidna_mcp.cheatcodes`); None if there are none.
        outside: what they know of the world outside of the campaign.
    """

    block: BlockContext = BlockContext()
    max_code_size: int = 0xFFFFFFFF
    fork: ForkName = "cancun"
    cheats: CheatSettings | None = None
    outside: Outside = field(default_factory=Outside)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountState:
    """One account. `storage` has the words that are not zero, in order of the slots."""

    balance: int
    nonce: int
    code: bytes
    storage: Mapping[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What is to be reported of a message, beside its outcome.

    Attributes:
        coverage: what it visits.
        comparisons: what it compares.
        edges: from which block to which it goes; only together with `coverage`.
        trail: which blocks it enters last.
        storage: which words of storage it reads and writes.
        states: what it leaves in the first words of accounts; not of a deployment.
        mappings, pairs: also small numbers elsewhere, in two words; with `states`.
        creations: which contracts it creates; not of a deployment.
        destructions: which contracts it destroys.
        frames: its frames, and what was hashed, on an EVM that is a reference.
        sites: what these compare, and where; only with `frames`, not `comparisons`.
        reverter: who has reverted first; not of a deployment.
        known: also what a search knows already; nothing becomes known by it.
    """

    coverage: bool = False
    comparisons: bool = False
    edges: bool = False
    trail: bool = False
    storage: bool = False
    states: bool = False
    mappings: bool = False
    pairs: bool = False
    creations: bool = False
    destructions: bool = False
    frames: bool = False
    sites: bool = False
    reverter: bool = False
    known: bool = False


NOTHING: Final = Watch()


class EvmBackend(Protocol):
    """One EVM world. Not thread-safe; one instance belongs to one executor worker.

    Faults of the EVM are results of a message, never exceptions.
    """

    def deploy(
        self,
        message: Message,
        watch: Watch = NOTHING,
        *,
        address: int | None = None,
    ) -> CallResult:
        """Run creation code; at `address` if given, else where CREATE would put it.

        Only coverage, edges and frames of a deployment can be watched. One without a
        given address uses up a nonce of the sender, unless it fails; other messages
        never do. An address with code, nonce or storage is taken (EIP-7610): a HALT.
        """
        ...

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        """Run a message and keep its effects, unless it failed.

        Raises:
            CapacityError: there is no room for what the message does; nothing is
                changed but the clock. After the next `restore` there is all the room
                that there can be. `details` have `steps`, those of the message.
        """
        ...

    def snapshot(self) -> int:
        """Return a handle of the present state, clock included."""
        ...

    def restore(self, snapshot: int) -> None:
        """Go back to `snapshot`, which stays valid; later snapshots become invalid."""
        ...

    def set_balance(self, address: int, balance: int) -> None:
        """Give `address` this balance in wei."""
        ...

    def set_account(
        self,
        address: int,
        *,
        balance: int | None = None,
        nonce: int | None = None,
        code: bytes | None = None,
        storage: Mapping[int, int] | None = None,
    ) -> None:
        """Change an account from outside of any message; None keeps what there is.

        `storage` replaces all words that the account has.
        """
        ...

    def accounts(self) -> Iterable[tuple[int, AccountState]]:
        """Return all accounts that are not empty (EIP-161), by ascending address."""
        ...

    def balance(self, address: int) -> int:
        """Return the balance of `address` in wei."""
        ...

    def storage(self, address: int, slot: int) -> int:
        """Return a storage word."""
        ...

    def code(self, address: int) -> bytes:
        """Return the runtime code at `address`."""
        ...

    def code_of_hash(self, code_hash: bytes) -> bytes:
        """Return the code that a `Visit` or `Edge` of the last message names.

        Raises:
            KeyError: the message ran more codes than the backend remembers.
        """
        ...
