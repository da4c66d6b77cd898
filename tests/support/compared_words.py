"""What sequences compare, as unmodified py-evm has it: the witness of frontiers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from eth.vm import opcode_values as op
from native_backends import REFERENCE, named
from plain_py_evm import RICH, PlainPyEvm

from echidna_mcp.corpora.model import StoredCall
from echidna_mcp.evm.outside import Outside
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.deployment import deployed_world

_ASKED = (op.LT, op.GT, op.SLT, op.SGT, op.EQ, op.ISZERO, op.SUB, op.XOR)
_GAS = 12_500_000


class Compared(NamedTuple):
    """An instruction that has run, with the words on the stack."""

    call: int
    address: int
    code: bytes
    counter: int
    opcode: int
    left: int
    right: int

    @property
    def holds(self) -> bool:
        """Its outcome."""
        left, right = self.left, self.right
        if self.opcode in (op.SLT, op.SGT):
            left, right = (
                int.from_bytes(word.to_bytes(32, "big"), "big", signed=True)
                for word in (left, right)
            )
        if self.opcode in (op.LT, op.SLT):
            return left < right
        if self.opcode in (op.GT, op.SGT):
            return left > right
        return left == right


class Witness:
    """The world of a target before its first call."""

    def __init__(self, target: FuzzTarget) -> None:
        self._block = target.config.block
        evm, _ = deployed_world(named(REFERENCE), target, Outside())
        self._accounts = [*evm.accounts()]

    def run(self, calls: Iterable[StoredCall]) -> list[Compared]:
        """Run a sequence; return all that contracts compared, in order."""
        found: list[Compared] = []
        evm = PlainPyEvm(self._block, [])
        for address, account in self._accounts:
            where = address.to_bytes(20, "big")
            evm.state.set_balance(where, account.balance)
            evm.state.set_nonce(where, account.nonce)
            evm.state.set_code(where, account.code)
            for slot, word in account.storage.items():
                evm.state.set_storage(where, slot, word)
        for opcode in _ASKED:
            _note(evm, opcode, found)
        context = evm.state.execution_context
        told: list[Compared] = []
        for number, call in enumerate(calls):
            context._timestamp += call.time_delay
            context._block_number += call.block_delay
            assert call.sender is not None
            evm.set_balance(call.sender, RICH)
            evm.run(call.sender, call.target, call.calldata, call.value, _GAS)
            told += (each._replace(call=number) for each in found)
            found.clear()
        return told


def _note(evm: PlainPyEvm, opcode: int, found: list[Compared]) -> None:
    """Let an instruction add what it compares to a list."""
    run = evm.recorder[opcode]

    def noted(computation: Any) -> None:
        stack, message = computation._stack.values, computation.msg
        found.append(
            Compared(
                call=-1,
                address=_word(message.storage_address),
                code=message.code,
                counter=computation.code.program_counter - 1,
                opcode=opcode,
                left=_word(stack[-1]),
                right=0 if opcode == op.ISZERO else _word(stack[-2]),
            )
        )
        run(computation=computation)

    evm.recorder[opcode] = noted


def _word(value: int | bytes) -> int:
    """Return what py-evm has on its stack as a number."""
    return value if isinstance(value, int) else int.from_bytes(value, "big")
