"""py-evm's precompiles by fork, with one correction and one that is faster."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from eth.exceptions import VMError
from eth.precompiles.modexp import extract_lengths

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
from eth_typing import Address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from eth.abc import ComputationAPI

    Precompiles: TypeAlias = Mapping[Address, Callable[[ComputationAPI], Any]]

_MODEXP = Address((5).to_bytes(20, "big"))
_POINT_EVALUATION = Address((10).to_bytes(20, "big"))
_HEADER = 96
_PROOF_SIZE = 192


def modexp(computation: ComputationAPI) -> ComputationAPI:
    """Execute MODEXP (EIP-198, EIP-2565).

    py-evm says 0 for an empty base; with an exponent of zero the power is 1.
    """
    CANCUN_PRECOMPILES[_MODEXP](computation)
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
    return load_trusted_setup(TRUSTED_SETUP_PATH, 0)


def point_evaluation(computation: ComputationAPI) -> ComputationAPI:
    """Execute POINT_EVALUATION (EIP-4844).

    py-evm reads the trusted setup again each time, which takes most of a second.

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


_OURS = {_MODEXP: modexp, _POINT_EVALUATION: point_evaluation}
CANCUN: Precompiles = {**CANCUN_PRECOMPILES, **_OURS}
PRAGUE: Precompiles = {**PRAGUE_PRECOMPILES, **_OURS}
