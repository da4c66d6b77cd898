"""One call frame: py-evm's computation with a loop over decoded blocks."""

# What overrides a method of py-evm is documented there.
# ruff: noqa: D102

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, cast

from eth.exceptions import (
    FullStack,
    Halt,
    InsufficientStack,
    OutOfGas,
    ReservedBytesInCode,
    VMError,
)
from eth.vm.forks.cancun.computation import CancunComputation
from eth.vm.forks.london.constants import EIP3541_RESERVED_STARTING_BYTE

from echidna_mcp.evm.fork import HISTORY_ADDRESS
from echidna_mcp.evm.frames import Ending
from echidna_mcp_plugins.py_evm.cheating import Calling, answered, ended
from echidna_mcp_plugins.py_evm.message import (
    TRACED_DEPTHS,
    FrameMessage,
    address_of,
)
from echidna_mcp_plugins.py_evm.outcomes import status_of
from echidna_mcp_plugins.py_evm.overriding import overriding_message, pass_over
from echidna_mcp_plugins.py_evm.recording import DepthTrail, Trail

if TYPE_CHECKING:
    from eth.abc import (
        ComputationAPI,
        MessageAPI,
        StateAPI,
        TransactionContextAPI,
    )
    from eth_typing import Address

    from echidna_mcp_plugins.py_evm.message import Scope
    from echidna_mcp_plugins.py_evm.program import Block, Program
    from echidna_mcp_plugins.py_evm.recording import Record, SeenBlocks
    from echidna_mcp_plugins.py_evm.state import State

_INITCODE_FACTOR = 2  # EIP-3860
_HISTORY = address_of(HISTORY_ADDRESS)


def memory_gas(words: int) -> int:
    """Return the gas for that many words of memory."""
    return 3 * words + words * words // 512


class Frame(CancunComputation):
    """Executes one message call or creation.

    Refunds, logs and deletions are kept in the scope of the transaction and journalled
    with the state, instead of being collected from a tree of finished frames.

    Made ready by `configure` with the limit of the code size, the precompiles, and
    whether a contract serves the hashes of blocks.
    """

    state: State
    msg: FrameMessage
    max_code_size: ClassVar[int] = 0
    serves_hashes: ClassVar[bool] = False

    def __init__(
        self,
        state: StateAPI,
        message: MessageAPI,
        transaction_context: TransactionContextAPI,
    ) -> None:
        self.state = cast("State", state)
        self.msg = cast("FrameMessage", message)
        self.transaction_context = transaction_context
        self.scope = cast("Scope", transaction_context)
        self.contracts_created = self.scope.contracts_created
        self.address: Address = message.storage_address
        self.calldata = cast("bytes", message.data)
        self.is_static: bool = message.is_static
        self.gas: int = message.gas
        self.stack: list[int] = []
        self.memory = bytearray()
        self.beneficiaries = []
        self.calling = Calling()
        self.passes_over = False
        self.record: Record | None = None

    # ------------------------------------------------------------------ frames

    @classmethod
    def apply_computation(
        cls,
        state: StateAPI,
        message: MessageAPI,
        transaction_context: TransactionContextAPI,
        parent_computation: ComputationAPI | None = None,
    ) -> ComputationAPI:
        """Execute a frame; a fault becomes its `error`."""
        frame = cls(state, message, transaction_context)
        if frame.scope.recorder is not None:
            frame.scope.recorder.begin(frame, cast("Frame | None", parent_computation))
        if message.is_create:
            scope = frame.scope
            scope.contracts_created.append(frame.address)
            scope.undo.append((scope.created, frame.address, None))
            scope.created[frame.address] = True
        precompile = cls._precompiles.get(message.code_address)
        try:
            if precompile is not None:
                if not message.is_delegation:  # EIP-7702: to nothing
                    precompile(frame)
            elif message.code:
                if frame.address == _HISTORY and cls.serves_hashes:
                    frame.state.write_asked(frame.calldata)
                frame.run()
        except VMError as error:
            frame.fail(error)
        return frame

    def fail(self, error: VMError) -> None:
        """Take note of a fault."""
        # The traceback would tie the frame into a reference cycle.
        self._error = error.with_traceback(None)
        error.__context__ = None
        if error.burns_gas:
            self.gas = 0

    def prepare_child_message(
        self, gas: int, to: Address, value: int, data: Any, code: bytes, **kwargs: Any
    ) -> MessageAPI:
        if self.calling.overridden:
            return overriding_message(
                self, to, gas, value, is_static=kwargs["is_static"]
            )
        pass_over(self)
        kwargs.setdefault("sender", self.calling.sender or self.address)
        return FrameMessage(
            gas=gas,
            to=to,
            value=value,
            data=data,
            code=code,
            depth=self.msg.depth + 1,
            **kwargs,
        )

    def apply_child_computation(self, child_msg: MessageAPI) -> ComputationAPI:
        child = self._answered(child_msg)
        if child is None:
            child = self.run_child(child_msg)
        child.keep_ending()
        if self.state.cheats is not None:
            ended(self, child)
        if child_msg.is_create and child.is_success:
            self.return_data = b""
        else:
            self.return_data = child.output
        return child

    def _answered(self, child_msg: MessageAPI) -> Frame | None:
        """Return how a call has ended, if no frame is to run for it."""
        recorder, record = self.scope.recorder, self.record
        if recorder is None or record is None:
            return answered(self, child_msg)
        since, kind = len(recorder), record.begins
        child = answered(self, child_msg)
        if child is not None:
            recorder.answer(child, self, kind, since)
        return child

    def run_child(self, child_msg: MessageAPI) -> Frame:
        """Run a call or creation that the running frame makes."""
        apply = self.apply_create_message if child_msg.is_create else self.apply_message
        return cast(
            "Frame",
            apply(
                self.state, child_msg, self.transaction_context, parent_computation=self
            ),
        )

    def keep_ending(self) -> None:
        """Keep how this frame has ended if that is wanted; cheatcodes may change it."""
        if self.record is not None:
            self.record.ending = Ending(status_of(self), self.output)

    def register_account_for_deletion(
        self,
        beneficiary: Address,  # noqa: ARG002
    ) -> None:
        doomed = self.scope.doomed
        if self.address not in doomed:
            self.scope.undo.append((doomed, self.address, None))
            doomed[self.address] = True

    @classmethod
    def validate_create_message(cls, message: MessageAPI) -> None:
        """Limit the size of creation code (EIP-3860)."""
        if len(message.code) > _INITCODE_FACTOR * cls.max_code_size:
            raise OutOfGas("creation code is too large")

    @classmethod
    def validate_contract_code(cls, contract_code: bytes) -> None:
        """Limit size (EIP-170) and first byte (EIP-3541) of runtime code."""
        if len(contract_code) > cls.max_code_size:
            raise OutOfGas("runtime code is too large")
        if contract_code[:1] == EIP3541_RESERVED_STARTING_BYTE:
            raise ReservedBytesInCode("runtime code starts with 0xEF")

    # -------------------------------------------------------------------- loop

    def run(self) -> None:
        """Execute the code of this frame to its end.

        Raises:
            VMError: the frame faulted or reverted.
        """
        program, scope, stack = self._enter(), self.scope, self.stack
        seen = self._seen(program)
        following = scope.follows(self.msg.depth)
        before: Block | None = None
        blocks = program.blocks
        steps = pc = 0
        try:
            while pc >= 0:
                try:
                    entry = blocks[pc]
                except KeyError:
                    entry = program.decode(pc)
                gas, need, room, count, body, last, follow, block = entry
                left = self.gas - gas
                if left < 0 or not need <= len(stack) <= room:
                    self._refuse(need, room)
                self.gas = left
                steps += count
                if seen is not None and count:
                    seen.add(block)
                    scope.last = block
                    if following:
                        before = scope.follow(before, block)
                for operation in body:
                    operation(stack, self)
                pc = follow
                if last is not None:
                    target = last(stack, self)
                    if target is not None:
                        pc = target
        except Halt:
            pass
        finally:
            scope.steps += steps
            scope.forget_unseen(program, self.msg.depth)

    def _seen(self, program: Program) -> SeenBlocks | None:
        """Return where the blocks that are entered go; None if nobody wants them."""
        scope, depth = self.scope, self.msg.depth
        seen: SeenBlocks | None = scope.seen(program, depth)
        if seen is not None and self.record is not None:
            seen = Trail(seen, self.record.trail)
        if scope.trail is not None and depth < TRACED_DEPTHS:
            seen = DepthTrail(set() if seen is None else seen, scope.trail, depth)
        if seen is None and scope.comparing:
            seen = set()  # Comparisons are told by the block entered last.
        return seen

    def _refuse(self, need: int, room: int) -> NoReturn:
        """Fail at a block that must not be entered; the stack is looked at first."""
        if len(self.stack) < need:
            raise InsufficientStack("stack underflow")
        if len(self.stack) > room:
            raise FullStack("stack overflow")
        raise OutOfGas("static gas")

    def _enter(self) -> Program:
        state, scope, address = self.state, self.scope, self.address
        self.program = state.programs[self.msg.code]
        self.slots = state.world.slots(address)
        self.warm_slots = scope.warm_slots.setdefault(address, {})
        self.originals = scope.originals.setdefault(address, {})
        return self.program

    # --------------------------------------------------------------------- gas

    def charge(self, amount: int) -> None:
        """Pay gas.

        Raises:
            OutOfGas: there is less.
        """
        if amount > self.gas:
            raise OutOfGas("dynamic gas")
        self.gas -= amount

    def consume_gas(self, amount: int, reason: str) -> None:
        if amount > self.gas:
            raise OutOfGas(reason)
        self.gas -= amount

    def return_gas(self, amount: int) -> None:
        self.gas += amount

    def refund_gas(self, amount: int) -> None:
        self.scope.refund += amount

    def get_gas_remaining(self) -> int:
        return 0 if self.should_burn_gas else self.gas

    # ------------------------------------------------------------------ memory

    def extend_memory(self, start_position: int, size: int) -> None:
        end = start_position + size
        if size and end > len(self.memory):
            words = end + 31 >> 5
            self.charge(memory_gas(words) - memory_gas(len(self.memory) >> 5))
            self.memory.extend(bytes(32 * words - len(self.memory)))

    def memory_write(self, start_position: int, size: int, value: bytes) -> None:
        if size:
            self.memory[start_position : start_position + size] = value

    def memory_read_bytes(self, start_position: int, size: int) -> bytes:
        return bytes(self.memory[start_position : start_position + size])

    # ------------------------------------------------------------------- stack
    #
    # The decoder has checked the bounds for py-evm's opcodes, too.

    def stack_pop1_int(self) -> int:
        return self.stack.pop()

    def stack_pop1_bytes(self) -> bytes:
        return self.stack.pop().to_bytes(32, "big")

    def stack_pop_ints(self, num_items: int) -> tuple[int, ...]:
        stack = self.stack
        items = tuple(stack[: -num_items - 1 : -1])
        del stack[-num_items:]
        return items

    def stack_push_int(self, value: int) -> None:
        self.stack.append(value)

    def stack_push_bytes(self, value: bytes) -> None:
        self.stack.append(int.from_bytes(value, "big"))
