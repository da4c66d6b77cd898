"""Unmodified py-evm with whole transactions, watched from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eth.chains.base import MiningChain
from eth.db.atomic import AtomicDB
from eth.exceptions import InvalidInstruction, OutOfGas, Revert
from eth.vm.forks.cancun import CancunVM
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth.vm.forks.cancun.state import CancunState
from eth.vm.logic.invalid import InvalidOpcode
from eth.vm.spoof import SpoofTransaction
from eth_hash.auto import keccak

from echidna_mcp.evm.backend import BlockContext, Status

if TYPE_CHECKING:
    from collections.abc import Callable

RICH = 10**30


class Recorder(dict[int, Any]):
    """The opcode table; notes (code hash, depth, pc) of each instruction."""

    def __init__(self) -> None:
        super().__init__()
        self.instructions: list[tuple[bytes, int, int]] = []

    def __missing__(self, opcode: int) -> Callable[..., None]:
        execute = CANCUN_OPCODES.get(opcode) or InvalidOpcode(opcode)
        execute = getattr(execute, "__wrapped__", execute)

        def recorded(computation: Any) -> None:
            stream = computation.code
            pc = stream.program_counter - 1
            # At the end of the code py-evm executes a STOP that is not there.
            real = 0 <= pc < len(stream) and stream[pc] == opcode
            if real and stream.is_valid_opcode(pc):
                code_hash = keccak(computation.msg.code)
                self.instructions.append((code_hash, computation.msg.depth, pc))
            execute(computation=computation)

        self[opcode] = recorded
        return recorded


class PlainPyEvm:
    """A chain of one block; senders are rich and gas is free."""

    def __init__(self, block: BlockContext, senders: list[int]) -> None:
        self.recorder = Recorder()
        state_class = CancunState.configure(
            computation_class=CancunState.computation_class.configure(
                opcodes=self.recorder
            )
        )
        vm_class = CancunVM.configure(_state_class=state_class)
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

    def storage(self, address: int, slot: int) -> int:
        return int(self.state.get_storage(address.to_bytes(20, "big"), slot))

    def code(self, address: int) -> bytes:
        return bytes(self.state.get_code(address.to_bytes(20, "big")))

    def run(
        self, sender: int, to: int | None, data: bytes, value: int, gas: int
    ) -> tuple[Any, int]:
        """Apply a transaction; return its computation and the gas used."""
        self.recorder.instructions.clear()
        origin = sender.to_bytes(20, "big")
        unsigned = self.vm.create_unsigned_transaction(
            nonce=self.state.get_nonce(origin),
            gas_price=0,
            gas=gas,
            to=b"" if to is None else to.to_bytes(20, "big"),
            value=value,
            data=data,
        )
        self.state.lock_changes()
        result = self.state.apply_transaction(SpoofTransaction(unsigned, from_=origin))
        used = gas - result.get_gas_remaining()
        if not result.is_error:
            used -= min(result.get_gas_refund(), used // 5)
        return result, used


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
