"""What the cheatcodes of an EVM remember between calls, and how it goes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from echidna_mcp.cheatcodes.host import EnvField
from echidna_mcp.evm.backend import AccountState


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedRevert:
    """A call that must revert (`expectRevert`).

    Attributes:
        depth: of the frame that expects it.
        deepest: of the deepest frame that was called since.
        data: revert data that are expected; None for any.
        partial: whether only their first four bytes count.
        reverter: who must revert; None for anybody.
        reverted_by: who has.
        count: how many calls must; with 0 none may.
        seen: how many have.
    """

    depth: int
    deepest: int
    data: bytes | None = None
    partial: bool = False
    reverter: int | None = None
    reverted_by: int | None = None
    count: int = 1
    seen: int = 0


@dataclass(frozen=True, slots=True)
class PotentialRevert:
    """A revert for which `assumeNoRevert` discards the call that runs.

    Attributes:
        data: revert data, or a text.
        partial: whether only their first four bytes count.
        reverter: who reverts; None for anybody.
    """

    data: bytes
    partial: bool
    reverter: int | None


@dataclass(frozen=True, slots=True)
class AssumedNoRevert:
    """A call that is assumed not to revert (`assumeNoRevert`).

    Attributes:
        depth: of the frame that assumes it.
        potential: reverts that are meant; none for any.
        reverted_by: who was the first to revert since.
    """

    depth: int
    potential: tuple[PotentialRevert, ...]
    reverted_by: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedEmit:
    """A log that must be emitted (`expectEmit`).

    Attributes:
        depth: of the frame that expects it.
        checks: whether topic 0 to 3 and the data must be equal.
        address: who must emit it; None for anybody.
        anonymous: whether topic 0 is no signature.
        count: how many times; with 0 never.
        log: topics and data, as soon as the expecting frame has emitted an example.
        found: whether it was emitted as many times.
        seen: by emitter, how many times.
        mismatch: how the log differs that was compared last.
    """

    depth: int
    checks: tuple[bool, bool, bool, bool, bool]
    address: int | None = None
    anonymous: bool = False
    count: int = 1
    log: tuple[tuple[int, ...], bytes] | None = None
    found: bool = False
    seen: Mapping[int, int] | None = None
    mismatch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCall:
    """A call that must be made (`expectCall`).

    Attributes:
        address: whose code must be called.
        data: what the calldata must begin with.
        value: wei; None for any.
        gas, min_gas: that the callee gets, and the least of it; None for any.
        count: how many times; None for no less than `at_least`.
        seen: how many times it was.
    """

    address: int
    data: bytes
    value: int | None = None
    gas: int | None = None
    min_gas: int | None = None
    count: int | None = None
    at_least: int = 1
    seen: int = 0


@dataclass(frozen=True, slots=True)
class ExpectedCreate:
    """A contract that must be created (`expectCreate`).

    Attributes:
        code: its runtime code.
        creator: who must create it.
        salted: whether by CREATE2.
    """

    code: bytes
    creator: int
    salted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Mock:
    """Answers to calls, in place of the code of an account (`mockCall`).

    Attributes:
        address: of the account.
        data: what the calldata must begin with.
        value: wei; None for any.
        answers: whether each call succeeds, and its output; the last one stays.
    """

    address: int
    data: bytes
    value: int | None
    answers: tuple[tuple[bool, bytes], ...]


@dataclass(frozen=True, slots=True)
class Accesses:
    """Storage words that were read and written, with repetitions (`record`)."""

    reads: tuple[tuple[int, int], ...] = ()
    writes: tuple[tuple[int, int], ...] = ()

    def with_access(self, address: int, slot: int, *, written: bool) -> Accesses:
        """Return the same and one more; a write reads, too."""
        place = ((address, slot),)
        writes = self.writes + place if written else self.writes
        return Accesses(self.reads + place, writes)


@dataclass(frozen=True, slots=True)
class Noted:
    """A hash of two words, or a write, while mappings are recorded.

    Attributes:
        before: what was noted before it.
        address: of the account that did it.
        slot: the hash, or the slot that was written.
        key, parent: the words that were hashed; None for a write.
    """

    before: Noted | None
    address: int
    slot: int
    key: int | None = None
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class WorldSnapshot:
    """A world as `snapshotState` keeps it."""

    accounts: Mapping[int, AccountState]
    env: Mapping[EnvField, int]
    excess_blob_gas: int
    block_hashes: Mapping[int, int]


class Held:
    """All of it. Values are never changed, only replaced, so that each can come back.

    Attributes:
        labels: names of addresses.
        environment: variables that were set.
        expected_revert, expected_emits, expected_calls, expected_creates: what must
            still happen.
        assumed_no_revert: what must not happen in a run that counts.
        mocks, mocked_functions: calls that are answered, or run other code:
            (account, what calldata begin with) to whose code runs.
        recorded_logs: (topics, data, emitter) since `recordLogs`; None before.
        accesses: since `record`; None before.
        last_accesses: what `accesses` tells after `stopRecord`.
        maps: whether mappings are recorded.
        noted: the newest of what was noted for that.
        snapshots: by number.
        drawn: random words that were drawn since the seed was set.
        seed: of the random words; None for that of the settings.
        serialized: objects of JSON that are put together, by their names: the members
            by their keys, as texts.
        read_files: how many bytes of a file `readLine` has read, by path.
        keys: private keys by address that were remembered.
        gas_price: of all messages from now on; None leaves it to them.
        blob_hashes: the same of their blobs.
        block_hashes: those that were set, by number of the block.
        excess_blob_gas: what `blobBaseFee` has set.
        failed_flag: whether a test has said that it failed, as ds-test does.
    """

    labels: Mapping[int, str]
    environment: Mapping[str, str]
    expected_revert: ExpectedRevert | None
    expected_emits: tuple[ExpectedEmit, ...]
    expected_calls: tuple[ExpectedCall, ...]
    expected_creates: tuple[ExpectedCreate, ...]
    assumed_no_revert: AssumedNoRevert | None
    mocks: tuple[Mock, ...]
    mocked_functions: Mapping[tuple[int, bytes], int]
    recorded_logs: tuple[tuple[tuple[int, ...], bytes, int], ...] | None
    accesses: Accesses | None
    last_accesses: Accesses | None
    maps: bool
    noted: Noted | None
    snapshots: tuple[WorldSnapshot | None, ...]
    drawn: int
    seed: int | None
    serialized: Mapping[str, Mapping[str, str]]
    read_files: Mapping[bytes, int]
    keys: Mapping[int, int]
    failed_flag: bool
    gas_price: int | None
    blob_hashes: tuple[int, ...] | None
    block_hashes: Mapping[int, int]
    excess_blob_gas: int

    def __init__(self) -> None:
        values: dict[str, Any] = {
            "labels": {},
            "environment": {},
            "expected_revert": None,
            "expected_emits": (),
            "expected_calls": (),
            "expected_creates": (),
            "assumed_no_revert": None,
            "mocks": (),
            "mocked_functions": {},
            "recorded_logs": None,
            "accesses": None,
            "last_accesses": None,
            "maps": False,
            "noted": None,
            "snapshots": (),
            "drawn": 0,
            "seed": None,
            "serialized": {},
            "read_files": {},
            "keys": {},
            "failed_flag": False,
            "gas_price": None,
            "blob_hashes": None,
            "block_hashes": {},
            "excess_blob_gas": 0,
        }
        self.__dict__.update(values)
        self.__dict__["_undo"] = []

    def __setattr__(self, name: str, value: Any) -> None:
        known = self.__dict__
        known["_undo"].append((name, known[name]))
        known[name] = value

    @property
    def records_storage(self) -> bool:
        """Whether frames have to tell what words they read, write and hash."""
        return self.maps or self.accesses is not None

    def mark(self) -> int:
        """Return a handle of the present values."""
        undo: list[tuple[str, Any]] = self.__dict__["_undo"]
        return len(undo)

    def restore(self, mark: int) -> None:
        """Go back to them."""
        known = self.__dict__
        undo: list[tuple[str, Any]] = known["_undo"]
        while len(undo) > mark:
            name, value = undo.pop()
            known[name] = value
