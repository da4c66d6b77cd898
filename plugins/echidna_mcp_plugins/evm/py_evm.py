"""The reference backend: py-evm, made as fast as Python allows.

Calls, creation, precompiles and gas tables are py-evm's. State, frames and the hot
opcodes are ours, and are held against unmodified py-evm by the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from eth._utils.address import generate_contract_address
from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.exceptions import (
    ContractCreationCollision,
    InvalidInstruction,
    OutOfGas,
    Revert,
    VMError,
)
from eth_typing import Address

from echidna_mcp.evm.backend import CallResult, Log, Status, Visit
from echidna_mcp.evm.plugin import BackendPlugin
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp_plugins.evm.cache import ProgramCache
from echidna_mcp_plugins.evm.frame import Frame
from echidna_mcp_plugins.evm.message import FrameMessage, Scope
from echidna_mcp_plugins.evm.state import State
from echidna_mcp_plugins.evm.world import World

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from echidna_mcp.evm.backend import BackendConfig, Message
    from echidna_mcp_plugins.evm.message import RawLog

FORK = "cancun"
"""The rules that this backend executes."""

_REFUND_QUOTIENT = 5  # EIP-3529
_TRANSACTION = 21000
_CREATION = 32000
_ZERO_BYTE = 4
_OTHER_BYTE = 16  # EIP-2028
_INITCODE_WORD = 2  # EIP-3860
_TRUE = (1).to_bytes(32, "big")
_FALSE = bytes(32)


def intrinsic_gas(data: bytes, *, creation: bool) -> int:
    """Return the gas that a message costs before it runs."""
    zeros = data.count(0)
    gas = _TRANSACTION + _ZERO_BYTE * zeros + _OTHER_BYTE * (len(data) - zeros)
    if creation:
        gas += _CREATION + _INITCODE_WORD * (len(data) + 31 >> 5)
    return gas


class PyEvmBackend:
    """`EvmBackend` on py-evm. Faults of every kind are results, never exceptions."""

    def __init__(self, config: BackendConfig) -> None:
        block = config.block
        self._world = World(block.timestamp, block.number)
        self._programs = ProgramCache()
        self._coinbase = _address(block.coinbase)
        self._frame = Frame.configure(max_code_size=config.max_code_size)
        scope = Scope(_address(0), 0, coverage=False)
        self._state = State(self._world, block, self._programs, scope)

    # ----------------------------------------------------------------- messages

    def deploy(
        self, message: Message, *, address: int | None = None, coverage: bool = False
    ) -> CallResult:
        """Run creation code; at `address` if given, else where CREATE would put it.

        A deployment without a given address uses up a nonce of the sender, unless it
        fails; calls never do. An address with code or nonce is taken: a HALT.
        """
        state, world = self._state, self._world
        sender = _address(message.sender)
        nonce = state.get_nonce(sender)
        if address is None:
            target = generate_contract_address(sender, nonce)
        else:
            target = _address(address)
        scope = self._begin(message, sender, target, coverage=coverage)
        start = state.snapshot()
        gas = message.gas - intrinsic_gas(message.data, creation=True)
        frame: Frame | None = None
        try:
            if gas < 0:
                raise OutOfGas("intrinsic gas")
            if state.has_code_or_nonce(target):
                raise ContractCreationCollision("the address is taken")
            if address is None:
                state.set_nonce(sender, nonce + 1)
            world.set_balance(target, state.get_balance(target) + message.value)
            frame = cast(
                "Frame",
                self._frame.apply_create_message(
                    state,
                    FrameMessage(
                        gas=gas,
                        to=CREATE_CONTRACT_ADDRESS,
                        sender=sender,
                        value=message.value,
                        data=b"",
                        code=message.data,
                        create_address=target,
                        should_transfer_value=False,
                    ),
                    scope,
                ),
            )
            frame.raise_if_error()
        except VMError as fault:
            state.revert(start)
            return self._failed(message, frame, fault, target)
        return self._succeeded(message, frame, target)

    def call(self, message: Message, *, coverage: bool = False) -> CallResult:
        """Run a message and keep its effects, unless it failed."""
        state, world = self._state, self._world
        sender, target = _address(message.sender), _address(message.to or 0)
        scope = self._begin(message, sender, target, coverage=coverage)
        start = state.snapshot()
        gas = message.gas - intrinsic_gas(message.data, creation=False)
        frame: Frame | None = None
        try:
            if gas < 0:
                raise OutOfGas("intrinsic gas")
            if message.value:
                world.set_balance(target, state.get_balance(target) + message.value)
            frame = cast(
                "Frame",
                self._frame.apply_message(
                    state,
                    FrameMessage(
                        gas=gas,
                        to=target,
                        sender=sender,
                        value=message.value,
                        data=message.data,
                        code=state.get_code(target),
                        should_transfer_value=False,
                    ),
                    scope,
                ),
            )
            frame.raise_if_error()
        except VMError as fault:
            state.revert(start)
            return self._failed(message, frame, fault, None)
        return self._succeeded(message, frame, None)

    def _begin(
        self, message: Message, sender: Address, target: Address, *, coverage: bool
    ) -> Scope:
        self._world.advance(message.time_delay, message.block_delay)
        scope = Scope(sender, message.gas_price, coverage=coverage)
        # EIP-2929 and EIP-3651; precompiles are always warm.
        scope.warm[sender] = scope.warm[target] = scope.warm[self._coinbase] = True
        self._state.scope = scope
        return scope

    def _failed(
        self,
        message: Message,
        frame: Frame | None,
        fault: VMError,
        created: Address | None,
    ) -> CallResult:
        fault.__traceback__ = None
        left = frame.gas if frame is not None and isinstance(fault, Revert) else 0
        output = frame.output if frame is not None else b""
        return self._result(_fault_status(fault), output, message.gas - left, created)

    def _succeeded(
        self, message: Message, frame: Frame, created: Address | None
    ) -> CallResult:
        scope = self._state.scope
        for account in scope.doomed:
            self._world.delete(account)
        used = message.gas - frame.gas
        used -= min(scope.refund, used // _REFUND_QUOTIENT)
        output = frame.output
        status = Status.STOP
        if output == _TRUE:
            status = Status.RETURN_TRUE
        elif output == _FALSE:
            status = Status.RETURN_FALSE
        return self._result(status, output, used, created)

    def _result(
        self, status: Status, output: bytes, gas_used: int, created: Address | None
    ) -> CallResult:
        self._world.settle()
        scope = self._state.scope
        last = scope.last
        return CallResult(
            status=status,
            output=output,
            gas_used=gas_used,
            steps=scope.steps,
            logs=_logs(scope.logs) if scope.logs else (),
            dropped_logs=_logs(sorted(scope.dropped)) if scope.dropped else (),
            created=None if created is None else int.from_bytes(created, "big"),
            visits=tuple(_visits(scope)),
            last=None if last is None else (last.program.code_hash, last.pcs[-1]),
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
        self._world.set_balance(_address(address), balance)
        self._world.settle()

    def balance(self, address: int) -> int:
        """Return the balance of `address` in wei."""
        return self._state.get_balance(_address(address))

    def storage(self, address: int, slot: int) -> int:
        """Return a storage word."""
        return self._world.storages.get(_address(address), {}).get(slot, 0)

    def code(self, address: int) -> bytes:
        """Return the runtime code at `address`."""
        return self._state.get_code(_address(address))

    def code_of_hash(self, code_hash: bytes) -> bytes:
        """Return the code that a `Visit` names, runtime or creation code.

        Creation code is known for as long as it is among the 512 codes executed last;
        ask right after the message.

        Raises:
            KeyError: no such code is known.
        """
        cached = self._programs.find(code_hash)
        if cached is not None:
            return cached
        for code in self._world.codes.values():
            if self._programs[code].code_hash == code_hash:
                return code
        raise KeyError(code_hash)


def _address(number: int) -> Address:
    return Address(number.to_bytes(20, "big"))


def _fault_status(fault: VMError) -> Status:
    match fault:
        case Revert():
            return Status.REVERT
        case OutOfGas():
            return Status.OUT_OF_GAS
        case InvalidInstruction():
            return Status.INVALID_OPCODE
        case _:
            return Status.HALT


def _logs(raw: Iterable[RawLog]) -> tuple[Log, ...]:
    return tuple(
        Log(
            int.from_bytes(address, "big"),
            tuple(topic.to_bytes(32, "big") for topic in topics),
            data,
        )
        for _, address, topics, data in raw
    )


def _visits(scope: Scope) -> Iterator[Visit]:
    for (code_hash, depth), (program, blocks) in (scope.visits or {}).items():
        counters = bytearray(len(program.code))
        for block in blocks:
            block.mark(counters)
        yield Visit(code_hash, depth, counters)


def create(config: BackendConfig) -> PyEvmBackend:
    """Return a fresh, empty world."""
    return PyEvmBackend(config)


@hookimpl
def register_backends() -> Sequence[BackendPlugin]:
    """Offer the backend `py-evm`."""
    return [BackendPlugin("py-evm", create)]
