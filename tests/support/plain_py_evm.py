"""Unmodified py-evm with whole transactions, watched from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from block_rules import Moment
from eth.chains.base import MiningChain
from eth.db.atomic import AtomicDB
from eth.exceptions import InvalidInstruction, OutOfGas, Revert
from eth.vm.forks.cancun import CancunVM
from eth.vm.forks.prague import PragueVM
from eth.vm.forks.shanghai import ShanghaiVM
from eth.vm.logic.invalid import InvalidOpcode
from eth.vm.spoof import SpoofTransaction

from echidna_mcp.evm.backend import BlockContext, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eth.abc import OpcodeAPI, SetCodeAuthorizationAPI

    from echidna_mcp.evm.fork import ForkName

VMS: dict[ForkName, Any] = {
    "shanghai": ShanghaiVM,
    "cancun": CancunVM,
    "prague": PragueVM,
}
RICH = 10**30


class Recorder(dict[int, Any]):
    """The opcode table; notes the machine before each instruction."""

    def __init__(self, opcodes: Mapping[int, OpcodeAPI]) -> None:
        super().__init__()
        self.opcodes = opcodes
        self.moments: list[Moment] = []

    def __missing__(self, opcode: int) -> Callable[..., None]:
        execute = self.opcodes.get(opcode) or InvalidOpcode(opcode)
        execute = getattr(execute, "__wrapped__", execute)

        def recorded(computation: Any) -> None:
            stream = computation.code
            pc = stream.program_counter - 1
            # At the end of the code py-evm executes a STOP that is not there.
            real = 0 <= pc < len(stream) and stream[pc] == opcode
            if real and stream.is_valid_opcode(pc):
                height = len(computation._stack.values)
                gas = computation._gas_meter.gas_remaining
                code, depth = computation.msg.code, computation.msg.depth
                self.moments.append(Moment(code, depth, pc, height, gas))
            execute(computation=computation)

        self[opcode] = recorded
        return recorded


class PlainPyEvm:
    """A chain of one block; senders are rich and gas is free."""

    def __init__(
        self, block: BlockContext, senders: list[int], fork: ForkName = "cancun"
    ) -> None:
        original = VMS[fork]._state_class
        computation = original.computation_class
        self.recorder = Recorder(computation.opcodes)
        state_class = original.configure(
            computation_class=computation.configure(opcodes=self.recorder)
        )
        vm_class = VMS[fork].configure(_state_class=state_class)
        chain = MiningChain.configure(
            "Plain", vm_configuration=((0, vm_class),), chain_id=block.chain_id
        ).from_genesis(
            AtomicDB(),
            {
                "difficulty": 0,
                "gas_limit": block.gas_limit,
                "timestamp": 1,
                "base_fee_per_gas": 0,
                "coinbase": bytes(20),
                "nonce": bytes(8),
                "mix_hash": bytes(32),
                "extra_data": b"",
            },
            {},
        )
        self.vm = chain.get_vm()
        self.state: Any = self.vm.state
        context = self.state.execution_context
        context._base_fee_per_gas = block.base_fee
        context._timestamp = block.timestamp
        context._block_number = block.number
        context._mix_hash = block.prev_randao.to_bytes(32, "big")
        context._gas_limit = block.gas_limit
        context._coinbase = block.coinbase.to_bytes(20, "big")
        for sender in senders:
            self.set_balance(sender, RICH)

    def set_balance(self, address: int, balance: int) -> None:
        self.state.set_balance(address.to_bytes(20, "big"), balance)

    def install(self, address: int, code: bytes) -> None:
        where = address.to_bytes(20, "big")
        self.state.set_code(where, code)
        self.state.set_nonce(where, 1)

    def balance(self, address: int) -> int:
        return int(self.state.get_balance(address.to_bytes(20, "big")))

    def nonce(self, address: int) -> int:
        return int(self.state.get_nonce(address.to_bytes(20, "big")))

    def storage(self, address: int, slot: int) -> int:
        return int(self.state.get_storage(address.to_bytes(20, "big"), slot))

    def code(self, address: int) -> bytes:
        return bytes(self.state.get_code(address.to_bytes(20, "big")))

    def run(
        self, sender: int, to: int | None, data: bytes, value: int, gas: int
    ) -> tuple[Any, int]:
        """Apply a transaction; return its computation and the gas used."""
        unsigned = self.vm.create_unsigned_transaction(
            nonce=self.nonce(sender),
            gas_price=0,
            gas=gas,
            to=b"" if to is None else to.to_bytes(20, "big"),
            value=value,
            data=data,
        )
        return self._apply(unsigned, sender)

    def run_typed(
        self,
        sender: int,
        to: int,
        gas: int,
        *,
        access_list: Sequence[tuple[int, Sequence[int]]] = (),
        authorizations: Sequence[SetCodeAuthorizationAPI] = (),
    ) -> tuple[Any, int]:
        """Apply a transaction with access list or authorizations."""
        fields = {
            "chain_id": 1,
            "nonce": self.nonce(sender),
            "gas": gas,
            "to": to.to_bytes(20, "big"),
            "value": 0,
            "data": b"",
            "access_list": [
                (address.to_bytes(20, "big"), slots) for address, slots in access_list
            ],
        }
        builder = self.vm.get_transaction_builder()
        if not authorizations:
            unsigned = builder.new_unsigned_access_list_transaction(
                gas_price=0, **fields
            )
            return self._apply(unsigned, sender)
        unsigned = builder.new_unsigned_set_code_transaction(
            max_priority_fee_per_gas=0,
            max_fee_per_gas=0,
            authorization_list=authorizations,
            **fields,
        )
        return self._apply(unsigned, sender, type_id=4)

    def _apply(self, unsigned: Any, sender: int, **more: Any) -> tuple[Any, int]:
        self.recorder.moments.clear()
        origin = sender.to_bytes(20, "big")
        self.state.lock_changes()
        spoofed = SpoofTransaction(unsigned, from_=origin, **more)
        result = self.state.apply_transaction(spoofed)
        used = unsigned.gas - result.get_gas_remaining()
        used -= min(result.get_gas_refund(), used // 5)
        return result, used + result.data_floor_gas


def status_class(computation: Any) -> Status:
    """Return the status; the three successes are STOP."""
    if not computation.is_error:
        return Status.STOP
    error = computation.error
    if isinstance(error, Revert):
        return Status.REVERT
    if isinstance(error, OutOfGas):
        return Status.OUT_OF_GAS
    # A jump into PUSH data is an `InvalidInstruction` to py-evm: a bad jump to us.
    if isinstance(error, InvalidInstruction) and "Jump" not in str(error):
        return Status.INVALID_OPCODE
    return Status.HALT
