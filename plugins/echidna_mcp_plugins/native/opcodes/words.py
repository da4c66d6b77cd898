"""Opcodes that compute with words alone (Yellow Paper, H.2: 0s and 10s)."""

from __future__ import annotations

from echidna_mcp.evm.backend import ComparisonKind
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    MASK256,
    leading_zeros256,
    signed_less,
    signed_shift,
    u64,
    u256,
    wrap64,
    wrap256,
    wrap512,
)
from echidna_mcp_plugins.native.opcodes.comparisons import compare
from echidna_mcp_plugins.native.opcodes.gas import charge
from echidna_mcp_plugins.native.opcodes.opcode import opcode
from echidna_mcp_plugins.native.state.machine import Machine
from echidna_mcp_plugins.native.state.rules import Fork

EXP_BYTE_GAS = 50
"""EIP-160."""
SIGN_SHIFT = 255

# --------------------------------------------------------------------- arithmetic


@opcode(0x01, "ADD", gas=3)
@inline
def add(left: u256, right: u256) -> u256:
    """Return the sum modulo 2^256."""
    return wrap256(left + right)


@opcode(0x02, "MUL", gas=5)
@inline
def mul(left: u256, right: u256) -> u256:
    """Return the product modulo 2^256."""
    return wrap256(left * right)


@opcode(0x03, "SUB", gas=3)
@inline
def sub(left: u256, right: u256) -> u256:
    """Return the difference modulo 2^256."""
    return wrap256(left - right)


@opcode(0x04, "DIV", gas=5)
def div(left: u256, right: u256) -> u256:
    """Return the quotient, rounded down; by 0 it is 0."""
    if right == 0:
        return 0
    return left // right


@opcode(0x05, "SDIV", gas=5)
def sdiv(left: u256, right: u256) -> u256:
    """Return the signed quotient, rounded towards 0; by 0 it is 0."""
    if right == 0:
        return 0
    quotient = magnitude(left) // magnitude(right)
    if (left ^ right) >> SIGN_SHIFT != 0:
        return wrap256(0 - quotient)
    return quotient


@opcode(0x06, "MOD", gas=5)
def mod(left: u256, right: u256) -> u256:
    """Return the remainder; by 0 it is 0."""
    if right == 0:
        return 0
    return left % right


@opcode(0x07, "SMOD", gas=5)
def smod(left: u256, right: u256) -> u256:
    """Return the remainder of the magnitudes with the sign of `left`; by 0 it is 0."""
    if right == 0:
        return 0
    remainder = magnitude(left) % magnitude(right)
    if left >> SIGN_SHIFT != 0:
        return wrap256(0 - remainder)
    return remainder


@opcode(0x08, "ADDMOD", gas=8)
def addmod(left: u256, right: u256, modulus: u256) -> u256:
    """Return the sum, which does not wrap, modulo `modulus`; modulo 0 it is 0."""
    if modulus == 0:
        return 0
    return wrap256((wrap512(left) + wrap512(right)) % wrap512(modulus))


@opcode(0x09, "MULMOD", gas=8)
def mulmod(left: u256, right: u256, modulus: u256) -> u256:
    """Return the product, which does not wrap, modulo `modulus`; modulo 0 it is 0."""
    if modulus == 0:
        return 0
    return wrap256((wrap512(left) * wrap512(right)) % wrap512(modulus))


@opcode(0x0A, "EXP", gas=10, fallible=True)
def exp(m: Machine, base: u256, exponent: u256) -> u256:
    """Return the power modulo 2^256; each byte of the exponent costs (EIP-160)."""
    if charge(m, exponent_gas(exponent)) == 0:
        return 0
    return power(base, exponent)


@inline
def exponent_gas(exponent: u256) -> u64:
    """Return what the bytes of an exponent cost."""
    return EXP_BYTE_GAS * ((256 - leading_zeros256(exponent) + 7) >> 3)


@opcode(0x0B, "SIGNEXTEND", gas=5)
@inline
def signextend(last: u256, value: u256) -> u256:
    """Return `value` as a signed number whose highest byte is number `last`."""
    if last >= 31:
        return value
    shift = 248 - 8 * wrap64(last)
    return signed_shift(wrap256(value << shift), shift)


@inline
def magnitude(value: u256) -> u256:
    """Return the absolute value of a signed number."""
    if value >> SIGN_SHIFT != 0:
        return wrap256(0 - value)
    return value


def power(base: u256, exponent: u256) -> u256:
    """Return the power modulo 2^256, by squaring."""
    result = wrap256(1)
    square = base
    left = exponent
    while left != 0:
        if left & 1 != 0:
            result = wrap256(result * square)
        square = wrap256(square * square)
        left = left >> 1
    return result


# ------------------------------------------------------- comparison and bitwise logic


@opcode(0x10, "LT", gas=3)
@inline
def lt(m: Machine, left: u256, right: u256) -> u256:
    """Return whether `left` is less."""
    compare(m, ComparisonKind.LESS, left, right)
    if left < right:
        return 1
    return 0


@opcode(0x11, "GT", gas=3)
@inline
def gt(m: Machine, left: u256, right: u256) -> u256:
    """Return whether `left` is greater."""
    compare(m, ComparisonKind.GREATER, left, right)
    if left > right:
        return 1
    return 0


@opcode(0x12, "SLT", gas=3)
@inline
def slt(m: Machine, left: u256, right: u256) -> u256:
    """Return whether `left` is less, as signed numbers."""
    compare(m, ComparisonKind.SIGNED_LESS, left, right)
    return wrap256(signed_less(left, right))


@opcode(0x13, "SGT", gas=3)
@inline
def sgt(m: Machine, left: u256, right: u256) -> u256:
    """Return whether `left` is greater, as signed numbers."""
    compare(m, ComparisonKind.SIGNED_GREATER, left, right)
    return wrap256(signed_less(right, left))


@opcode(0x14, "EQ", gas=3)
@inline
def eq(m: Machine, left: u256, right: u256) -> u256:
    """Return whether both are equal."""
    compare(m, ComparisonKind.EQUAL, left, right)
    if left == right:
        return 1
    return 0


@opcode(0x15, "ISZERO", gas=3)
@inline
def iszero(value: u256) -> u256:
    """Return whether `value` is 0."""
    if value == 0:
        return 1
    return 0


@opcode(0x16, "AND", gas=3)
@inline
def and_(left: u256, right: u256) -> u256:
    """Return the bitwise and."""
    return left & right


@opcode(0x17, "OR", gas=3)
@inline
def or_(left: u256, right: u256) -> u256:
    """Return the bitwise or."""
    return left | right


@opcode(0x18, "XOR", gas=3)
@inline
def xor(left: u256, right: u256) -> u256:
    """Return the bitwise exclusive or."""
    return left ^ right


@opcode(0x19, "NOT", gas=3)
@inline
def not_(value: u256) -> u256:
    """Return the bitwise complement."""
    return MASK256 ^ value


@opcode(0x1A, "BYTE", gas=3)
@inline
def byte(at: u256, value: u256) -> u256:
    """Return byte `at` of `value`, counted from the highest; 0 beyond the lowest."""
    if at >= 32:
        return 0
    return (value >> (248 - 8 * wrap64(at))) & 0xFF


@opcode(0x1B, "SHL", gas=3)
@inline
def shl(amount: u256, value: u256) -> u256:
    """Return `value` shifted left (EIP-145)."""
    if amount >= 256:
        return 0
    return wrap256(value << wrap64(amount))


@opcode(0x1C, "SHR", gas=3)
@inline
def shr(amount: u256, value: u256) -> u256:
    """Return `value` shifted right (EIP-145)."""
    if amount >= 256:
        return 0
    return value >> wrap64(amount)


@opcode(0x1D, "SAR", gas=3)
@inline
def sar(amount: u256, value: u256) -> u256:
    """Return `value` shifted right and filled with its sign (EIP-145)."""
    if amount > SIGN_SHIFT:
        return signed_shift(value, SIGN_SHIFT)
    return signed_shift(value, wrap64(amount))


@opcode(0x1E, "CLZ", gas=5, since=Fork.OSAKA)
@inline
def clz(value: u256) -> u256:
    """Return how many zero bits stand before the highest bit set (EIP-7939)."""
    return wrap256(leading_zeros256(value))
