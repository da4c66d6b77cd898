"""Opcodes that read the frame, the message, the block (Yellow Paper, H.2: 30s, 40s)."""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    load256,
    peek256,
    u64,
    u256,
    wrap64,
    wrap256,
)
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.opcodes.gas import WORD
from echidna_mcp_plugins.native.opcodes.opcode import opcode
from echidna_mcp_plugins.native.state.accounts import balance
from echidna_mcp_plugins.native.state.history import ancestor_hash
from echidna_mcp_plugins.native.state.machine import (
    ASK_BLOB_HASH,
    ASK_BLOCK_HASH,
    HOOK_HASHES,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import Fork

ANCESTORS = 256

# -------------------------------------------------------------------------- frame


@opcode(0x30, "ADDRESS", gas=2)
@inline
def address(m: Machine) -> u256:
    """Return the address of the account that the code acts for."""
    return m.address


@opcode(0x33, "CALLER", gas=2)
@inline
def caller(m: Machine) -> u256:
    """Return who made the call."""
    return m.caller


@opcode(0x34, "CALLVALUE", gas=2)
@inline
def callvalue(m: Machine) -> u256:
    """Return the wei that came with the call."""
    return m.value


@opcode(0x35, "CALLDATALOAD", gas=3)
@inline
def calldataload(m: Machine, offset: u256) -> u256:
    """Return the word at `offset` of the calldata, which zeros follow."""
    if offset >= wrap256(m.input_size):
        return 0
    start = wrap64(offset)
    left = m.input_size - start
    if left >= WORD:
        return load256(m.memory, m.input_start + start)
    return partial_word(m, start, left)


@inline
def partial_word(m: Machine, start: u64, left: u64) -> u256:
    """Return the last `left` bytes of the calldata, 1 to 31, with zeros after them."""
    shift = 8 * (WORD - left)
    end = m.input_start + m.input_size
    if end < WORD:
        return wrap256((load256(m.memory, m.input_start + start) >> shift) << shift)
    # The memory may end with the calldata: read the word that ends there.
    return wrap256(load256(m.memory, end - WORD) << shift)


@opcode(0x36, "CALLDATASIZE", gas=2)
@inline
def calldatasize(m: Machine) -> u256:
    """Return the size of the calldata in bytes."""
    return wrap256(m.input_size)


@opcode(0x38, "CODESIZE", gas=2)
@inline
def codesize(m: Machine) -> u256:
    """Return the size of the code that runs, in bytes."""
    return wrap256(m.code_size)


@opcode(0x3D, "RETURNDATASIZE", gas=2)
@inline
def returndatasize(m: Machine) -> u256:
    """Return the size of what the last call returned, in bytes (EIP-211)."""
    return wrap256(m.returned_size)


@opcode(0x47, "SELFBALANCE", gas=5)
@inline
def selfbalance(m: Machine) -> u256:
    """Return the balance of the account that the code acts for (EIP-1884)."""
    return balance(m, m.account)


@opcode(0x59, "MSIZE", gas=2)
@inline
def msize(m: Machine) -> u256:
    """Return the size of the memory in use, in bytes."""
    return wrap256(m.memory_size)


@opcode(0x5A, "GAS", gas=2, flow=Flow.SPLIT)
@inline
def gas(m: Machine) -> u256:
    """Return the gas that is left after this instruction."""
    return wrap256(m.gas)


# ------------------------------------------------------------------------ message


@opcode(0x32, "ORIGIN", gas=2)
@inline
def origin(m: Machine) -> u256:
    """Return the sender of the message."""
    return m.origin


@opcode(0x3A, "GASPRICE", gas=2)
@inline
def gasprice(m: Machine) -> u256:
    """Return the gas price of the message."""
    return m.gas_price


@opcode(0x49, "BLOBHASH", gas=3, since=Fork.CANCUN)
def blobhash(m: Machine, index: u256) -> u256:
    """Return a versioned hash of the message; 0 beyond the last one (EIP-4844)."""
    found = wrap256(0)
    if index < wrap256(m.blob_hash_count):
        found = peek256(m.blob_hashes, WORD * wrap64(index))
    if m.hooks & HOOK_HASHES != 0:
        return ask_for_hash(m, ASK_BLOB_HASH, index, found)
    return found


# ---------------------------------------------------------------- block and chain


@opcode(0x40, "BLOCKHASH", gas=20)
def blockhash(m: Machine, number: u256) -> u256:
    """Return the hash of one of the last 256 blocks, else 0."""
    m.clock_read = 1
    if number >= wrap256(m.block_number):
        return 0
    if m.block_number - wrap64(number) > ANCESTORS:
        return 0
    found = ancestor_hash(wrap64(number))
    if m.hooks & HOOK_HASHES != 0:
        return ask_for_hash(m, ASK_BLOCK_HASH, number, found)
    return found


@cold
def ask_for_hash(m: Machine, question: u64, number: u256, found: u256) -> u256:
    """Return what cheatcodes give in place of a hash."""
    m.told_code = number
    m.told_value = found
    m.host(question)
    return m.told_value


@opcode(0x41, "COINBASE", gas=2)
@inline
def coinbase(m: Machine) -> u256:
    """Return the beneficiary of the block."""
    return m.coinbase


@opcode(0x42, "TIMESTAMP", gas=2)
@inline
def timestamp(m: Machine) -> u256:
    """Return the block's timestamp in seconds."""
    m.clock_read = 1
    return wrap256(m.timestamp)


@opcode(0x43, "NUMBER", gas=2)
@inline
def number(m: Machine) -> u256:
    """Return the block's number."""
    m.clock_read = 1
    return wrap256(m.block_number)


@opcode(0x44, "PREVRANDAO", gas=2)
@inline
def prevrandao(m: Machine) -> u256:
    """Return the randomness of the previous block (EIP-4399)."""
    return m.prev_randao


@opcode(0x45, "GASLIMIT", gas=2)
@inline
def gaslimit(m: Machine) -> u256:
    """Return the block's gas limit."""
    return wrap256(m.gas_limit)


@opcode(0x46, "CHAINID", gas=2)
@inline
def chainid(m: Machine) -> u256:
    """Return the chain id (EIP-1344)."""
    return wrap256(m.chain_id)


@opcode(0x48, "BASEFEE", gas=2)
@inline
def basefee(m: Machine) -> u256:
    """Return the block's base fee (EIP-3198)."""
    return m.base_fee


@opcode(0x4A, "BLOBBASEFEE", gas=2, since=Fork.CANCUN)
@inline
def blobbasefee(m: Machine) -> u256:
    """Return the block's fee for a unit of blob gas (EIP-7516)."""
    return m.blob_base_fee
