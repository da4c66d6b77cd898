"""The reference backend: py-evm, made as fast as Python allows.

Calls, creation, precompiles and gas tables are py-evm's. State, frames and the hot
opcodes are ours, and are held against unmodified py-evm by the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from eth._utils.address import generate_contract_address
from eth.constants import CREATE_CONTRACT_ADDRESS, UINT_64_MAX
from eth.exceptions import (
    ContractCreationCollision,
    Revert,
    VMError,
)

from echidna_mcp.evm.backend import (
    NOTHING,
    AccountState,
    CallResult,
    Edge,
    Slot,
    Status,
    TrailBlock,
    Visit,
    Watch,
)
from echidna_mcp_plugins.py_evm.accesses import left_words, watching
from echidna_mcp_plugins.py_evm.charges import floor_gas, intrinsic_gas
from echidna_mcp_plugins.py_evm.cheat_host import add_cheats
from echidna_mcp_plugins.py_evm.cheating import (
    begin_message,
    end_message,
    watched,
)
from echidna_mcp_plugins.py_evm.comparisons import comparing
from echidna_mcp_plugins.py_evm.delegation import delegate, delegate_of
from echidna_mcp_plugins.py_evm.fork import rules_of
from echidna_mcp_plugins.py_evm.frame import Frame
from echidna_mcp_plugins.py_evm.message import FrameMessage, Scope, address_of
from echidna_mcp_plugins.py_evm.outcomes import (
    fault_status,
    logs_of,
    success_status,
)
from echidna_mcp_plugins.py_evm.overriding import overriding
from echidna_mcp_plugins.py_evm.program import ProgramCache
from echidna_mcp_plugins.py_evm.recording import recording, siting
from echidna_mcp_plugins.py_evm.state import State
from echidna_mcp_plugins.py_evm.world import World, all_accounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from eth_typing import Address

    from echidna_mcp.evm.backend import BackendConfig, Message

_REFUND_QUOTIENT = 5  # EIP-3529


class PyEvmBackend:
    """`EvmBackend` on py-evm."""

    def __init__(self, config: BackendConfig) -> None:
        block, rules = config.block, rules_of(config.fork)
        self._delegations, self._data_floor = rules.delegations, rules.data_floor
        self._world = World(block)
        self._rules = rules
        self._plain = rules.table if config.cheats is None else watched(rules.table)
        self._programs: dict[tuple[bool, ...], ProgramCache] = {}
        """By what has to be reported, and whether calls may be replaced."""
        self._frame = Frame.configure(
            max_code_size=config.max_code_size,
            serves_hashes=rules.serves_hashes,
            _precompiles=rules.precompiles,
        )
        self._state = State(self._world, self._programs_for(NOTHING), rules.precompiles)
        if config.cheats is not None:
            add_cheats(self._state, config.cheats, config.outside, config.fork)
        self._visited: dict[bytes, bytes] = {}
        """Codes that the last message with coverage ran, by hash: however many."""

    def _programs_for(self, watch: Watch, *, overridden: bool = False) -> ProgramCache:
        """Return the decoded programs for messages of which that is wanted."""
        sites = watch.frames and watch.sites
        wanted = (watch.comparisons, watch.storage, overridden, watch.frames, sites)
        if wanted not in self._programs:
            table = comparing(self._plain) if watch.comparisons else self._plain
            if watch.storage:
                table = watching(table)
            if overridden:
                table = overriding(table, self._rules.table)
            if watch.frames:
                table = recording(table)
            if sites:
                table = siting(table)
            self._programs[wanted] = ProgramCache(table)
        return self._programs[wanted]

    # ----------------------------------------------------------------- messages

    def deploy(
        self,
        message: Message,
        watch: Watch = NOTHING,
        *,
        address: int | None = None,
    ) -> CallResult:
        """Run creation code; at `address` if given, else where CREATE would put it."""
        state, sender = self._state, address_of(message.sender)
        state.scope = Scope(message, watch)
        state.programs = self._programs_for(Watch(frames=watch.frames))
        nonce = state.get_nonce(sender)
        if address is None:
            target = generate_contract_address(sender, nonce)
        else:
            target = address_of(address)

        def create(gas: int) -> Frame:
            if state.has_code_or_nonce(target):
                raise ContractCreationCollision("the address is taken")
            if address is None:
                if nonce >= UINT_64_MAX:
                    raise ContractCreationCollision("there is no further nonce")
                state.set_nonce(sender, nonce + 1)
            frame_message = FrameMessage(
                gas=gas,
                to=CREATE_CONTRACT_ADDRESS,
                sender=sender,
                value=message.value,
                data=b"",
                code=message.data,
                create_address=target,
                should_transfer_value=False,
            )
            return cast(
                "Frame",
                self._frame.apply_create_message(state, frame_message, state.scope),
            )

        return self._play(message, target, create, creation=True)

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        """Run a message and keep its effects, unless it failed."""
        state, target = self._state, address_of(message.to or 0)
        state.scope = Scope(message, watch)
        overridden = message.override is not None
        state.programs = self._programs_for(watch, overridden=overridden)

        def run(gas: int) -> Frame:
            code, delegation = state.get_code(target), None
            if self._delegations and (delegation := delegate_of(code)) is not None:
                state.mark_address_warm(delegation)
                code = state.get_code(delegation)
            frame_message = FrameMessage(
                gas=gas,
                to=target,
                sender=address_of(message.sender),
                value=message.value,
                data=message.data,
                code=code,
                should_transfer_value=False,
                is_delegation=delegation is not None,
            )
            return cast(
                "Frame", self._frame.apply_message(state, frame_message, state.scope)
            )

        return self._play(message, target, run, creation=False)

    def _play(
        self,
        message: Message,
        target: Address,
        run: Callable[[int], Frame],
        *,
        creation: bool,
    ) -> CallResult:
        """Do what messages of both kinds have in common; `run` takes the gas."""
        state, world = self._state, self._world
        world.advance(message.time_delay, message.block_delay)
        scope = state.scope
        scope.warm_up(address_of(world.env.coinbase), target, message)
        cheats = state.cheats
        if cheats is not None:
            begin_message(state, cheats)
        created = target if creation else None
        intrinsic = intrinsic_gas(
            message, creation=creation, delegations=self._delegations
        )
        floor = floor_gas(message.data) if self._data_floor else 0
        if message.gas < max(intrinsic, floor):
            return self._result(Status.OUT_OF_GAS, b"", message.gas, created)
        if self._delegations and not creation:
            for authorization in message.authorizations:
                delegate(state, authorization)
        start = state.snapshot()
        frame: Frame | None = None
        try:
            if message.value:
                world.set_balance(target, state.get_balance(target) + message.value)
            frame = run(message.gas - intrinsic)
            frame.keep_ending()
            if cheats is not None:
                end_message(cheats, frame)
            frame.raise_if_error()
        except VMError as fault:
            fault.__traceback__ = None
            world.lasting.clear()
            state.revert(start)
            left = frame.gas if frame is not None and isinstance(fault, Revert) else 0
            status = fault_status(fault)
        else:
            left, status = frame.gas, success_status(frame.output)
            for account in scope.doomed:
                world.delete(account)
        output = b"" if frame is None else frame.output
        used = message.gas - left
        used -= min(scope.refund, used // _REFUND_QUOTIENT)
        pairs = scope.tells_pairs
        scope.note_states(left_words(world, start[0], scope.writings, pairs=pairs))
        return self._result(status, output, max(used, floor), created)

    def _result(
        self, status: Status, output: bytes, gas_used: int, created: Address | None
    ) -> CallResult:
        self._world.settle()
        scope, cheats = self._state.scope, self._state.cheats
        last, recorder = scope.last, scope.recorder
        if scope.visits is None:
            last = None
        if scope.visits is not None:
            programs = [program for program, _ in scope.visits.values()]
            self._visited = {each.code_hash: each.code for each in programs}
            if last is not None:
                self._visited[last.program.code_hash] = last.program.code
        return CallResult(
            status=status,
            output=output,
            gas_used=gas_used,
            steps=scope.steps,
            logs=logs_of(scope.logs) if scope.logs else (),
            dropped_logs=logs_of(sorted(scope.dropped)) if scope.dropped else (),
            created=None if created is None else int.from_bytes(created, "big"),
            visits=tuple(_visits(scope)),
            last=None if last is None else (last.program.code_hash, last.pcs[-1]),
            trail=() if status.succeeded else tuple(_trail(scope)),
            comparisons=tuple(scope.comparisons),
            compared=scope.compared,
            edges=tuple(dict.fromkeys(_edges(scope))),
            reads=_slots(scope.reads) if scope.reads else (),
            writes=_slots(scope.writes) if scope.writes else (),
            states=scope.states,
            frame=None if recorder is None else recorder.result(),
            preimages={} if recorder is None else recorder.preimages,
            creations=_creations(scope) if created is None and status.succeeded else (),
            destroyed=_destroyed(scope) if status.succeeded else (),
            refused=() if cheats is None else cheats.refusals,
            failed_assertion=cheats is not None
            and cheats.has_failed(output if status is Status.REVERT else None),
            overridden=scope.overridden,
            reverter=scope.reverter,
        )

    # -------------------------------------------------------------------- state

    def snapshot(self) -> int:
        """Return a handle of the present state, clock included."""
        return self._world.snapshot()

    def restore(self, snapshot: int) -> None:
        """Go back to `snapshot`, which stays valid; later ones become invalid."""
        self._world.restore(snapshot)

    def set_balance(self, address: int, balance: int) -> None:
        """Give `address` this balance in wei."""
        self._world.set_balance(address_of(address), balance)
        self._world.settle()

    def set_account(
        self,
        address: int,
        *,
        balance: int | None = None,
        nonce: int | None = None,
        code: bytes | None = None,
        storage: Mapping[int, int] | None = None,
    ) -> None:
        """Change an account from outside of any message; None keeps what there is."""
        world, where = self._world, address_of(address)
        if balance is not None:
            world.set_balance(where, balance)
        if nonce is not None:
            world.put(world.nonces, where, nonce)
        if code is not None:
            world.set_code(where, code)
        if storage is not None:
            words = {slot: word for slot, word in storage.items() if word}
            world.put(world.storages, where, words)
        world.settle()

    def accounts(self) -> Iterator[tuple[int, AccountState]]:
        """Return all accounts that are not empty (EIP-161), by ascending address."""
        yield from all_accounts(self._world)

    def balance(self, address: int) -> int:
        """Return the balance of `address` in wei."""
        return self._state.get_balance(address_of(address))

    def storage(self, address: int, slot: int) -> int:
        """Return a storage word."""
        return self._world.storages.get(address_of(address), {}).get(slot, 0)

    def code(self, address: int) -> bytes:
        """Return the runtime code at `address`."""
        return self._state.get_code(address_of(address))

    def code_of_hash(self, code_hash: bytes) -> bytes:
        """Return the code that a `Visit` or `Edge` names, runtime or creation code.

        Creation code is known if the last message with coverage ran it, or while it is
        among the 512 codes executed last.

        Raises:
            KeyError: no such code is known.
        """
        if code_hash in self._visited:
            return self._visited[code_hash]
        programs = self._state.programs
        cached = programs.find(code_hash)
        if cached is not None:
            return cached
        for code in self._world.codes.values():
            if programs[code].code_hash == code_hash:
                return code
        raise KeyError(code_hash)


def _visits(scope: Scope) -> Iterator[Visit]:
    for (code_hash, depth), (program, blocks) in (scope.visits or {}).items():
        counters = bytearray(len(program.code))
        for block in blocks:
            block.mark(counters)
        yield Visit(code_hash, depth, bytes(counters))


def _slots(accesses: Iterable[tuple[bytes, int]]) -> tuple[Slot, ...]:
    return tuple((int.from_bytes(address, "big"), slot) for address, slot in accesses)


def _creations(scope: Scope) -> tuple[int, ...]:
    if not scope.tells_creations:
        return ()
    return tuple(int.from_bytes(address, "big") for address in scope.created)


def _destroyed(scope: Scope) -> tuple[int, ...]:
    if not scope.tells_destructions:
        return ()
    return tuple(sorted(int.from_bytes(address, "big") for address in scope.doomed))


def _trail(scope: Scope) -> Iterator[TrailBlock]:
    for block, depth in scope.trail or ():
        yield TrailBlock(block.program.code_hash, block.pcs[-1], depth)


def _edges(scope: Scope) -> Iterator[Edge]:
    for before, block in scope.edges:
        yield Edge(before.program.code_hash, before.pcs[-1], block.pcs[0])


def create(config: BackendConfig) -> PyEvmBackend:
    """Return a fresh, empty world."""
    return PyEvmBackend(config)
