"""Precompiled contracts: hashes and BN254 here, the others by way of the host.

The host is asked with the number of a precompile. It finds the input in `asked_start`
and `asked_size`, and the gas in `asked_gas`; it writes the output to `returned` and
`returned_size`, what is left of the gas to `asked_gas`, and returns a `FAULT_*`.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.memory import clear, copy, u64, wrap64
from echidna_mcp_plugins.native.precompiles.bn254.operations import (
    PAIRED,
    add_points,
    check_pairing,
    multiply_by_word,
)
from echidna_mcp_plugins.native.precompiles.hashes import (
    blake2_compress,
    blake2_rounds,
    ripemd160,
    sha256,
)
from echidna_mcp_plugins.native.state.machine import (
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    Machine,
)

SHA256 = 2
RIPEMD160 = 3
IDENTITY = 4
ECADD = 6
ECMUL = 7
ECPAIRING = 8
BLAKE2F = 9

SHA256_GAS = 60
SHA256_WORD_GAS = 12
RIPEMD160_GAS = 600
RIPEMD160_WORD_GAS = 120
IDENTITY_GAS = 15
IDENTITY_WORD_GAS = 3

ECADD_GAS = 150
"""EIP-1108, as the next three."""
ECMUL_GAS = 6000
ECPAIRING_GAS = 45000
ECPAIRING_PAIR_GAS = 34000

BLAKE2F_INPUT = 213
BLAKE2F_OUTPUT = 64


def run_precompile(m: Machine, number: u64, start: u64, size: u64, gas: u64) -> u64:
    """Run the precompile at address `number` on a range of `memory`.

    The output becomes the return data. One that fails sets `fault`: the caller decides
    what that means.

    Returns:
        what is left of the gas; 0 if it failed.
    """
    m.returned_size = 0
    if number == SHA256:
        return hash_input(m, number, start, size, gas)
    if number == RIPEMD160:
        return hash_input(m, number, start, size, gas)
    if number == IDENTITY:
        return echo_input(m, start, size, gas)
    if number >= ECADD and number <= ECPAIRING:
        return compute_on_curve(m, number, start, size, gas)
    if number == BLAKE2F:
        return compress_input(m, start, size, gas)
    m.asked_start = start
    m.asked_size = size
    m.asked_gas = gas
    m.fault = m.host(number)
    if m.fault != FAULT_NONE:
        m.returned_size = 0
        return 0
    return m.asked_gas


def pay_words(m: Machine, size: u64, base: u64, word: u64, gas: u64) -> u64:
    """Return what is left of the gas after paying by the word, or fail."""
    cost = base + (size + 31) // 32 * word
    if gas < cost:
        m.fault = FAULT_GAS
        return 0
    return gas - cost


def hash_input(m: Machine, number: u64, start: u64, size: u64, gas: u64) -> u64:
    """Run SHA-256 or RIPEMD-160."""
    if number == SHA256:
        left = pay_words(m, size, SHA256_GAS, SHA256_WORD_GAS, gas)
    else:
        left = pay_words(m, size, RIPEMD160_GAS, RIPEMD160_WORD_GAS, gas)
    if m.fault != FAULT_NONE:
        return 0
    if number == SHA256:
        sha256(m.memory, start, size, m.returned, 0)
    else:
        clear(m.returned, 0, 12)
        ripemd160(m.memory, start, size, m.returned, 12)
    m.returned_size = 32
    return left


def echo_input(m: Machine, start: u64, size: u64, gas: u64) -> u64:
    """Run IDENTITY, which returns its input."""
    left = pay_words(m, size, IDENTITY_GAS, IDENTITY_WORD_GAS, gas)
    if m.fault != FAULT_NONE:
        return 0
    copy(m.returned, 0, m.memory, start, size)
    m.returned_size = size
    return left


def compute_on_curve(m: Machine, number: u64, start: u64, size: u64, gas: u64) -> u64:
    """Run ECADD, ECMUL or ECPAIRING."""
    cost = wrap64(ECADD_GAS)
    if number == ECMUL:
        cost = ECMUL_GAS
    if number == ECPAIRING:
        if size % PAIRED != 0:
            m.fault = FAULT_HALT
            return 0
        cost = ECPAIRING_GAS + size // PAIRED * ECPAIRING_PAIR_GAS
    if gas < cost:
        m.fault = FAULT_GAS
        return 0
    if number == ECADD:
        taken = add_points(m.memory, start, size, m.returned)
    elif number == ECMUL:
        taken = multiply_by_word(m.memory, start, size, m.returned)
    else:
        taken = check_pairing(m.memory, start, size, m.returned)
    if taken == 0:
        m.fault = FAULT_HALT
        return 0
    m.returned_size = 64
    if number == ECPAIRING:
        m.returned_size = 32
    return gas - cost


def compress_input(m: Machine, start: u64, size: u64, gas: u64) -> u64:
    """Run BLAKE2F, which costs 1 gas a round (EIP-152)."""
    if size != BLAKE2F_INPUT or m.memory[start + BLAKE2F_INPUT - 1] > 1:
        m.fault = FAULT_HALT
        return 0
    cost = blake2_rounds(m.memory, start)
    if gas < cost:
        m.fault = FAULT_GAS
        return 0
    blake2_compress(m.memory, start, m.returned)
    m.returned_size = BLAKE2F_OUTPUT
    return gas - cost
