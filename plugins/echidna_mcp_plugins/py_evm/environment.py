"""Opcodes that only read: environment, block, transient storage."""

# One small function an opcode, named as in the Yellow Paper: a docstring each would
# repeat the name.
# ruff: noqa: D103

from __future__ import annotations

from typing import TYPE_CHECKING

from eth.vm import opcode_values as op

if TYPE_CHECKING:
    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.words import Operation


def address(stack: list[int], frame: Frame) -> None:
    stack.append(int.from_bytes(frame.address, "big"))


def origin(stack: list[int], frame: Frame) -> None:
    stack.append(int.from_bytes(frame.scope.origin, "big"))


def caller(stack: list[int], frame: Frame) -> None:
    stack.append(int.from_bytes(frame.msg.sender, "big"))


def callvalue(stack: list[int], frame: Frame) -> None:
    stack.append(frame.msg.value)


def calldataload(stack: list[int], frame: Frame) -> None:
    at = stack[-1]
    stack[-1] = int.from_bytes(frame.calldata[at : at + 32].ljust(32, b"\0"), "big")


def calldatasize(stack: list[int], frame: Frame) -> None:
    stack.append(len(frame.calldata))


def codesize(stack: list[int], frame: Frame) -> None:
    stack.append(len(frame.program.code))


def gasprice(stack: list[int], frame: Frame) -> None:
    stack.append(frame.scope.gas_price)


def returndatasize(stack: list[int], frame: Frame) -> None:
    stack.append(len(frame.return_data))


def coinbase(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.world.env.coinbase)


def timestamp(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.world.timestamp)


def number(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.world.number)


def prevrandao(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.world.env.prev_randao)


def gaslimit(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.world.env.gas_limit)


def chainid(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.world.env.chain_id)


def selfbalance(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.world.balances.get(frame.address, 0))


def basefee(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.world.env.base_fee)


def blobhash(stack: list[int], frame: Frame) -> None:
    at, hashes = stack[-1], frame.scope.blob_hashes
    stack[-1] = hashes[at] if at < len(hashes) else 0


def blobbasefee(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.world.env.blob_base_fee)


def msize(stack: list[int], frame: Frame) -> None:
    stack.append(len(frame.memory))


def tload(stack: list[int], frame: Frame) -> None:
    stack[-1] = frame.scope.transient.get((frame.address, stack[-1]), 0)


ENVIRONMENT: dict[int, Operation] = {
    op.ADDRESS: address,
    op.ORIGIN: origin,
    op.CALLER: caller,
    op.CALLVALUE: callvalue,
    op.CALLDATALOAD: calldataload,
    op.CALLDATASIZE: calldatasize,
    op.CODESIZE: codesize,
    op.GASPRICE: gasprice,
    op.RETURNDATASIZE: returndatasize,
    op.COINBASE: coinbase,
    op.TIMESTAMP: timestamp,
    op.NUMBER: number,
    op.DIFFICULTY: prevrandao,
    op.GASLIMIT: gaslimit,
    op.CHAINID: chainid,
    op.SELFBALANCE: selfbalance,
    op.BASEFEE: basefee,
    op.BLOBHASH: blobhash,
    op.BLOBBASEFEE: blobbasefee,
    op.MSIZE: msize,
    op.TLOAD: tload,
}
"""Operations without gas of their own beyond the static one."""
