"""The native backend: the EVM of this package behind the seam."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from echidna_mcp.evm.backend import (
    NOTHING,
    AccountState,
    BackendConfig,
    CallResult,
    Message,
    Override,
    Status,
    Watch,
)
from echidna_mcp.evm.states import class_in
from echidna_mcp.kernel.language.memory import (
    MASK64,
    MASK256,
    load64,
    peek256,
    poke256,
    store64,
)
from echidna_mcp.kernel.library.mode import Mode, chosen_mode
from echidna_mcp_plugins.native.code import programs
from echidna_mcp_plugins.native.code.edges import forget_edges
from echidna_mcp_plugins.native.frames.frames import align_memory
from echidna_mcp_plugins.native.host import world
from echidna_mcp_plugins.native.host.capacity import Capacity, capacity_error
from echidna_mcp_plugins.native.host.cheating import Asked, Kept
from echidna_mcp_plugins.native.host.library import native_code
from echidna_mcp_plugins.native.interpreter import execution
from echidna_mcp_plugins.native.interpreter.message import (
    AUTHORIZATION_GAS,
    authorize,
    list_account,
    list_slot,
    open_message,
)
from echidna_mcp_plugins.native.results import LeftState, OutcomeReader
from echidna_mcp_plugins.native.search import status
from echidna_mcp_plugins.native.state import accounts, journal
from echidna_mcp_plugins.native.state.known_states import learn_state, state_key
from echidna_mcp_plugins.native.state.machine import (
    COVER_BLOCKS,
    COVER_EDGES,
    FAULT_CAPACITY,
    FULL_EDGES,
    FULL_MEMORY,
    HOOK_OVERRIDE,
    HOOK_REVERTS,
    NOBODY,
    PROGRAM_FAMILY,
    PROGRAM_HASH,
    PROGRAM_HASHED,
    PROGRAM_ROW,
    RECORDED,
    Machine,
)
from echidna_mcp_plugins.native.state.overriding import set_override
from echidna_mcp_plugins.native.state.rules import DELEGATIONS
from echidna_mcp_plugins.py_evm.charges import floor_gas, intrinsic_gas


class NativeBackend:
    """`EvmBackend` on a machine of kernel functions.

    Attributes:
        machine: the machine, for what runs beside the seam.
        native: the functions that it runs with.
        cheats: its cheatcodes; None if it has none.
        only_new: report only visits of blocks, and states, that are not known yet
            (`known`).
        family: gives the number of a program's name (`PROGRAM_FAMILY`); None if nobody
            wants to know which states are known.
    """

    def __init__(
        self,
        config: BackendConfig,
        *,
        mode: Mode = "compiled",
        capacity: Capacity | None = None,
    ) -> None:
        self.native = code = native_code(mode)
        self.machine = code.machine(config, capacity)
        self.cheats = cast("Asked", self.machine.host).cheats
        self._run_call = code.function(execution.run_call)
        self._run_creation = code.function(execution.run_creation)
        self._run_open_call = code.function(execution.run_open_call)
        self._run_open_creation = code.function(execution.run_open_creation)
        self._open = code.function(open_message)
        self._list_account = code.function(list_account)
        self._list_slot = code.function(list_slot)
        self._authorize = code.function(authorize)
        self._undo = code.function(journal.undo_to)
        self._forget = code.function(programs.forget_programs)
        self._learn = code.function(status.learn)
        self.family: Callable[[int], int] | None = None
        self._outcome = OutcomeReader(self.machine, code)
        self.only_new = False
        self._rows: dict[int | None, int] = {}
        """Programs by their hashes, as they were when they were looked for last."""
        self._snapshots: list[Snapshot] = []
        self._was_full = False

    # ----------------------------------------------------------------- messages

    def deploy(
        self,
        message: Message,
        watch: Watch = NOTHING,
        *,
        address: int | None = None,
    ) -> CallResult:
        """Run creation code; at `address` if given, else where CREATE would put it.

        Raises:
            CapacityError: the machine has no room for what the message does; nothing
                is changed but the clock.
        """
        m, size = self.machine, len(message.data)
        chosen = int(address is not None)
        mark = self._begin(message, watch)
        if self._is_plain(message):
            self._run_creation(
                m,
                message.sender,
                address or 0,
                chosen,
                message.value,
                message.gas,
                size,
            )
        else:
            self._open_listed(message, creation=True)
            self._run_open_creation(m, address or 0, chosen, message.value, size)
        return self._end(mark, watch, creation=True)

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        """Run a message and keep its effects, unless it failed.

        Raises:
            CapacityError: the machine has no room for what the message does; nothing
                is changed but the clock.
        """
        m, size, target = self.machine, len(message.data), message.to or 0
        mark = self._begin(message, watch)
        if message.override is not None:
            self._arm(message.override, size)
        if watch.reverter and self.cheats is not None:
            m.reverter = NOBODY
            m.hooks |= HOOK_REVERTS
        m.comparing = int(watch.comparisons)
        m.watching = m.watching & RECORDED | int(watch.storage)
        if self._is_plain(message):
            self._run_call(m, message.sender, target, message.value, message.gas, size)
        else:
            self._open_listed(message, creation=False)
            self._run_open_call(m, target, message.value, size)
        return self._end(mark, watch, creation=False)

    def _is_plain(self, message: Message) -> bool:
        return not (message.access_list or message.authorizations)

    def _begin(self, message: Message, watch: Watch) -> int:
        m = self.machine
        if _size(message) > m.memory_limit:
            m.full = FULL_MEMORY
            m.steps = 0
            raise capacity_error(m)
        m.timestamp = m.timestamp + message.time_delay & MASK64
        m.block_number = m.block_number + message.block_delay & MASK64
        m.gas_price = message.gas_price
        blocks = watch.coverage or watch.trail
        m.coverage = coverage_of(blocks=blocks, edges=watch.edges)
        m.comparing = m.override.done = 0
        if self.cheats is not None:
            self.cheats.cheats.begin_message()
        m.searching = int(self.only_new and not watch.known)
        m.trailing = int(watch.trail)
        m.memory[: len(message.data)] = message.data
        hashes = bytearray(32 * len(message.blob_hashes))
        for i, blob_hash in enumerate(message.blob_hashes):
            poke256(hashes, 32 * i, blob_hash)
        m.blob_hashes = hashes
        m.blob_hash_count = len(message.blob_hashes)
        return m.journal_end

    def _arm(self, override: Override, size: int) -> None:
        """Let a message with `size` bytes of calldata have a call of it replaced."""
        m = self.machine
        arm(m, override.targets, override.spared)
        start = align_memory(size)
        m.memory[start : start + len(override.data)] = override.data
        set_override(m.override, override.to, start, len(override.data), override.after)
        m.hooks |= HOOK_OVERRIDE

    def _open_listed(self, message: Message, *, creation: bool) -> None:
        """Open a message with an access list (EIP-2930) or authorizations."""
        m = self.machine
        self._open(m, message.sender, message.gas)
        for address, slots in message.access_list:
            self._list_account(m, address)
            for slot in slots:
                self._list_slot(m, address, slot)
        if creation or not m.rules & DELEGATIONS:
            return
        m.surcharge += AUTHORIZATION_GAS * len(message.authorizations)
        if message.gas < max(
            intrinsic_gas(message, creation=False, delegations=True),
            floor_gas(message.data),
        ):
            return
        for authorization in message.authorizations:
            if authorization.authority is not None and authorization.chain_id in {
                0,
                m.chain_id,
            }:
                self._authorize(
                    m,
                    authorization.authority,
                    authorization.address,
                    min(authorization.nonce, MASK64),
                )

    def _end(self, mark: int, watch: Watch, *, creation: bool) -> CallResult:
        m = self.machine
        m.watching &= RECORDED  # Others run messages here, and don't ask.
        m.trailing = 0
        if m.fault == FAULT_CAPACITY:
            self._undo(m, mark)
            if m.full == FULL_EDGES:
                forget_edges(m)
            self._was_full = True
            raise capacity_error(m)
        states: Sequence[LeftState] = ()
        if watch.states and not creation:
            states = tuple(self._outcome.states(watch))
        result = self._outcome.read(watch, mark, states, creation=creation)
        if self.cheats is not None:
            told = self.cheats.cheats
            reverted = result.status is Status.REVERT
            failed = told.has_failed(result.output if reverted else None)
            if told.refused or failed:
                refused = told.refusals
                result = replace(result, refused=refused, failed_assertion=failed)
        if m.override.done:
            result = replace(result, overridden=True)
        if watch.reverter and self.cheats is not None and m.reverter != NOBODY:
            result = replace(result, reverter=m.reverter)
        if watch.coverage and not watch.known:
            self._learn(m)
        if states and not watch.known:
            self._learn_states(states)
        self._settle()
        return result

    def _learn_states(self, states: Iterable[LeftState]) -> None:
        """Make known what the message has left in storage."""
        m = self.machine
        if self.family is not None:
            for program, slot, value in states:
                if not (kind := class_in(slot, value)):
                    continue
                family = load64(m.programs, program + PROGRAM_FAMILY)
                if not family:
                    family = self.family(program)
                    store64(m.programs, program + PROGRAM_FAMILY, family)
                learn_state(m.states, state_key(family, slot, kind))

    # -------------------------------------------------------------------- state

    def snapshot(self) -> int:
        """Return a handle of the present state, clock included."""
        state = Snapshot.of(self.machine, self._kept())
        if not self._snapshots or not self._snapshots[-1].is_same_state(state):
            self._snapshots.append(state)
        return len(self._snapshots) - 1

    def restore(self, snapshot: int) -> None:
        """Go back to `snapshot`, which stays valid; later ones become invalid.

        Raises:
            IndexError: there is no such snapshot any more.
        """
        if snapshot < 0:
            raise IndexError(snapshot)
        m, state = self.machine, self._snapshots[snapshot]
        m.timestamp, m.block_number = state.timestamp, state.block_number
        self._undo(m, state.journal_end)
        if self.cheats is not None and state.kept is not None:
            self.cheats.go_back(state.kept)
        del self._snapshots[snapshot + 1 :]
        state.keep_programs(m)
        # Whether what did not fit does so the next time must not depend on what else
        # has run: programs and edges of other sequences are forgotten.
        if self._was_full or programs.has_crowded_programs(m):
            self._was_full = False
            self._forget(m)

    def keep_programs(self, snapshot: int) -> Snapshot:
        """Go back to a snapshot, and let the programs that are there now stay with it.

        Returns:
            What the snapshot is now.
        """
        self.restore(snapshot)
        state = self._snapshots[snapshot] = Snapshot.of(self.machine, self._kept())
        state.keep_programs(self.machine)
        return state

    def _kept(self) -> Kept | None:
        return None if self.cheats is None else self.cheats.kept()

    def _settle(self) -> None:
        if not self._snapshots:
            world.settle(self.machine)

    def set_balance(self, address: int, balance: int) -> None:
        """Give `address` this balance in wei."""
        self.set_account(address, balance=balance & MASK256)

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

        Raises:
            CapacityError: there is no room for it.
        """
        world.seed_account(
            self.machine,
            address,
            balance=balance,
            nonce=nonce,
            code=code,
            storage=storage,
        )
        self._settle()

    def accounts(self) -> Iterator[tuple[int, AccountState]]:
        """Return all accounts that are not empty (EIP-161), by ascending address."""
        yield from world.all_accounts(self.machine).items()

    def balance(self, address: int) -> int:
        """Return the balance of `address` in wei."""
        m = self.machine
        return accounts.balance(m, accounts.peek_account(m, address))

    def storage(self, address: int, slot: int) -> int:
        """Return a storage word."""
        return world.storage_word(self.machine, address, slot)

    def code(self, address: int) -> bytes:
        """Return the runtime code at `address`."""
        m = self.machine
        row = accounts.peek_account(m, address)
        return world.code_bytes(m, accounts.program_of(m, row))

    def code_of_hash(self, code_hash: bytes) -> bytes:
        """Return the code that a `Visit` or `Edge` names, runtime or creation code.

        Raises:
            KeyError: no such code is known.
        """
        m, wanted = self.machine, int.from_bytes(code_hash, "big")
        program = self._outcome.program_of(code_hash)
        if program is not None:
            return world.code_bytes(m, program)
        # Rows are given to other programs once they are forgotten.
        if _hash_at(m, self._rows.get(wanted, 0)) != wanted:
            rows = range(PROGRAM_ROW, m.program_end, PROGRAM_ROW)
            self._rows = {_hash_at(m, row): row for row in rows}
        if wanted not in self._rows:
            raise KeyError(code_hash)
        return world.code_bytes(m, self._rows[wanted])


def _hash_at(m: Machine, row: int) -> int | None:
    """Return the hash of a program; None if nobody has asked for it, or there is none.

    Args:
        m: the machine.
        row: of `programs`; the first one is no program.
    """
    if not 0 < row < m.program_end or not load64(m.programs, row + PROGRAM_HASHED):
        return None
    return peek256(m.programs, row + PROGRAM_HASH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A state of a machine, and how far its programs were in use."""

    journal_end: int
    timestamp: int
    block_number: int
    program_end: int
    code_end: int
    stream_end: int
    block_end: int
    kept: Kept | None

    @classmethod
    def of(cls, m: Machine, kept: Kept | None) -> Snapshot:
        """Return the present state."""
        return cls(
            journal_end=m.journal_end,
            timestamp=m.timestamp,
            block_number=m.block_number,
            program_end=m.program_end,
            code_end=m.code_end,
            stream_end=m.stream_end,
            block_end=m.block_end,
            kept=kept,
        )

    def is_same_state(self, other: Snapshot) -> bool:
        """Whether the worlds are the same, whatever programs are known."""
        return self._state() == other._state()

    def _state(self) -> tuple[int, int, int, Kept | None]:
        return self.journal_end, self.timestamp, self.block_number, self.kept

    def keep_programs(self, m: Machine) -> None:
        """Make the programs that were there then the ones to stay."""
        m.kept_program_end = self.program_end
        m.kept_code_end = self.code_end
        m.kept_stream_end = self.stream_end
        m.kept_block_end = self.block_end


def arm(m: Machine, targets: Sequence[int], spared: int) -> None:
    """Tell a machine by and to which contracts overrides may replace calls."""
    m.override.targets = bytearray(
        b"".join(each.to_bytes(32, "big") for each in targets)
    )
    m.override.target_count = len(targets)
    m.override.spared = spared


def _size(message: Message) -> int:
    """Return how many bytes of calldata there are, those of an override included."""
    if message.override is None:
        return len(message.data)
    return align_memory(len(message.data)) + len(message.override.data)


def coverage_of(*, blocks: bool, edges: bool) -> int:
    """Return `Machine.coverage` for what is to be collected."""
    if not blocks:
        return 0
    return COVER_EDGES if edges else COVER_BLOCKS


def create(config: BackendConfig) -> NativeBackend:
    """Return a fresh, empty world, in the mode that the environment asks for."""
    return NativeBackend(config, mode=chosen_mode())
