"""Cheatcodes on a machine: what it asks (`ASK_*`), and what they do to its world."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

from echidna_mcp.cheatcodes import pranks
from echidna_mcp.cheatcodes.cheats import Hook
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers import make_cheats
from echidna_mcp.cheatcodes.host import (
    Answer,
    CallKind,
    Creation,
    Ended,
    EnvField,
    MadeCall,
    Site,
)
from echidna_mcp.evm.backend import AccountState
from echidna_mcp.evm.fork import FORKS, ForkName
from echidna_mcp.kernel.language.memory import MASK64, load64, peek256
from echidna_mcp_plugins.native.code.programs import intern_code
from echidna_mcp_plugins.native.frames.frames import BY_SALT, align_memory
from echidna_mcp_plugins.native.host import world
from echidna_mcp_plugins.native.state import accounts, storage
from echidna_mcp_plugins.native.state.lasting import (
    set_lasting_balance,
    set_lasting_nonce,
)
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_STORAGE,
    ANSWERED,
    ASK_BLOB_HASH,
    ASK_BLOCK_HASH,
    ASK_CALL,
    ASK_CHEAT,
    ASK_ENDED,
    ASK_HASHED,
    ASK_LOG,
    ASK_READ,
    ASK_RESTORE,
    ASK_SAVE,
    ASK_WRITTEN,
    ASSERTION_TOLD,
    CREATES,
    FAULT_CAPACITY,
    FAULT_NONE,
    FULL_MEMORY,
    LOG_ADDRESS,
    LOG_DATA,
    LOG_SIZE,
    LOG_TOPIC,
    LOG_TOPICS,
    OWN_HOOKS,
    RECORDED,
    REPLACED,
    Machine,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from echidna_mcp.evm.backend import BackendConfig
    from echidna_mcp.evm.cheat_settings import CheatSettings
    from echidna_mcp.evm.outside import Outside

_KINDS: tuple[CallKind, ...] = ("call", "callcode", "delegatecall", "staticcall")
"""By the numbers of `opcodes.calls`."""
_FIELDS: Mapping[EnvField, str] = {
    "timestamp": "timestamp",
    "number": "block_number",
    "base_fee": "base_fee",
    "blob_base_fee": "blob_base_fee",
    "chain_id": "chain_id",
    "coinbase": "coinbase",
    "prev_randao": "prev_randao",
    "gas_price": "gas_price",
}
"""Fields of the machine."""
_KEPT = ("base_fee", "blob_base_fee", "chain_id", "coinbase", "prev_randao")
"""Those that go back with snapshots, the clock not counted."""


_TWO_WORDS = 64

_STORAGE = int(Hook.STORAGE)


class Kept(NamedTuple):
    """What goes back with snapshots beside the journal and the clock."""

    held: int
    pranks: bytes
    env: tuple[int, ...]


class MachineCheats:
    """The cheatcodes of a machine; it does not keep the machine alive.

    Attributes:
        cheats: what they do.
        known: cheatcodes of which the campaign knows that they are refused, and in
            messages with which selector.
    """

    def __init__(
        self, machine: Machine, settings: CheatSettings, outside: Outside
    ) -> None:
        self._machine = weakref.ref(machine)
        self.cheats = make_cheats(MachineHost(machine), settings, outside)
        self.known: frozenset[tuple[str, bytes]] = frozenset()
        machine.pranks.dies = int(pranks.die_with_frames(settings.dialect))
        self._kept: dict[int, Kept] = {}
        self._message = 0
        self._asked: dict[int, Callable[[Machine], int]] = {
            ASK_CHEAT: self._obey,
            ASK_CALL: self._begin_call,
            ASK_ENDED: self._end,
            ASK_LOG: self._log,
            ASK_READ: self._read,
            ASK_WRITTEN: self._write,
            ASK_SAVE: self._save,
            ASK_RESTORE: self._restore,
            ASK_HASHED: self._hash,
            ASK_BLOCK_HASH: self._block_hash,
            ASK_BLOB_HASH: self._blob_hash,
        }

    def ask(self, number: int) -> int:
        """Answer what the machine asks."""
        m = self._machine()
        assert m is not None, "only a machine that lives can ask"
        return self._asked[number](m)

    # ------------------------------------------------------------ going back and forth

    def kept(self) -> Kept:
        """Return what there is now."""
        m = self._machine()
        assert m is not None, "as above"
        size = m.pranks.count * pranks.PRANK_ROW
        env = tuple(getattr(m, name) for name in _KEPT)
        return Kept(self.cheats.mark(), bytes(m.pranks.rows[:size]), env)

    def go_back(self, kept: Kept) -> None:
        """Make it what it was."""
        m = self._machine()
        assert m is not None, "as above"
        if kept == self.kept():
            return
        m.cheated += 1
        self.cheats.restore(kept.held)
        m.pranks.changes += 1
        m.pranks.count = len(kept.pranks) // pranks.PRANK_ROW
        m.pranks.rows[: len(kept.pranks)] = kept.pranks
        for name, value in zip(_KEPT, kept.env, strict=True):
            if getattr(m, name) != value:
                setattr(m, name, value)
                m.env_stamp += 1
        self._refresh(m)

    def keep(self, number: int) -> None:
        """Keep what there is now as a number that compiled code knows."""
        self._kept[number] = self.kept()

    def _save(self, m: Machine) -> int:
        self.keep(m.asked_start)
        return 0

    def _restore(self, m: Machine) -> int:
        self.go_back(self._kept[m.asked_start])
        return 0

    def _refresh(self, m: Machine) -> None:
        """Make compiled code tell what has to be told now."""
        hooks = int(self.cheats.hooks)
        m.hooks = hooks | m.hooks & OWN_HOOKS
        recorded = RECORDED if hooks & _STORAGE else 0
        m.watching = m.watching & ~RECORDED & MASK64 | recorded
        price = self.cheats.held.gas_price
        if price is not None:
            m.forced_price = price

    def _heard(self, m: Machine, before: int) -> None:
        """Take note of what is remembered of something that was told."""
        if self.cheats.mark() != before:
            m.cheated += 1
            self._refresh(m)

    # ------------------------------------------------------------------------- asked

    def _obey(self, m: Machine) -> int:
        if m.number != self._message:
            self._message = m.number
            self.cheats.begin_message()
        data = bytes(m.memory[m.asked_start : m.asked_start + m.asked_size])
        before = self.cheats.mark(), m.env_stamp
        answer = self.cheats.answer(Site(m.told_depth, m.address), data)
        if m.fault != FAULT_NONE:
            return 0
        if before != (self.cheats.mark(), m.env_stamp):
            m.cheated += 1
        self._refresh(m)
        if isinstance(answer, Creation):
            _give(m, answer.code)
            m.told_value = answer.value
            m.told_kind = int(answer.salt is not None)
            m.told_code = answer.salt or 0
            return CREATES
        selector = bytes(m.memory[:4])  # Of the message: there its calldata begin.
        if self.cheats.outside.missing is not None or any(
            (each, selector) not in self.known for each in self.cheats.refused
        ):
            m.novel = 1
        m.refused = int(bool(self.cheats.refused))
        if self.cheats.failures or self.cheats.flagged:
            m.assertion |= ASSERTION_TOLD
        return _answer(m, answer)

    def _begin_call(self, m: Machine) -> int:
        call = MadeCall(
            depth=m.told_depth,
            kind=_KINDS[m.told_kind],
            address=m.told_address,
            code=m.told_code,
            value=m.told_value,
            gas=m.asked_gas,
            data=bytes(m.memory[m.asked_start : m.asked_start + m.asked_size]),
            static=bool(m.told_static),
        )
        before = self.cheats.mark()
        answer = self.cheats.before_call(call)
        self._heard(m, before)
        if answer is None:
            return 0
        if isinstance(answer, int):
            m.told_row = accounts.find_account(m, answer)
            return REPLACED
        return _answer(m, answer)

    def _end(self, m: Machine) -> int:
        before = self.cheats.mark()
        answer = self.cheats.ended(
            Ended(
                depth=m.told_depth,
                address=m.told_address,
                creates=bool(m.told_creates),
                static=bool(m.told_static),
                ok=bool(m.told_ok),
                output=bytes(m.returned[: m.returned_size]),
                halted=bool(m.told_halted),
                creator=m.told_sender if m.told_creates else 0,
                salted=m.told_creates == BY_SALT,
            )
        )
        self._heard(m, before)
        return 0 if answer is None else _answer(m, answer)

    def _log(self, m: Machine) -> int:
        row = m.told_row
        count, size = load64(m.logs, row + LOG_TOPICS), load64(m.logs, row + LOG_SIZE)
        topics = tuple(peek256(m.logs, row + LOG_TOPIC + 32 * i) for i in range(count))
        data = bytes(m.logs[row + LOG_DATA : row + LOG_DATA + size])
        address = peek256(m.logs, row + LOG_ADDRESS)
        before = self.cheats.mark()
        reason = self.cheats.logged(address, topics, data)
        self._heard(m, before)
        if reason is None:
            return 0
        output = CheatError(reason).output
        start = align_memory(m.memory_base + m.memory_size)
        if start + len(output) > m.memory_limit:
            m.fault, m.full = FAULT_CAPACITY, FULL_MEMORY
            return 0
        m.memory[start : start + len(output)] = output
        m.output_start, m.output_size = start, len(output)
        return 1

    def _read(self, m: Machine) -> int:
        self.cheats.accessed(m.told_address, m.told_value, written=False)
        m.cheated += 1
        return 0

    def _write(self, m: Machine) -> int:
        self.cheats.accessed(m.told_address, m.told_value, written=True)
        m.cheated += 1
        return 0

    def _hash(self, m: Machine) -> int:
        words = bytes(m.memory[m.asked_start : m.asked_start + _TWO_WORDS])
        before = self.cheats.mark()
        self.cheats.hashed(m.address, words, m.told_value)
        self._heard(m, before)
        return 0

    def _block_hash(self, m: Machine) -> int:
        m.told_value = self.cheats.block_hash(m.told_code, m.told_value)
        return 0

    def _blob_hash(self, m: Machine) -> int:
        m.told_value = self.cheats.blob_hash(m.told_code, m.told_value)
        return 0


def _answer(m: Machine, answer: Answer) -> int:
    _give(m, answer.output)
    m.told_ok = int(answer.ok)
    return ANSWERED


def _give(m: Machine, output: bytes) -> None:
    """Make something the return data."""
    if len(output) > len(m.returned):
        m.fault, m.full = FAULT_CAPACITY, FULL_MEMORY
        return
    m.returned[: len(output)] = output
    m.returned_size = len(output)


class MachineHost:
    """`CheatHost` on a machine; a buffer that gets full is its fault."""

    def __init__(self, machine: Machine) -> None:
        self._held = weakref.ref(machine)

    @property
    def _m(self) -> Machine:
        machine = self._held()
        assert machine is not None, "only a machine that lives can ask"
        return machine

    @property
    def pranks(self) -> pranks.Pranks:
        """In whose name calls are made."""
        return self._m.pranks

    @property
    def fork(self) -> ForkName:
        """The rules by which it runs."""
        return FORKS[self._m.fork]

    @property
    def origin(self) -> int:
        """Who sent the message."""
        return self._m.origin

    def env(self, field: EnvField) -> int:
        """Return what block and chain are now."""
        return cast("int", getattr(self._m, _FIELDS[field]))

    def set_env(self, field: EnvField, value: int) -> None:
        """Change it."""
        m, name = self._m, _FIELDS[field]
        if field in ("timestamp", "number"):
            setattr(m, name, value & MASK64)
        elif getattr(m, name) != value:
            setattr(m, name, value)
            m.env_stamp += 1

    def balance(self, address: int) -> int:
        """Return a balance in wei."""
        m = self._m
        return accounts.balance(m, accounts.peek_account(m, address))

    def nonce(self, address: int) -> int:
        """Return a nonce."""
        m = self._m
        return accounts.nonce(m, accounts.peek_account(m, address))

    def code(self, address: int) -> bytes:
        """Return runtime code."""
        m = self._m
        row = accounts.peek_account(m, address)
        return world.code_bytes(m, accounts.program_of(m, row))

    def storage(self, address: int, slot: int) -> int:
        """Return a storage word."""
        return world.storage_word(self._m, address, slot)

    def set_account(
        self,
        address: int,
        *,
        balance: int | None = None,
        nonce: int | None = None,
        code: bytes | None = None,
        lasting: bool = False,
    ) -> None:
        """Change an account; None keeps what there is."""
        m = self._m
        row = accounts.find_account(m, address)
        if balance is not None and lasting:
            set_lasting_balance(m, row, balance)
        elif balance is not None:
            accounts.set_balance(m, row, balance)
        if nonce is not None and lasting:
            set_lasting_nonce(m, row, nonce)
        elif nonce is not None:
            accounts.set_nonce(m, row, nonce)
        if code is not None:
            program = intern_code(m, bytearray(code), 0, len(code))
            accounts.set_program(m, row, program)

    def set_storage(self, address: int, slot: int, word: int) -> None:
        """Write a storage word."""
        m = self._m
        number = load64(m.accounts, accounts.find_account(m, address) + ACCOUNT_STORAGE)
        row = storage.find_slot(m, number, slot)
        if row and storage.slot_value(m, row) != word:
            storage.write_slot(m, row, word)

    def accounts(self) -> Iterator[tuple[int, AccountState]]:
        """Return all accounts that are not empty."""
        yield from world.all_accounts(self._m).items()


class Asked:
    """What `Machine.host` is: whoever runs precompiles, and the cheatcodes.

    Attributes:
        cheats: None if there are none.
    """

    def __init__(
        self,
        machine: Machine,
        config: BackendConfig,
        precompiles: Callable[[int], int],
    ) -> None:
        self._precompiles = precompiles
        self.cheats: MachineCheats | None = None
        if config.cheats is not None:
            self.cheats = MachineCheats(machine, config.cheats, config.outside)

    def __call__(self, number: int) -> int:
        """Answer what the machine asks."""
        if number < ASK_CHEAT:
            return self._precompiles(number)
        assert self.cheats is not None, (
            "a world without cheatcodes has no calls of them"
        )
        return self.cheats.ask(number)
