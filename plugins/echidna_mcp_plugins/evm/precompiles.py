"""py-evm's precompiles, with one correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eth.precompiles.modexp import extract_lengths
from eth.vm.forks.cancun.computation import CANCUN_PRECOMPILES
from eth_typing import Address

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from eth.abc import ComputationAPI

_MODEXP = Address((5).to_bytes(20, "big"))
_HEADER = 96


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


PRECOMPILES: dict[Address, Callable[[ComputationAPI], Any]] = {
    **CANCUN_PRECOMPILES,
    _MODEXP: modexp,
}
