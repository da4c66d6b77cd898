"""Precompiles by fork: py-evm's, with corrections, and those that it does not have.

The native EVM has others, over other libraries (`echidna_mcp_plugins.precompiles`),
which these confirm. Nothing of the two is shared.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from eth.exceptions import VMError
from eth.precompiles.modexp import extract_lengths
from eth.precompiles.modexp import modexp as _modexp

# The names are those of ckzg, a C library without type stubs.
from eth.precompiles.point_evaluation import (  # type: ignore[attr-defined]
    TRUSTED_SETUP_PATH,
    kzg_to_versioned_hash,
    load_trusted_setup,
    verify_kzg_proof,
)
from eth.vm.forks.cancun.computation import CANCUN_PRECOMPILES
from eth.vm.forks.cancun.constants import (
    BLS_MODULUS,
    FIELD_ELEMENTS_PER_BLOB,
    POINT_EVALUATION_PRECOMPILE_GAS,
)
from eth.vm.forks.prague.computation import PRAGUE_PRECOMPILES
from eth.vm.forks.shanghai.computation import ShanghaiComputation
from eth_typing import Address

from echidna_mcp_plugins.py_evm.curves.secp256r1 import is_valid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from eth.abc import ComputationAPI

    Precompiles: TypeAlias = Mapping[Address, Callable[[ComputationAPI], Any]]

_MODEXP: Final = Address((0x5).to_bytes(20, "big"))
_POINT_EVALUATION: Final = Address((0xA).to_bytes(20, "big"))
_P256VERIFY: Final = Address((0x100).to_bytes(20, "big"))
_HEADER: Final = 96
_PROOF_SIZE: Final = 192
_SIGNATURE_SIZE: Final = 160
_P256VERIFY_GAS: Final = 6900
_LONGEST: Final = 1024


def modexp(computation: ComputationAPI) -> ComputationAPI:
    """Execute MODEXP (EIP-198, EIP-2565)."""
    CANCUN_PRECOMPILES[_MODEXP](computation)
    return _correct_power(computation)


def osaka_modexp(computation: ComputationAPI) -> ComputationAPI:
    """Execute MODEXP with the limits of EIP-7823, at the price of EIP-7883.

    Raises:
        VMError: base, exponent or modulus is longer than 1024 bytes.
    """
    _modexp(computation, gas_calculator=_osaka_modexp_gas)
    return _correct_power(computation)


def _osaka_modexp_gas(data: bytes) -> int:
    base_size, exponent_size, modulus_size = extract_lengths(data)
    if max(base_size, exponent_size, modulus_size) > _LONGEST:
        raise VMError("MODEXP takes numbers of up to 1024 bytes")
    start = _HEADER + base_size
    head = data[start : start + exponent_size].ljust(exponent_size, b"\0")[:32]
    iterations = max(int.from_bytes(head, "big").bit_length() - 1, 0)
    if exponent_size > 32:
        iterations += 16 * (exponent_size - 32)
    longest = max(base_size, modulus_size)
    complexity = 16 if longest <= 32 else 2 * (-(-longest // 8)) ** 2
    return max(500, complexity * max(iterations, 1))


def _correct_power(computation: ComputationAPI) -> ComputationAPI:
    """Set what py-evm has wrong: of an empty base it says 0 even to the power of 0."""
    data = computation.msg.data_as_bytes
    base_size, exponent_size, modulus_size = extract_lengths(data)
    if not base_size and modulus_size:
        start = _HEADER + exponent_size
        tail = data[start : start + modulus_size].ljust(modulus_size, b"\0")
        modulus = int.from_bytes(tail, "big")
        if modulus and not any(data[_HEADER:start]):
            computation.output = (1 % modulus).to_bytes(modulus_size, "big")
    return computation


@cache
def _trusted_setup() -> Any:
    # Takes two seconds, too much for each confirmation. It imports nothing, and two
    # threads that read it at once get the same.
    return load_trusted_setup(TRUSTED_SETUP_PATH, 0)


def point_evaluation(computation: ComputationAPI) -> ComputationAPI:
    """Execute POINT_EVALUATION (EIP-4844).

    py-evm reads the trusted setup again each time.

    Raises:
        VMError: the input is no valid proof.
    """
    computation.consume_gas(POINT_EVALUATION_PRECOMPILE_GAS, reason="point evaluation")
    data = computation.msg.data_as_bytes
    commitment, proof = data[96:144], data[144:_PROOF_SIZE]
    if len(data) != _PROOF_SIZE or kzg_to_versioned_hash(commitment) != data[:32]:
        raise VMError("the input does not name its commitment")
    try:
        valid = verify_kzg_proof(
            commitment, data[32:64], data[64:96], proof, _trusted_setup()
        )
    except RuntimeError as error:  # not even points of the curve
        raise VMError("the input is malformed") from error
    if not valid:
        raise VMError("the proof is wrong")
    answer = (FIELD_ELEMENTS_PER_BLOB, BLS_MODULUS)
    computation.output = b"".join(number.to_bytes(32, "big") for number in answer)
    return computation


def p256verify(computation: ComputationAPI) -> ComputationAPI:
    """Execute P256VERIFY (EIP-7951)."""
    computation.consume_gas(_P256VERIFY_GAS, reason="P256VERIFY")
    data = computation.msg.data_as_bytes
    if len(data) == _SIGNATURE_SIZE:
        numbers = [
            int.from_bytes(data[at : at + 32], "big") for at in range(0, 160, 32)
        ]
        if is_valid(*numbers):
            computation.output = (1).to_bytes(32, "big")
    return computation


SHANGHAI: Final[Precompiles] = {
    **ShanghaiComputation.get_precompiles(),
    _MODEXP: modexp,
}
CANCUN: Final[Precompiles] = {
    **CANCUN_PRECOMPILES,
    _MODEXP: modexp,
    _POINT_EVALUATION: point_evaluation,
}
PRAGUE: Final[Precompiles] = {**PRAGUE_PRECOMPILES, **CANCUN}
OSAKA: Final[Precompiles] = {
    **PRAGUE,
    _MODEXP: osaka_modexp,
    _P256VERIFY: p256verify,
}
